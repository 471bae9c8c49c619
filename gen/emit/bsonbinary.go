package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// bsonVectors prints
//
//	// VectorType says what the elements of a vector are.
//	type VectorType byte
//
//	func (t VectorType) Bits() int {
//		switch t {
//		case VectorInt8:
//			return 8
//		}
//		return 0
//	}
func bsonVectors(m *model.BSONTypes, dir, table string) *jen.File {
	f := newFile(dir, table)
	addDoc(f, "VectorType says what the elements of a vector are. It is the first byte of the vector.")
	f.Type().Id("VectorType").Byte().Line()
	var members []member
	var cases []jen.Code
	for _, v := range m.Vectors {
		members = append(members, member{Name: v.Name, Doc: v.Doc, Value: hex(v.Code), Text: v.Text})
		cases = append(cases, jen.Case(jen.Id(v.Name)).Block(jen.Return(jen.Lit(v.Bits))))
	}
	printConstants(f, "VectorType", members)
	printStringer(f, "t", "VectorType", "String returns the specification's name of t.", members)
	f.Line()
	addDoc(f, "Bits returns how many bits an element has, 0 for an unknown type.")
	f.Func().Params(jen.Id("t").Id("VectorType")).Id("Bits").Params().Int().Block(
		jen.Switch(jen.Id("t")).Block(cases...),
		jen.Return(jen.Lit(0)),
	)
	return f
}

// bsonUUIDs prints
//
//	// UUIDRepresentation says how the bytes of a UUID are ordered in binary data, and under which subtype.
//	type UUIDRepresentation uint8
//
//	func (r UUIDRepresentation) Subtype() (subtype byte, ok bool) {
//		switch r {
//		case UUIDStandard:
//			return BinaryUUID, true
//		}
//		return 0, false
//	}
func bsonUUIDs(m *model.BSONTypes, dir, table string) *jen.File {
	f := newFile(dir, table)
	addDoc(f, "UUIDRepresentation says how the 16 bytes of a UUID are ordered in binary data, and under which subtype.")
	f.Type().Id("UUIDRepresentation").Uint8().Line()
	var members []member
	var cases []jen.Code
	for _, u := range m.UUIDs {
		text := u.Doc
		if u.Order != "" {
			text += " Upstream calls it the order of " + u.Order + "."
		}
		members = append(members, member{Name: u.Name, Doc: text, Text: u.Text})
		if u.Subtype != "" {
			cases = append(cases, jen.Case(jen.Id(u.Name)).Block(jen.Return(jen.Id(u.Subtype), jen.True())))
		}
	}
	printConstants(f, "UUIDRepresentation", members)
	printStringer(f, "r", "UUIDRepresentation",
		"String returns the name that the option uuidRepresentation of MongoDB drivers uses.", members)
	f.Line()
	addDoc(f, "Subtype returns the subtype of binary data with UUIDs in this representation, and false if there is none.")
	f.Func().Params(jen.Id("r").Id("UUIDRepresentation")).Id("Subtype").Params().
		Params(jen.Id("subtype").Byte(), jen.Id("ok").Bool()).Block(
		jen.Switch(jen.Id("r")).Block(cases...),
		jen.Return(jen.Lit(0), jen.False()),
	)
	return f
}
