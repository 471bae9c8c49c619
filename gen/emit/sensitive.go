package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// SensitiveCommands prints
//
//	func Sensitive(command string, speculative bool) bool {
//		switch command {
//		case "authenticate":
//			return true
//		case "hello":
//			return speculative
//		}
//		return false
//	}
func SensitiveCommands(m *model.SensitiveCommands) []File {
	const table = "logs/sensitive.yaml"
	f := newFile(logDir, table)
	doc(f, "Sensitive reports whether a command must not be shown, in events, log messages or traces. speculative says "+
		"whether its body has speculativeAuthenticate.")
	f.Func().Id("Sensitive").Params(jen.Id("command").String(), jen.Id("speculative").Bool()).Bool().Block(
		jen.Switch(jen.Id("command")).BlockFunc(func(g *jen.Group) {
			if len(m.Always) > 0 {
				g.Case(literals(m.Always)...).Block(jen.Return(jen.True()))
			}
			if len(m.Speculative) > 0 {
				g.Case(literals(m.Speculative)...).Block(jen.Return(jen.Id("speculative")))
			}
		}),
		jen.Return(jen.False()),
	)
	return []File{{Path: logDir + "/sensitive.go", Table: table, Content: f}}
}

func literals(texts []string) []jen.Code {
	var out []jen.Code
	for _, t := range texts {
		out = append(out, jen.Lit(t))
	}
	return out
}
