package bson

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
)

// ErrInvalidExtJSON is matched (errors.Is) by every error about text that is not extended JSON. The error is a
// [*DecodeError], whose offset counts the bytes of the text.
var ErrInvalidExtJSON = errors.New("invalid extended JSON")

// invalidJSON is a reason that matches ErrInvalidExtJSON.
type invalidJSON string

func (e invalidJSON) Error() string { return string(e) }

func (e invalidJSON) Is(target error) bool { return target == ErrInvalidExtJSON }

func invalidJSONf(format string, args ...any) error { return invalidJSON(fmt.Sprintf(format, args...)) }

// MarshalExtJSON encodes any Go value that has a BSON form as one line of extended JSON version 2, canonical or relaxed.
// See [AppendExtJSON].
func MarshalExtJSON(v any, canonical bool, opts ...*MarshalOptions) ([]byte, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	t, value, err := AppendValue((*buf)[:0], v, opts...)
	if err != nil {
		return nil, err
	}
	keepBuffer(buf, value)
	return appendExtJSONValue(make([]byte, 0, 2*len(value)), RawValue{Type: t, Value: value}, canonical)
}

// ExtJSONToRaw parses an object of extended JSON version 2 into BSON, without a detour through Go values. If canonical is
// set, numbers must be wrapped and dates must be {"$numberLong"}; otherwise the canonical and the relaxed format are both
// accepted, also mixed. Objects that begin with an unknown $-key stay objects, as do those that only resemble a DBRef.
func ExtJSONToRaw(data []byte, canonical bool) (Raw, error) {
	p := extParser{src: data, canonical: canonical}
	return p.wholeDocument()
}

// LegacyExtJSONToRaw is ExtJSONToRaw for text in the formats from before version 2 as well: {"$binary": "...", "$type":
// "00"}, {"$regex": "...", "$options": "..."} and {"$date": 0}. A $regex whose value is an object, and a $type without
// $binary, stay the query operators that they are.
func LegacyExtJSONToRaw(data []byte) (Raw, error) {
	p := extParser{src: data, legacy: true}
	return p.wholeDocument()
}

// UnmarshalExtJSON decodes extended JSON version 2 into v as Unmarshal does with the BSON that [ExtJSONToRaw] makes of it.
// The text may also be an array, or any other value if v can take it. The offset in the error for a value that v cannot take
// counts the bytes of the BSON; its path says where that is in the text.
func UnmarshalExtJSON(data []byte, canonical bool, v any, opts ...*UnmarshalOptions) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf) // decoding copies
	p := extParser{src: data, dst: (*buf)[:0], canonical: canonical}
	value, err := p.wholeValue()
	keepBuffer(buf, p.dst)
	if err != nil {
		return err
	}
	if value.Type == bsontype.EmbeddedDocument {
		return Unmarshal(value.Value, v, opts...)
	}
	return value.Unmarshal(v, opts...)
}

// keepBuffer stores what buf has grown to, unless that is too large to keep.
func keepBuffer(buf *[]byte, grown []byte) {
	if cap(grown) <= maxKeptBuffer {
		*buf = grown[:0]
	}
}

func (p *extParser) wholeDocument() (Raw, error) {
	p.dst = make([]byte, 0, len(p.src)+16)
	v, err := p.wholeValue()
	if err != nil {
		return nil, err
	}
	if v.Type != bsontype.EmbeddedDocument {
		return nil, decodeErrorAt(invalidJSONf("expected an object, found %v", v.Type), 0)
	}
	return v.Value, nil
}

// wholeValue parses all of the text. An object at the top is a document whatever its keys.
func (p *extParser) wholeValue() (RawValue, error) {
	var t Type
	var err *DecodeError
	if p.skipSpace() == '{' {
		t, err = bsontype.EmbeddedDocument, p.document(DefaultMaxDepth, false)
	} else {
		t, err = p.value(DefaultMaxDepth)
	}
	if err == nil && p.skipSpace() != 0 {
		err = p.fail("more text follows the value")
	}
	if err == nil && p.pos < len(p.src) { // a zero byte
		err = p.unexpected("the end")
	}
	if err != nil {
		return RawValue{}, err
	}
	return RawValue{Type: t, Value: p.dst}, nil
}
