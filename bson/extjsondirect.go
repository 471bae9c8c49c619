package bson

import (
	"strings"

	"github.com/specdrivers/onion/bson/internal/extjson"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// textWriter writes D, M and A as extended JSON without making BSON of them first. It gives up at the first mistake, without an
// error: MarshalExtJSON then starts again through BSON, and the error comes from there. So each error has one origin.
type textWriter struct {
	canonical bool
	value     *[]byte // of the pool, for BSON of values that documents are less commonly made of
}

// appendTextOf appends v as extended JSON. It reports false if v is not a document or an array, or if there is an error.
func appendTextOf(dst []byte, v any, canonical bool) (out []byte, ok bool) {
	w := textWriter{canonical: canonical}
	switch v := v.(type) {
	case D:
		out, ok = w.appendDocument(dst, v, DefaultMaxDepth)
	case M:
		out, ok = w.appendMap(dst, v, DefaultMaxDepth)
	case A:
		out, ok = w.appendArray(dst, v, DefaultMaxDepth)
	case *D:
		if v != nil {
			out, ok = w.appendDocument(dst, *v, DefaultMaxDepth)
		}
	}
	if w.value != nil {
		buffers.Put(w.value)
	}
	return out, ok && len(out) < maxLength/8 // BSON that is too long is an error, and is never so much longer than its text
}

func (w *textWriter) appendDocument(dst []byte, d D, depth int) ([]byte, bool) {
	if d == nil {
		return append(dst, "null"...), true
	}
	if depth <= 0 {
		return dst, false
	}
	dst = append(dst, '{')
	for i := range d {
		var ok bool
		if dst, ok = w.appendElement(dst, d[i].Key, d[i].Value, i == 0, depth-1); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

func (w *textWriter) appendMap(dst []byte, m map[string]any, depth int) ([]byte, bool) {
	if m == nil {
		return append(dst, "null"...), true
	}
	if depth <= 0 {
		return dst, false
	}
	dst = append(dst, '{')
	first := true
	for key, v := range m {
		var ok bool
		if dst, ok = w.appendElement(dst, key, v, first, depth-1); !ok {
			return dst, false
		}
		first = false
	}
	return append(dst, '}'), true
}

func (w *textWriter) appendArray(dst []byte, a []any, depth int) ([]byte, bool) {
	if a == nil {
		return append(dst, "null"...), true
	}
	if depth <= 0 {
		return dst, false
	}
	dst = append(dst, '[')
	for i, v := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = w.appendAny(dst, v, depth-1); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

func (w *textWriter) appendElement(dst []byte, key string, v any, first bool, depth int) ([]byte, bool) {
	if !first {
		dst = append(dst, ',')
	}
	start := len(dst)
	dst, ok := extjson.AppendString(dst, wire.AliasBytes(key))
	// A zero byte, which a BSON key cannot hold, shows up here because it needs an escape.
	if !ok || len(dst) != start+len(key)+2 && strings.IndexByte(key, 0) >= 0 {
		return dst, false
	}
	dst = append(dst, ':')
	if text, ok := v.(string); ok {
		return extjson.AppendString(dst, wire.AliasBytes(text))
	}
	return w.appendAny(dst, v, depth)
}

// appendAny appends a value of any type, as the BSON type that the function appendAny gives it.
func (w *textWriter) appendAny(dst []byte, v any, depth int) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case string:
		return extjson.AppendString(dst, wire.AliasBytes(v))
	case int32:
		return extjson.AppendInt32(dst, v, w.canonical), true
	case int64:
		return extjson.AppendInt64(dst, v, w.canonical), true
	case int:
		if v == int(int32(v)) {
			return extjson.AppendInt32(dst, int32(v), w.canonical), true
		}
		return extjson.AppendInt64(dst, int64(v), w.canonical), true
	case float64:
		return extjson.AppendDouble(dst, v, w.canonical), true
	case bool:
		if v {
			return append(dst, "true"...), true
		}
		return append(dst, "false"...), true
	case D:
		return w.appendDocument(dst, v, depth)
	case A:
		return w.appendArray(dst, v, depth)
	case M:
		return w.appendMap(dst, v, depth)
	case ObjectID:
		return extjson.AppendObjectID(dst, v[:]), true
	case DateTime:
		return extjson.AppendDateTime(dst, int64(v), w.canonical), true
	}
	return w.appendThroughBSON(dst, v, depth)
}

// appendThroughBSON is appendAny for the types that are less common: it makes BSON of the value, and text from that.
func (w *textWriter) appendThroughBSON(dst []byte, v any, depth int) ([]byte, bool) {
	if w.value == nil {
		w.value = buffers.Get().(*[]byte)
	}
	value, t, err := appendAny(encState{encBits(depth) * encLevel, defaultCaches[0]}, (*w.value)[:0], v)
	keepBuffer(w.value, value)
	if err != nil || wire.ValueSize(t, value) != len(value) {
		return dst, false
	}
	if t == bsontype.Null {
		return append(dst, "null"...), true
	}
	out, failed := extjson.Append(dst, t, value, w.canonical, depth)
	return out, failed == nil
}
