package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Messages prints a table of texts.
func Messages(m *model.Messages) []File {
	dir := "generated/" + m.Package
	f := newFile(dir, m.File)
	printMessages(f, m.Rows)
	return []File{{Path: dir + "/message.go", Table: m.File, Content: f}}
}

// printMessages prints one function per text.
//
//	func ServerTooOld(address string, maxWireVersion int32) string {
//		return "Server at " + address + " reports wire version " + strconv.FormatInt(int64(maxWireVersion), 10)
//	}
func printMessages(f *jen.File, rows []model.Message) {
	for _, m := range rows {
		f.Line()
		addDoc(f, m.Doc)
		addCitation(f, m.Spec)
		types := map[string]string{}
		f.Func().Id(m.Name).ParamsFunc(func(g *jen.Group) {
			for _, p := range m.Parameters {
				types[p.Name] = p.Type
				if p.Type == "time.Duration" {
					g.Id(p.Name).Qual("time", "Duration")
				} else {
					g.Id(p.Name).Id(p.Type)
				}
			}
		}).String().Block(jen.Return(messageText(m, types)))
	}
}

func messageText(m model.Message, types map[string]string) *jen.Statement {
	s := jen.Null()
	first := true
	for i, part := range m.Parts {
		if part == "" {
			continue
		}
		if !first {
			s.Op("+").Line()
		}
		first = false
		switch {
		case i%2 == 0:
			s.Lit(part)
		case types[part] == "string":
			s.Id(part)
		case types[part] == "int":
			s.Qual("strconv", "Itoa").Call(jen.Id(part))
		case types[part] == "time.Duration":
			s.Id(part).Dot("String").Call()
		default:
			s.Qual("strconv", "FormatInt").Call(jen.Int64().Call(jen.Id(part)), jen.Lit(10))
		}
	}
	if first {
		s.Lit("")
	}
	return s
}
