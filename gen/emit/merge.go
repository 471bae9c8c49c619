package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
)

// printMergeMethod prints
//
//	// Merge sets each field of o that is set in over.
//	func (o *Find) Merge(over *Find) {
//		if over.Limit != nil {
//			o.Limit = over.Limit
//		}
//	}
func printMergeMethod(f *jen.File, t load.Type) {
	f.Line()
	addDoc(f, "Merge sets each field of o that is set in over.")
	f.Func().Params(jen.Id("o").Op("*").Id(t.Name)).Id("Merge").Params(jen.Id("over").Op("*").Id(t.Name)).BlockFunc(func(g *jen.Group) {
		for _, field := range t.Fields {
			name, unset := field.Field, jen.Nil()
			if field.Go == "string" { // a required setting
				unset = jen.Lit("")
			}
			g.If(jen.Id("over").Dot(name).Op("!=").Add(unset)).Block(jen.Id("o").Dot(name).Op("=").Id("over").Dot(name))
		}
	})
}

// printMergeFunc prints
//
//	func mergeCredential(base, over *Credential) *Credential {
//		if base == nil {
//			return over
//		}
//		if over == nil {
//			return base
//		}
//		merged := *base
//		if over.Username != nil {
//			merged.Username = over.Username
//		}
//		return &merged
//	}
func printMergeFunc(f *jen.File, t load.Type) {
	var fields []string
	for _, field := range t.Fields {
		fields = append(fields, field.Field)
	}
	f.Line()
	f.Func().Id("merge" + t.Name).Params(jen.List(jen.Id("base"), jen.Id("over")).Op("*").Id(t.Name)).Op("*").Id(t.Name).
		BlockFunc(func(g *jen.Group) {
			printMergeBody(g, fields, nil)
		})
}

// printMergeBody prints the statements of a merge; deep names the fields that have a merge function of their own.
func printMergeBody(g *jen.Group, fields []string, deep map[string]string) {
	g.If(jen.Id("base").Op("==").Nil()).Block(jen.Return(jen.Id("over")))
	g.If(jen.Id("over").Op("==").Nil()).Block(jen.Return(jen.Id("base")))
	g.Id("merged").Op(":=").Op("*").Id("base")
	for _, name := range fields {
		if typ, ok := deep[name]; ok {
			g.Id("merged").Dot(name).Op("=").Id("merge"+typ).Call(jen.Id("base").Dot(name), jen.Id("over").Dot(name))
			continue
		}
		g.If(jen.Id("over").Dot(name).Op("!=").Nil()).Block(jen.Id("merged").Dot(name).Op("=").Id("over").Dot(name))
	}
	g.Return(jen.Op("&").Id("merged"))
}
