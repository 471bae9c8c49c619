package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Benchmarks prints
//
//	func All() []Benchmark {
//		return []Benchmark{
//			{Name: "Run command", Group: "single", Operations: 10000, Bytes: 130000},
//		}
//	}
func Benchmarks(m model.Benchmarks) []File {
	const table, dir = "benchmarks.yaml", "generated/core/benchmark"
	f := newFile(dir, table)
	doc(f, "All returns every benchmark, in the order of the specification.")
	f.Func().Id("All").Params().Index().Id("Benchmark").Block(
		jen.Return(jen.Index().Id("Benchmark").Add(rowsOf(func(g *jen.Group) {
			for _, b := range m {
				g.ValuesFunc(func(v *jen.Group) {
					v.Id("Name").Op(":").Lit(b.Name)
					v.Id("Group").Op(":").Lit(b.Group)
					if b.File != "" {
						v.Id("File").Op(":").Lit(b.File)
					}
					v.Id("Operations").Op(":").Lit(int(b.Operations))
					v.Id("Bytes").Op(":").Lit(int(b.Bytes))
					if len(b.Composites) > 0 {
						v.Id("Composites").Op(":").Index().String().Values(literals(b.Composites)...)
					}
				})
			}
		}))),
	)
	return []File{{Path: dir + "/all.go", Table: table, Content: f}}
}

// StableAPI prints
//
//	func Append(dst []byte, api *options.ServerAPI) []byte {
//		if api == nil {
//			return dst
//		}
//		dst = bson.AppendStringElement(dst, "apiVersion", api.Version)
//		if api.Strict != nil {
//			dst = bson.AppendBooleanElement(dst, "apiStrict", *api.Strict)
//		}
//		return dst
//	}
func StableAPI(m model.StableAPI) []File {
	const table, dir = "stableapi/fields.yaml", "generated/core/stableapi"
	f := newFile(dir, table)
	doc(f, "Append appends the options that declare an API version to a command, none when api is nil.")
	cite(f, `versioned-api/versioned-api.md, "Command Syntax"`)
	f.Func().Id("Append").Params(jen.Id("dst").Index().Byte(), jen.Id("api").Op("*").
		Qual(pkg("generated/options"), "ServerAPI")).Index().Byte().BlockFunc(func(g *jen.Group) {
		g.If(jen.Id("api").Op("==").Nil()).Block(jen.Return(jen.Id("dst")))
		for _, r := range m {
			value := jen.Id("api").Dot(r.Go)
			if r.Type == "string" {
				g.Add(appendElement("AppendStringElement", r.Command, value))
				continue
			}
			g.If(jen.Add(value).Op("!=").Nil()).Block(appendElement("AppendBooleanElement", r.Command, jen.Op("*").Add(value)))
		}
		g.Return(jen.Id("dst"))
	})
	return []File{{Path: dir + "/append.go", Table: table, Content: f}}
}
