package bson

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// MarshalJSON writes the document as a JSON object with its elements in order; a nil D is null. Values with a
// MarshalJSON method use it. Others are written as relaxed extended JSON, which is plain JSON for strings, numbers and
// booleans.
func (d D) MarshalJSON() ([]byte, error) { return appendJSON(nil, d, DefaultMaxDepth) }

// UnmarshalJSON reads a JSON object, which may contain extended JSON. Whole numbers become int32, or int64 if they do
// not fit.
func (d *D) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		*d = nil
		return nil
	}
	return UnmarshalExtJSON(data, false, d)
}

// MarshalJSON writes the date as time.Time does, in RFC 3339.
func (d DateTime) MarshalJSON() ([]byte, error) { return d.Time().MarshalJSON() }

// UnmarshalJSON reads a date in RFC 3339; null changes nothing.
func (d *DateTime) UnmarshalJSON(data []byte) error {
	t := d.Time()
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	*d = NewDateTimeFromTime(t)
	return nil
}

func appendJSON(dst []byte, v any, depth int) ([]byte, error) {
	if depth <= 0 {
		return dst, &EncodeError{Err: ErrMaxDepth}
	}
	switch v := v.(type) {
	case D:
		return appendJSONObject(dst, v, v == nil, depth)
	case M:
		return appendJSONMap(dst, v, depth)
	case map[string]any:
		return appendJSONMap(dst, v, depth)
	case A:
		return appendJSONArray(dst, v, depth)
	case []any:
		return appendJSONArray(dst, v, depth)
	case json.Marshaler:
		if holdsNil(v) {
			return append(dst, "null"...), nil
		}
		out, err := v.MarshalJSON()
		return append(dst, out...), err
	}
	t, value, err := AppendValue(nil, v)
	if err != nil {
		return dst, err
	}
	return appendExtJSONValue(dst, RawValue{Type: t, Value: value}, false)
}

func appendJSONObject(dst []byte, d D, null bool, depth int) ([]byte, error) {
	if null {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '{')
	for i, e := range d {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendJSON(dst, e.Key, depth); err != nil {
			return dst, err
		}
		if dst, err = appendJSON(append(dst, ':'), e.Value, depth-1); err != nil {
			return dst, encodeErrorIn(e.Key, err)
		}
	}
	return append(dst, '}'), nil
}

// appendJSONMap sorts the keys, as encoding/json does.
func appendJSONMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	d := make(D, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		d = append(d, E{Key: key, Value: m[key]})
	}
	return appendJSONObject(dst, d, m == nil, depth)
}

func appendJSONArray(dst []byte, a []any, depth int) ([]byte, error) {
	if a == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i, v := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendJSON(dst, v, depth-1); err != nil {
			return dst, encodeErrorAt(i, err)
		}
	}
	return append(dst, ']'), nil
}
