package bson

import (
	"reflect"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeD(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendD(f, dst, *toPointer[D](p))
}

func encodeA(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendA(f, dst, *toPointer[[]any](p))
}

func encodeSlice(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	list, n := sliceAt(p)
	if isNilAddress(list) {
		return appendNilList(dst, bsontype.Array, f)
	}
	return c.encodeElements(f, dst, list, n)
}

// encodeElements writes an array of the n elements of a list.
func (c *codec) encodeElements(f encState, dst []byte, list address, n int) ([]byte, Type, error) {
	f, err := f.descend()
	if err != nil {
		return dst, 0, err
	}
	dst, start := AppendDocumentStart(dst)
	elem := c.elem
	plainStrings := elem.typ.Kind() == reflect.String && !elem.customEncode
	for i := range n {
		at := elem.element(list, i)
		header := len(dst)
		if i < 10 {
			dst = append(dst, byte(bsontype.String), '0'+byte(i), 0)
		} else {
			dst = AppendArrayIndexHeader(dst, bsontype.String, i)
		}
		if plainStrings {
			var valid bool
			if dst, valid = wire.AppendChecked(dst, *toPointer[string](at)); !valid && !f.has(encInvalidText) {
				return dst, 0, encodeErrorAt(i, wire.ErrGoText)
			}
			continue
		}
		var t Type
		if dst, t, err = elem.encode(elem, f, dst, at); err != nil {
			return dst, 0, encodeErrorAt(i, err)
		}
		dst[header] = byte(t)
	}
	return AppendDocumentEnd(dst, start), bsontype.Array, nil
}

func encodeByteArray(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return wire.AppendBinary(dst, 0, c.value(p).Bytes()), bsontype.Binary, nil
}

func encodeArray(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return c.encodeElements(f, dst, arrayAt(p), c.typ.Len())
}

func encodePointer(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	target := pointee(p)
	if isNilAddress(target) {
		return dst, bsontype.Null, nil
	}
	if c.elem.mayCycle() {
		var err error
		if f, err = f.descend(); err != nil {
			return dst, 0, err
		}
	}
	return c.elem.encode(c.elem, f, dst, target)
}

func encodeEmptyInterface(_ *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	return appendAny(f, dst, *toPointer[any](p))
}

func encodeInterface(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	v := c.value(p)
	if v.IsNil() {
		return dst, bsontype.Null, nil
	}
	return appendAny(f, dst, v.Elem().Interface())
}
