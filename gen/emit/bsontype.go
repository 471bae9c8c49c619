package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// BSONTypes prints package bsontype.
func BSONTypes(m *model.BSONTypes) []File {
	const table, dir = "bson/types.yaml", "generated/bsontype"
	types := newFile(dir, table)
	types.Comment("// Type is the type byte of a BSON element.")
	types.Type().Id("Type").Byte().Line()
	members := bsonMembers(m)
	printConstants(types, "Type", members)
	printStringer(types, "t", "Type", "String returns the name that the $type operator takes.", members)
	printIsValid(types, m)
	printFixedSize(types, m)

	subtypes := newFile(dir, table)
	subtypes.Comment("// Subtypes of binary data.")
	printConstants(subtypes, "", subtypeMembers(m))
	return []File{
		{Path: dir + "/type.go", Table: table, Content: types},
		{Path: dir + "/subtype.go", Table: table, Content: subtypes},
		{Path: dir + "/vector.go", Table: table, Content: bsonVectors(m, dir, table)},
		{Path: dir + "/uuid.go", Table: table, Content: bsonUUIDs(m, dir, table)},
	}
}

func bsonMembers(m *model.BSONTypes) []member {
	var out []member
	for _, t := range m.Types {
		out = append(out, member{Name: t.Name, Doc: t.Doc, Value: hex(t.Code), Text: t.Alias})
	}
	return out
}

func subtypeMembers(m *model.BSONTypes) []member {
	var out []member
	for _, s := range m.Subtypes {
		out = append(out, member{Name: s.Name, Doc: s.Doc, Value: hex(s.Code)})
	}
	return out
}

// printIsValid prints
//
//	func (t Type) IsValid() bool {
//		switch t {
//		case Double, String:
//			return true
//		}
//		return false
//	}
func printIsValid(f *jen.File, m *model.BSONTypes) {
	f.Line()
	addDoc(f, "IsValid reports whether the byte is one of the types above.")
	f.Func().Params(jen.Id("t").Id("Type")).Id("IsValid").Params().Bool().Block(
		jen.Switch(jen.Id("t")).Block(jen.Case(typeNames(m, func(model.BSONType) bool { return true })...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
}

// printFixedSize prints
//
//	func (t Type) FixedSize() int {
//		switch t {
//		case Undefined, Null:
//			return 0
//		}
//		return -1
//	}
func printFixedSize(f *jen.File, m *model.BSONTypes) {
	f.Line()
	addDoc(f, "FixedSize returns the number of bytes that a value takes, 0 when the type says it all, and -1 when the value "+
		"holds its own length or the type is unknown.")
	f.Func().Params(jen.Id("t").Id("Type")).Id("FixedSize").Params().Int().Block(
		jen.Switch(jen.Id("t")).BlockFunc(func(g *jen.Group) {
			for _, size := range []int{0, 1, 4, 8, 12, 16} {
				names := typeNames(m, func(t model.BSONType) bool { return t.Size == size })
				if len(names) > 0 {
					g.Case(names...).Block(jen.Return(jen.Lit(size)))
				}
			}
		}),
		jen.Return(jen.Lit(-1)),
	)
}

func typeNames(m *model.BSONTypes, keep func(model.BSONType) bool) []jen.Code {
	var out []jen.Code
	for _, t := range m.Types {
		if keep(t) {
			out = append(out, jen.Id(t.Name))
		}
	}
	return out
}
