package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// logStruct prints a struct of shared keys, and a method for each event that has them as fields.
//
//	type CommandKeys struct {
//		// The name of the command.
//		CommandName string
//	}
//
//	func (k *CommandKeys) CommandStartedEvent() *event.CommandStarted {
//		return &event.CommandStarted{
//			CommandName: k.CommandName,
//		}
//	}
func logStruct(s *model.LogStruct) File {
	const table = "logs/keys.yaml"
	f := newFile(logDir, table)
	addDoc(f, s.Doc)
	addCitation(f, s.Spec)
	f.Type().Id(s.Name).StructFunc(func(g *jen.Group) {
		for _, k := range s.Keys {
			addDocIn(g, k.Doc)
			g.Id(k.Name).Add(eventType(k.Kind))
		}
	})
	for _, e := range s.Events {
		f.Line()
		addDoc(f, e.Upstream+" returns a new event with the fields that k holds. The caller sets the others.")
		result := jen.Qual(pkg("generated/event"), e.Name)
		f.Func().Params(jen.Id("k").Op("*").Id(s.Name)).Id(e.Upstream).Params().Op("*").Add(result).Block(
			jen.Return(jen.Op("&").Add(result).Add(rowsOf(func(g *jen.Group) {
				for _, name := range e.Fields {
					g.Id(name).Op(":").Id("k").Dot(name)
				}
			}))),
		)
	}
	return File{Path: logDir + "/" + snakeCase(s.Name) + ".go", Table: table, Content: f}
}
