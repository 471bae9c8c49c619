package bson

import (
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
)

// String returns the document as relaxed extended JSON, or a note about why it cannot be encoded.
func (d D) String() string { return describe(d) }

// String returns the document as relaxed extended JSON, or a note about why it cannot be encoded.
func (m M) String() string { return describe(m) }

func describe(v any) string {
	raw, err := Marshal(v)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	return raw.String()
}

// String returns the document as relaxed extended JSON, or a note about why that is not possible.
func (r Raw) String() string {
	if len(r) == 0 {
		return ""
	}
	out, err := AppendExtJSON(nil, r, false)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	return string(out)
}

// String returns the array as relaxed extended JSON.
func (a RawArray) String() string {
	if len(a) == 0 {
		return ""
	}
	return RawValue{Type: bsontype.Array, Value: a}.String()
}

// String returns the value as relaxed extended JSON, or a note about why that is not possible.
func (v RawValue) String() string {
	if v.IsZero() {
		return ""
	}
	out, err := appendExtJSONValue(nil, v, false)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	return string(out)
}
