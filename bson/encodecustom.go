package bson

import (
	"encoding"
	"encoding/binary"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeValueAppender(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	v := c.pointerTo(p).(ValueAppender)
	t, out, err := v.AppendBSONValue(dst)
	if err != nil {
		return dst, 0, err
	}
	return checkAppended(dst, out, t, v)
}

func encodeAppender(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	return appendAppender(dst, c.pointerTo(p).(DocumentAppender))
}

func appendAppender(dst []byte, v DocumentAppender) ([]byte, Type, error) {
	out, err := v.AppendBSON(dst)
	if err != nil {
		return dst, 0, err
	}
	return checkAppended(dst, out, bsontype.EmbeddedDocument, v)
}

// checkAppended refuses what v appended to dst unless it is one value of type t, by its length.
func checkAppended(dst, out []byte, t Type, v any) ([]byte, Type, error) {
	start := len(dst)
	if len(out) < start {
		return dst, 0, wire.Malformedf("%T removed what others had appended", v)
	}
	switch n := wire.ValueSize(t, out[start:]); {
	case n < 0:
		return dst, 0, wire.ValueError(t, out[start:])
	case n != len(out)-start:
		return dst, 0, wire.Malformedf("%T appended %d bytes after the %v", v, len(out)-start-n, t)
	}
	return out, t, nil
}

func encodeValueMarshaler(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	t, data, err := c.pointerTo(p).(ValueMarshaler).MarshalBSONValue()
	if err != nil {
		return dst, 0, err
	}
	if t == 0 && len(data) == 0 {
		return dst, 0, wire.Malformedf("%v returned no value", c.typ)
	}
	return appendCheckedValue(dst, RawValue{Type: Type(t), Value: data})
}

func encodeMarshaler(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	data, err := c.pointerTo(p).(Marshaler).MarshalBSON()
	if err != nil {
		return dst, 0, err
	}
	return appendCheckedRaw(dst, bsontype.EmbeddedDocument, data)
}

func encodeTextAppender(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	room, start := AppendDocumentStart(dst) // a text begins with its length too
	out, err := c.pointerTo(p).(encoding.TextAppender).AppendText(room)
	if err != nil {
		return dst, 0, err
	}
	if len(out) < len(room) {
		return dst, 0, wire.Malformedf("%v removed what others had appended", c.typ)
	}
	if !wire.ValidText(out[len(room):]) && !f.has(encInvalidText) {
		return dst, 0, wire.ErrGoText
	}
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-len(room)))
	return out, bsontype.String, nil
}

func encodeTextMarshaler(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	text, err := c.pointerTo(p).(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return dst, 0, err
	}
	return appendText(f, dst, bsontype.String, string(text))
}

func encodeBinaryAppender(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	data, err := c.pointerTo(p).(encoding.BinaryAppender).AppendBinary(nil)
	if err != nil {
		return dst, 0, err
	}
	return wire.AppendBinary(dst, 0, data), bsontype.Binary, nil
}

func encodeBinaryMarshaler(c *codec, _ encState, dst []byte, p address) ([]byte, Type, error) {
	data, err := c.pointerTo(p).(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return dst, 0, err
	}
	return wire.AppendBinary(dst, 0, data), bsontype.Binary, nil
}
