package bson

import (
	"github.com/specdrivers/onion/bson/internal/extjson"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// ErrInvalidExtJSON is matched (errors.Is) by errors about text that is not extended JSON.
var ErrInvalidExtJSON = extjson.ErrInvalid

// MarshalExtJSON encodes any Go value that has a BSON form as one line of extended JSON version 2, canonical or relaxed.
// See [AppendExtJSON].
func MarshalExtJSON(v any, canonical bool, opts ...*MarshalOptions) ([]byte, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	if len(opts) == 0 {
		text, ok := appendTextOf((*buf)[:0], v, canonical)
		keepBuffer(buf, text)
		if ok {
			return wire.Clone(text), nil
		}
	}
	return marshalExtJSON(buf, v, canonical, opts)
}

// marshalExtJSON is MarshalExtJSON for any value: it makes BSON first, and text from that.
func marshalExtJSON(buf *[]byte, v any, canonical bool, opts []*MarshalOptions) ([]byte, error) {
	t, value, err := AppendValue((*buf)[:0], v, opts...)
	if err != nil {
		return nil, err
	}
	text, err := appendExtJSONValue(value, RawValue{Type: t, Value: value}, canonical) // behind what it reads
	keepBuffer(buf, text)
	if err != nil {
		return nil, err
	}
	return wire.Clone(text[len(value):]), nil
}

// ExtJSONToRaw converts an object of extended JSON version 2 to BSON, without going through Go values. If canonical is
// set, only the canonical format is accepted: numbers are wrapped in objects such as {"$numberInt": "1"}, and dates
// hold a $numberLong. Otherwise the canonical and relaxed formats are both accepted, even mixed. Objects that begin
// with an unknown $-key stay objects, as do those that only resemble a DBRef.
func ExtJSONToRaw(data []byte, canonical bool) (Raw, error) {
	return rawOf(data, formatOf(canonical))
}

// LegacyExtJSONToRaw is ExtJSONToRaw that also accepts the formats from before version 2: {"$binary": "...", "$type":
// "00"}, {"$regex": "...", "$options": "..."} and {"$date": 0}. A $regex whose value is an object, and a $type without
// $binary, remain query operators.
func LegacyExtJSONToRaw(data []byte) (Raw, error) {
	return rawOf(data, extjson.Legacy)
}

// formatOf returns the format for the argument canonical.
func formatOf(canonical bool) extjson.Format {
	if canonical {
		return extjson.Canonical
	}
	return extjson.Any
}

func rawOf(text []byte, format extjson.Format) (Raw, error) {
	doc, t, f := extjson.Parse(make([]byte, 0, len(text)+16), text, format, DefaultMaxDepth)
	if f == nil && t != bsontype.EmbeddedDocument {
		f = extjson.NotAnObject(t)
	}
	if f != nil {
		return nil, (*DecodeError)(f)
	}
	return doc, nil
}

// UnmarshalExtJSON converts extended JSON version 2 to BSON, as [ExtJSONToRaw] does, and decodes it into v, as
// Unmarshal does. The text may also be an array, or any other value if v can take it. If v cannot take a value, the
// Offset of the error counts bytes of the BSON, not of the text; its Path is right for both.
func UnmarshalExtJSON(data []byte, canonical bool, v any, opts ...*UnmarshalOptions) error {
	if target, ok := v.(*D); ok && target != nil && len(opts) == 0 && readText(data, canonical, target) {
		return nil
	}
	return unmarshalExtJSON(data, canonical, v, opts)
}

// unmarshalExtJSON is UnmarshalExtJSON for any text and target: it makes BSON first, and decodes that.
func unmarshalExtJSON(data []byte, canonical bool, v any, opts []*UnmarshalOptions) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf) // the decoded values keep nothing of it, because decoding copies
	value, t, f := extjson.Parse((*buf)[:0], data, formatOf(canonical), DefaultMaxDepth)
	keepBuffer(buf, value)
	if _, document := v.(*Raw); f == nil && document && t != bsontype.EmbeddedDocument {
		f = extjson.NotAnObject(t) // an array would become a document with its indexes for keys
	}
	if f != nil {
		return (*DecodeError)(f)
	}
	if t == bsontype.EmbeddedDocument {
		return Unmarshal(value, v, opts...)
	}
	return RawValue{Type: t, Value: value}.Unmarshal(v, opts...)
}

// AppendExtJSON appends doc to dst as one line of extended JSON version 2. The canonical format keeps every type; the
// relaxed one writes numbers and dates as plain JSON does. AppendExtJSON checks the document as it goes, and returns a
// [*DecodeError] if it is malformed. It does not allocate if dst has room.
func AppendExtJSON(dst []byte, doc Raw, canonical bool) ([]byte, error) {
	out, f := extjson.Append(dst, bsontype.EmbeddedDocument, doc, canonical, DefaultMaxDepth)
	if f != nil {
		return dst, (*DecodeError)(f)
	}
	return out, nil
}

// AppendExtJSONLimit is AppendExtJSON for logs. It stops soon after it has written limit bytes: the text is then cut
// off, and the rest of the document is unchecked. Text of at most limit bytes is complete.
func AppendExtJSONLimit(dst []byte, doc Raw, canonical bool, limit int) ([]byte, error) {
	out, f := extjson.AppendLimited(dst, doc, canonical, limit, DefaultMaxDepth)
	if f != nil {
		return dst, (*DecodeError)(f)
	}
	return out, nil
}

// appendExtJSONValue is AppendExtJSON for a single value.
func appendExtJSONValue(dst []byte, v RawValue, canonical bool) ([]byte, error) {
	if n := wire.ValueSize(v.Type, v.Value); n != len(v.Value) {
		return dst, decodeErrorAt(wire.ValueError(v.Type, v.Value), 0)
	}
	out, f := extjson.Append(dst, v.Type, v.Value, canonical, DefaultMaxDepth)
	if f != nil {
		return dst, (*DecodeError)(f)
	}
	return out, nil
}

// IndentExtJSON appends src to dst with one element per line. Every line after the first begins with prefix and one
// copy of indent per level of nesting. src must be valid JSON. Only the white space between its tokens changes.
func IndentExtJSON(dst, src []byte, prefix, indent string) ([]byte, error) {
	out, f := extjson.Indent(dst, src, prefix, indent, DefaultMaxDepth)
	if f != nil {
		return out, (*DecodeError)(f)
	}
	return out, nil
}

// keepBuffer stores what buf has grown to, unless that is too large to keep.
func keepBuffer(buf *[]byte, grown []byte) {
	if cap(grown) <= maxKeptBuffer {
		*buf = grown[:0]
	}
}
