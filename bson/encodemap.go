package bson

import (
	"fmt"
	"reflect"

	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeMap(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	if c.value(p).IsNil() {
		return appendNilMap(dst, f)
	}
	f, err := f.descend()
	if err != nil {
		return dst, 0, err
	}
	dst, start := AppendDocumentStart(dst)
	if dst, err = c.encodeMapElements(f, dst, p); err != nil {
		return dst, 0, err
	}
	return AppendDocumentEnd(dst, start), bsontype.EmbeddedDocument, nil
}

// encodeMapElements appends the elements of the map at p without the document around them.
func (c *codec) encodeMapElements(f encState, dst []byte, p address) ([]byte, error) {
	if c.isStringMap() {
		return appendMapElements(f, dst, *toPointer[map[string]any](p))
	}
	m := c.value(p)
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
		if dst, t, err = c.elem.encode(c.elem, f, dst, addressAt(elem)); err != nil {
			return dst, encodeErrorIn(name, err)
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
