package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

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
	addDoc(f, "Append appends the options that declare an API version to a command, none when api is nil.")
	addCitation(f, `versioned-api/versioned-api.md, "Command Syntax"`)
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
