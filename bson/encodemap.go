package bson

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeMap(c *codec, f encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	if *(*unsafe.Pointer)(p) == nil {
		return appendNilMap(dst, f)
	}
	f, err := f.deeper()
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	if dst, err = c.encodeMapElements(f, dst, p); err != nil {
		return dst, 0, err
	}
	dst = append(dst, 0)
	wire.PutLength(dst[start:])
	return dst, bsontype.EmbeddedDocument, nil
}

// encodeMapElements appends the elements of the map at p without the document around them.
func (c *codec) encodeMapElements(f encState, dst []byte, p unsafe.Pointer) ([]byte, error) {
	if c.isStringMap() {
		return appendMapElements(f, dst, *(*map[string]any)(p))
	}
	m := reflect.NewAt(c.typ, p).Elem()
	key, elem := reflect.New(c.typ.Key()).Elem(), reflect.New(c.typ.Elem())
	for iter := m.MapRange(); iter.Next(); {
		key.SetIterKey(iter)
		elem.Elem().SetIterValue(iter)
		name, err := c.encodeMapKey(f, key)
		if err != nil {
			return dst, err
		}
		at := len(dst)
		if dst, err = appendKey(f, dst, name); err != nil {
			return dst, err
		}
		var t Type
		if dst, t, err = c.elem.encode(c.elem, f, dst, elem.UnsafePointer()); err != nil {
			return dst, encodeErrorUnder(name, err)
		}
		dst[at] = byte(t)
	}
	return dst, nil
}

func (c *codec) encodeMapKey(f encState, key reflect.Value) (string, error) {
	if f.has(encStringifyKeys) {
		return fmt.Sprint(key), nil
	}
	return c.keys.encode(key)
}
