package bson

import "reflect"

// useInt picks functions by the width of a signed integer. Where a type has 32 bits at most, or is int and fits, it is
// written in 32 bits; int64 is so only on request.
func (c *codec) useInt() {
	switch c.typ.Kind() {
	case reflect.Int8:
		c.encode, c.decode, c.empty = encodeShort[int8], decodeInt[int8], isZeroValue[int8]
	case reflect.Int16:
		c.encode, c.decode, c.empty = encodeShort[int16], decodeInt[int16], isZeroValue[int16]
	case reflect.Int32:
		c.encode, c.decode, c.empty = encodeShort[int32], decodeInt[int32], isZeroValue[int32]
	case reflect.Int64:
		c.encode, c.decode, c.empty = encodeInt64, decodeInt[int64], isZeroValue[int64]
	default:
		c.encode, c.decode, c.empty = encodeInt, decodeInt[int], isZeroValue[int]
	}
}

func (c *codec) useUint() {
	switch c.typ.Kind() {
	case reflect.Uint8:
		c.encode, c.decode, c.empty = encodeShort[uint8], decodeUint[uint8], isZeroValue[uint8]
	case reflect.Uint16:
		c.encode, c.decode, c.empty = encodeShort[uint16], decodeUint[uint16], isZeroValue[uint16]
	case reflect.Uint32:
		c.encode, c.decode, c.empty = encodeUint[uint32], decodeUint[uint32], isZeroValue[uint32]
	case reflect.Uint64:
		c.encode, c.decode, c.empty = encodeUint[uint64], decodeUint[uint64], isZeroValue[uint64]
	default:
		c.encode, c.decode, c.empty = encodeUint[uint], decodeUint[uint], isZeroValue[uint]
	}
}

// useSlice fills in the codec of a slice: of E (a document), of any, or of other elements.
func (b *compiler) useSlice(c *codec) {
	elem := c.typ.Elem()
	c.empty = hasNoLength
	switch {
	case elem == typeE:
		c.encode, c.decode = encodeD, decodeD
		return
	case elem == typeAny:
		c.encode, c.decode = encodeA, decodeA
		return
	case elem == typeByte:
		c.encode, c.decode = encodeBytes, decodeBytes
		return
	}
	c.elem = b.codec(elem)
	c.encode, c.decode = encodeSlice, decodeSlice
}

// useArray fills in the codec of a Go array; one of bytes is binary data.
func (b *compiler) useArray(c *codec) {
	if c.typ.Len() == 0 {
		c.empty = isAlwaysEmpty
	}
	c.elem = b.codec(c.typ.Elem())
	if c.typ.Elem() == typeByte {
		c.encode, c.decode = encodeByteArray, decodeByteArray
		return
	}
	c.encode, c.decode = encodeArray, decodeArray
}

// useInterface fills in the codec of an interface type.
func (b *compiler) useInterface(c *codec) {
	c.empty = isNilInterface
	if c.typ.NumMethod() == 0 {
		c.encode, c.decode = encodeEmptyInterface, decodeEmptyInterface
		return
	}
	c.encode, c.decode = encodeInterface, decodeInterface
}

// useMap fills in the codec of a map.
func (b *compiler) useMap(c *codec) {
	c.empty = isEmptyMap
	c.elem = b.codec(c.typ.Elem())
	c.keys = newMapKeys(c.typ.Key())
	c.encode, c.decode = encodeMap, decodeMap
	if c.isStringMap() {
		c.decode = decodeM
	}
}
