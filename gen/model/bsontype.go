package model

import "github.com/specdrivers/onion/gen/load"

// BSONTypes is what the emitter of package bsontype sees, in the order of the table.
type BSONTypes struct {
	Doc      string
	Types    []BSONType
	Subtypes []BSONSubtype
}

// BSONType is one element type. Size is the number of payload bytes, or -1 when the value itself says it.
type BSONType struct {
	Name, Alias, Doc string
	Code, Size       int
}

// BSONSubtype is one subtype of binary data.
type BSONSubtype struct {
	Name, Doc string
	Code      int
}

// NewBSONTypes resolves and checks the table of BSON types.
func NewBSONTypes(t *load.Tables) *BSONTypes {
	in := t.BSONTypes()
	out := &BSONTypes{Doc: in.Doc}
	names, codes, aliases := newGoNames(t), newUnique[int](t), newUnique[string](t)
	for _, r := range in.Rows {
		names.add(r.Name, r.At)
		codes.add(r.Code, r.Name, r.At, "type 0x%02X is named twice", r.Code)
		aliases.add(r.Type, r.Name, r.At, "type name %s is used twice", r.Type)
		sentence(t, r.At, r.Doc)
		byteCode(t, r.At, r.Code)
		size := -1
		if r.Size != nil {
			size = *r.Size
		}
		out.Types = append(out.Types, BSONType{Name: r.Name, Alias: r.Type, Doc: r.Doc, Code: r.Code, Size: size})
	}
	subcodes := newUnique[int](t)
	for _, r := range in.Subtypes {
		names.add(r.Name, r.At)
		subcodes.add(r.Code, r.Name, r.At, "subtype %d is named twice", r.Code)
		sentence(t, r.At, r.Doc)
		byteCode(t, r.At, r.Code)
		out.Subtypes = append(out.Subtypes, BSONSubtype{Name: r.Name, Doc: r.Doc, Code: r.Code})
	}
	return out
}

func byteCode(t *load.Tables, at load.Pos, code int) {
	if code < 0 || code > 0xFF {
		t.Problemf(at, "code %d is not one byte", code)
	}
}
