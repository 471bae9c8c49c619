package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// SensitiveCommands prints
//
//	func Sensitive(command string, speculative bool) bool {
//		is := func(name string) bool { return strings.EqualFold(command, name) }
//		switch {
//		case is("authenticate"):
//			return true
//		case is("hello"):
//			return speculative
//		}
//		return false
//	}
func SensitiveCommands(m *model.SensitiveCommands) []File {
	const table = "logs/sensitive.yaml"
	f := newFile(logDir, table)
	addDoc(f, "Sensitive reports whether a command must not be shown, in events, log messages or traces. speculative says "+
		"whether its body has speculativeAuthenticate. The case of letters does not count.")
	f.Func().Id("Sensitive").Params(jen.Id("command").String(), jen.Id("speculative").Bool()).Bool().Block(
		jen.Id("is").Op(":=").Func().Params(jen.Id("name").String()).Bool().Block(
			jen.Return(jen.Qual("strings", "EqualFold").Call(jen.Id("command"), jen.Id("name"))),
		),
		jen.Switch().BlockFunc(func(g *jen.Group) {
			if len(m.Always) > 0 {
				g.Case(nameTests(m.Always)...).Block(jen.Return(jen.True()))
			}
			if len(m.Speculative) > 0 {
				g.Case(nameTests(m.Speculative)...).Block(jen.Return(jen.Id("speculative")))
			}
		}),
		jen.Return(jen.False()),
	)
	return []File{{Path: logDir + "/sensitive.go", Table: table, Content: f}}
}

// nameTests returns the call is("authenticate") for each name.
func nameTests(names []string) []jen.Code {
	var out []jen.Code
	for _, name := range names {
		out = append(out, jen.Id("is").Call(jen.Lit(name)))
	}
	return out
}
