package model

import "github.com/specdrivers/onion/gen/load"

// BSONTypes is what the emitter of package bsontype sees, in the order of the table.
type BSONTypes struct {
	Doc      string
	Types    []BSONType
	Subtypes []BSONSubtype
	Vectors  []BSONVector
	UUIDs    []BSONUUID
}

// BSONVector is one type of the elements of vectors.
type BSONVector struct {
	Name, Text, Doc string
	Code, Bits      int
}

// BSONUUID is one representation of UUIDs, by the name of its subtype.
type BSONUUID struct{ Name, Text, Doc, Subtype, Order string }

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
		checkSentence(t, r.At, r.Doc)
		checkByteCode(t, r.At, r.Code)
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
		checkSentence(t, r.At, r.Doc)
		checkByteCode(t, r.At, r.Code)
		out.Subtypes = append(out.Subtypes, BSONSubtype{Name: r.Name, Doc: r.Doc, Code: r.Code})
	}
	addBSONVectors(t, in, out, names)
	addBSONUUIDs(t, in, out, names)
	return out
}

func addBSONVectors(t *load.Tables, in *load.BSONTypes, out *BSONTypes, names goNames) {
	codes := newUnique[int](t)
	for _, r := range in.Vectors {
		names.add(r.Name, r.At)
		codes.add(r.Code, r.Name, r.At, "the type of vectors 0x%02X is named twice", r.Code)
		checkSentence(t, r.At, r.Doc)
		checkByteCode(t, r.At, r.Code)
		if r.Bits < 1 {
			t.Problemf(r.At, "an element of %s has %d bits", r.Name, r.Bits)
		}
		out.Vectors = append(out.Vectors, BSONVector{Name: r.Name, Text: r.Text, Doc: r.Doc, Code: r.Code, Bits: r.Bits})
	}
}

func addBSONUUIDs(t *load.Tables, in *load.BSONTypes, out *BSONTypes, names goNames) {
	for _, r := range in.UUIDs {
		names.add(r.Name, r.At)
		checkSentence(t, r.At, r.Doc)
		x := BSONUUID{Name: r.Name, Text: r.Text, Doc: r.Doc, Order: r.Order}
		for _, s := range in.Subtypes {
			if s.Code == r.Subtype && r.Subtype != 0 {
				x.Subtype = s.Name
			}
		}
		if r.Subtype != 0 && x.Subtype == "" {
			t.Problemf(r.At, "%s has the subtype %d, which has no row", r.Name, r.Subtype)
		}
		out.UUIDs = append(out.UUIDs, x)
	}
}

func checkByteCode(t *load.Tables, at load.Pos, code int) {
	if code < 0 || code > 0xFF {
		t.Problemf(at, "code %d is not one byte", code)
	}
}
