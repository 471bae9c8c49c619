package bson

import (
	"encoding"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// decodeStandard tries the interfaces of the standard library before it decodes by kind. (A type that implements only
// encoding.BinaryUnmarshaler takes strings by its kind too.)
func decodeStandard(c *codec, d *decoder, t Type, b []byte, p address) error {
	if t == bsontype.String {
		if u, ok := c.pointerTo(p).(encoding.TextUnmarshaler); ok {
			if !d.checkText(wire.Text(b)) {
				return wire.ErrText
			}
			return u.UnmarshalText(wire.Text(b))
		}
	}
	if t == bsontype.Binary && c.binary {
		data, err := d.readPlainBinary(c, b)
		if err != nil {
			return err
		}
		return c.pointerTo(p).(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
	}
	if isEmptyDocument(t, b) && c.isOpaque() {
		c.value(p).SetZero()
		return nil
	}
	return c.plain(c, d, t, b, p)
}

func decodeValueDecoder(c *codec, d *decoder, t Type, b []byte, p address) error {
	v := RawValue{Type: t, Value: b[:len(b):len(b)]}
	return d.placeError(b, c.pointerTo(p).(ValueDecoder).DecodeBSONValue(v))
}

func decodeDocumentDecoder(c *codec, d *decoder, t Type, b []byte, p address) error {
	if done, err := c.checkDocument(d, t, b, p); done {
		return err
	}
	return d.placeError(b, c.pointerTo(p).(DocumentDecoder).DecodeBSON(Raw(b[:len(b):len(b)])))
}

func decodeValueUnmarshaler(c *codec, d *decoder, t Type, b []byte, p address) error {
	return d.placeError(b, c.pointerTo(p).(ValueUnmarshaler).UnmarshalBSONValue(byte(t), b[:len(b):len(b)]))
}

func decodeUnmarshaler(c *codec, d *decoder, t Type, b []byte, p address) error {
	if done, err := c.checkDocument(d, t, b, p); done {
		return err
	}
	return d.placeError(b, c.pointerTo(p).(Unmarshaler).UnmarshalBSON(b[:len(b):len(b)]))
}

// checkDocument checks a value before a method gets it as a document. Null sets the zero value, and then there is
// nothing left for the method to do. Other types are refused.
func (c *codec) checkDocument(d *decoder, t Type, b []byte, p address) (done bool, err error) {
	if wire.IsNull(t) {
		c.value(p).SetZero()
		return true, nil
	}
	if t != bsontype.EmbeddedDocument && t != bsontype.Array {
		return true, c.mismatchError(t)
	}
	if d.depth <= 0 {
		return true, d.fail(b, ErrMaxDepth)
	}
	return false, nil
}

// placeError gives an error that a method returned about b its path and offset in the whole document. Until then its
// offset counts from the start of b.
func (d *decoder) placeError(b []byte, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*DecodeError); ok {
		moved := *e
		if moved.Offset >= 0 {
			moved.Offset += d.offset(b)
		}
		return &moved
	}
	return err
}
