package emit

import (
	"github.com/dave/jennifer/jen"
)

// member is one constant of an enumeration. A nil Value continues an iota.
type member struct {
	Name, Doc string
	Value     *jen.Statement
	Text      string // what String prints
}

// printConstants prints a documented block. An empty typ prints untyped constants.
//
//	const (
//		// Double is ...
//		Double Type = 0x01
//	)
func printConstants(f *jen.File, typ string, members []member) {
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, m := range members {
			if m.Doc != "" {
				addDocIn(g, m.Doc)
			}
			s := g.Id(m.Name)
			switch {
			case m.Value != nil && typ != "":
				s.Id(typ).Op("=").Add(m.Value)
			case m.Value != nil:
				s.Op("=").Add(m.Value)
			case i == 0:
				s.Id(typ).Op("=").Iota()
			}
		}
	})
}

// printStringer prints String by a switch over the members.
//
//	func (t Type) String() string {
//		switch t {
//		case Double:
//			return "double"
//		}
//		return "Type(" + strconv.Itoa(int(t)) + ")"
//	}
func printStringer(f *jen.File, recv, typ, comment string, members []member) {
	number := jen.Lit(typ+"(").Op("+").Qual("strconv", "FormatInt").Call(jen.Int64().Call(jen.Id(recv)), jen.Lit(10)).Op("+").Lit(")")
	f.Line()
	addDoc(f, comment)
	f.Func().Params(jen.Id(recv).Id(typ)).Id("String").Params().String().Block(
		jen.Switch(jen.Id(recv)).BlockFunc(func(g *jen.Group) {
			for _, m := range members {
				g.Case(jen.Id(m.Name)).Block(jen.Return(jen.Lit(m.Text)))
			}
		}),
		jen.Return(number),
	)
}

// printParser prints the inverse of String.
//
//	func ByName(name string) (Code, bool) {
//		switch name {
//		case "HostUnreachable":
//			return HostUnreachable, true
//		}
//		return 0, false
//	}
func printParser(f *jen.File, name, typ, comment string, members []member) {
	f.Line()
	addDoc(f, comment)
	f.Func().Id(name).Params(jen.Id("name").String()).Params(jen.Id(typ), jen.Bool()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for _, m := range members {
				g.Case(jen.Lit(m.Text)).Block(jen.Return(jen.Id(m.Name), jen.True()))
			}
		}),
		jen.Return(jen.Lit(0), jen.False()),
	)
}

// hex returns a hexadecimal literal of at least two digits.
func hex(n int) *jen.Statement {
	const digits = "0123456789ABCDEF"
	text := ""
	for ; n > 0 || len(text) < 2; n >>= 4 {
		text = string(digits[n&15]) + text
	}
	return jen.Id("0x" + text)
}
