package bson

import (
	"reflect"

	"github.com/specdrivers/onion/bson/internal/static"
)

// useEncoders lets the methods of the type, or of its pointer, encode it instead. Pointers to interfaces and pointers
// have none.
func (c *codec) useEncoders() {
	if encode := c.encodeMethod(reflect.PointerTo(c.typ)); encode != nil {
		c.encode, c.customEncode = encode, true
	}
	if _, exact := exactCodecOf(c.typ); c.zeroer && !exact {
		c.empty = isZeroByMethod
	}
}

// encodeMethod returns the function that calls the method that encodes the type, nil if there is no such method.
func (c *codec) encodeMethod(pointer reflect.Type) encodeFunc {
	switch {
	case pointer.Implements(typeValueAppender):
		return encodeValueAppender
	case pointer.Implements(typeAppender):
		return encodeAppender
	case pointer.Implements(typeValueMarshaler):
		return encodeValueMarshaler
	case pointer.Implements(typeMarshaler):
		return encodeMarshaler
	case !c.isOpaque():
		return nil
	case pointer.Implements(typeTextAppender):
		return encodeTextAppender
	case pointer.Implements(typeTextMarshaler):
		return encodeTextMarshaler
	case pointer.Implements(typeBinaryAppender):
		return encodeBinaryAppender
	case pointer.Implements(typeBinaryMarshaler):
		return encodeBinaryMarshaler
	}
	return nil
}

// useDecoders lets the methods of the type, or of its pointer, decode it instead.
func (c *codec) useDecoders() {
	pointer := reflect.PointerTo(c.typ)
	if decode := decodeMethod(pointer); decode != nil {
		c.decode, c.customDecode = decode, true
		return
	}
	c.useStandardDecoders(pointer)
}

// decodeMethod returns the function that calls the method that decodes the type, nil if there is no such method.
func decodeMethod(pointer reflect.Type) decodeFunc {
	switch {
	case pointer.Implements(typeValueDecoder):
		return decodeValueDecoder
	case pointer.Implements(typeDocumentDecoder):
		return decodeDocumentDecoder
	case pointer.Implements(typeValueUnmarshaler):
		return decodeValueUnmarshaler
	case pointer.Implements(typeUnmarshaler):
		return decodeUnmarshaler
	}
	return nil
}

// useStandardDecoders lets the interfaces of the standard library decode the values that the type cannot take in
// another way.
func (c *codec) useStandardDecoders(pointer reflect.Type) {
	if _, ok := exactCodecOf(c.typ); ok {
		return
	}
	if pointer.Implements(typeTextUnmarshaler) && c.typ.Kind() != reflect.String {
		c.plain, c.decode = c.decode, decodeStandard
	}
	if pointer.Implements(typeBinaryUnmarshaler) && c.isOpaque() {
		c.binary = true
		if c.plain == nil {
			c.plain = c.decode
		}
		c.decode = decodeStandard
	}
}

// useStatic puts the type's generated methods in front of its plan. They know no options and count levels from zero, so
// the plan stays for the other cases.
func (c *codec) useStatic() {
	if c.static == nil {
		return
	}
	c.dynamicEncode, c.dynamicDecode = c.encode, c.decode
	c.encode, c.decode = encodeStatic, decodeStatic
}

// staticInfo returns what the generated methods of t do, nil if there are none. Inherited methods do not count, because
// they handle the embedded type only.
func staticInfo(t reflect.Type) *static.Info {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(typeStaticMethods) {
		return nil
	}
	info := reflect.New(t).Interface().(staticMethods).BSONStatic()
	if info.Type != t {
		return nil
	}
	return &info
}

// applyUserCodec lets the user's codec for the type replace what there is.
func (b *compiler) applyUserCodec(c *codec) {
	user := b.cache.userCodecs[c.typ]
	if user == nil {
		return
	}
	c.via = b.codec(user.via)
	c.user, c.customEncode, c.customDecode = true, true, true
	if user.encode != nil {
		c.encode, c.err = user.encode, nil
		if c.empty = isGoZero; c.zeroer {
			c.empty = isZeroByMethod
		}
	}
	if user.decode != nil {
		c.decode, c.err = user.decode, nil
	}
}
