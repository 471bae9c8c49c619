package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const commandDir = "generated/core/command"

// commandMeta prints
//
//	type Access uint8
//
//	const (
//		// Read is the access of commands that are said to read.
//		Read Access = 1
//	)
//
//	type Retry uint8
//
//	const (
//		RetryNone Retry = 0
//		RetryRead Retry = 1
//	)
//
//	type Meta struct {
//		Command string // name of the command
//		...
//		ReadConcern bool // the command accepts readConcern
//	}
//
// The columns access, retry and accepts decide what there is.
func commandMeta(m *model.Commands) *jen.File {
	f := newFile(commandDir, "commands")
	f.Line()
	addDoc(f, "Access says whether an operation reads or writes.")
	f.Type().Id("Access").Uint8().Line()
	addDoc(f, "The kinds of access.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, access := range m.Accesses {
			g.Id(upperFirst(access)).Id("Access").Op("=").Lit(i + 1)
		}
	})
	f.Line()
	addDoc(f, "Retry says whether an operation may be retried, and which rules apply.")
	f.Type().Id("Retry").Uint8().Line()
	addDoc(f, "The rules of retries.")
	f.Const().DefsFunc(func(g *jen.Group) {
		g.Id("RetryNone").Id("Retry").Op("=").Lit(0)
		for i, retry := range m.Retries {
			g.Id("Retry" + upperFirst(retry)).Id("Retry").Op("=").Lit(i + 1)
		}
	})
	f.Line()
	addDoc(f, "Meta describes an operation.")
	f.Type().Id("Meta").StructFunc(func(g *jen.Group) {
		g.Id("Command").String().Comment("name of the command")
		g.Id("Operation").String().Comment("name of the operation, for traces and errors")
		g.Id("Sequence").String().Comment("identifier of the section of kind 1, or empty")
		g.Id("Access").Id("Access")
		g.Id("Retry").Id("Retry")
		g.Id("ItemOverhead").Int().Comment("how much larger than a document an item of the section may be")
		for _, field := range m.Accepted {
			g.Id(upperFirst(field)).Bool().Comment("the command accepts " + field)
		}
	})
	return f
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
