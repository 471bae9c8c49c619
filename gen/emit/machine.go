package emit

import (
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Machines prints one file per state machine, the texts that go with them, and a picture next to the table.
func Machines(m *model.Machines) []File {
	dir := "generated/" + m.Package
	var out []File
	for _, machine := range m.Machines {
		f := newFile(dir, m.Table)
		printMachine(f, machine)
		name := "state"
		if machine.Name != "" {
			name = strings.ToLower(machine.Name)
		}
		out = append(out, File{Path: dir + "/" + name + ".go", Table: m.Table, Content: f})
	}
	table := path.Dir(m.Table) + "/messages.yaml"
	f := newFile(dir, table)
	printMessages(f, m.Messages)
	return append(out, File{Path: dir + "/message.go", Table: table, Content: f}, machinePicture(m))
}

// printMachine prints the states, the inputs and
//
//	func NextPool(state PoolState, input PoolInput) (PoolState, error) {
//		if int(state) >= len(poolEdges) || int(input) >= len(poolEdges[state]) {
//			return state, emitted.Error("no such state or input")
//		}
//		e := poolEdges[state][input]
//		if e.err != "" {
//			return state, e.err
//		}
//		return e.to, nil
//	}
func printMachine(f *jen.File, m model.Machine) {
	state, input := m.Name+"State", m.Name+"Input"
	edges := "edges"
	if m.Name != "" {
		edges = strings.ToLower(m.Name) + "Edges"
	}
	f.Line()
	addDoc(f, m.Doc)
	f.Type().Id(state).Uint8().Line()
	printConstants(f, state, machineMembers(m.States))
	printStringer(f, "s", state, "String returns the specification's name of the state.", machineMembers(m.States))
	f.Line()
	addDoc(f, input+" is what may happen to it.")
	f.Type().Id(input).Uint8().Line()
	printConstants(f, input, machineMembers(m.Inputs))
	printStringer(f, "i", input, "String returns the specification's name of the input.", machineMembers(m.Inputs))
	f.Line()
	addDoc(f, "Next"+m.Name+
		" returns the state that follows on an input, or the state as it is and an error when the input is not allowed.")
	addCitation(f, m.Spec)
	f.Func().Id("Next"+m.Name).Params(jen.Id("state").Id(state), jen.Id("input").Id(input)).Params(jen.Id(state), jen.Error()).Block(
		jen.If(jen.Int().Call(jen.Id("state")).Op(">=").Len(jen.Id(edges)).Op("||").Int().Call(jen.Id("input")).Op(">=").
			Len(jen.Id(edges).Index(jen.Id("state")))).Block(
			jen.Return(jen.Id("state"), jen.Qual(emittedPkg, "Error").Call(jen.Lit("there is no such state or input"))),
		),
		jen.Id("e").Op(":=").Id(edges).Index(jen.Id("state")).Index(jen.Id("input")),
		jen.If(jen.Id("e").Dot("err").Op("!=").Lit("")).Block(jen.Return(jen.Id("state"), jen.Id("e").Dot("err"))),
		jen.Return(jen.Id("e").Dot("to"), jen.Nil()),
	)
	f.Line()
	addDoc(f, edges+" has the next state, or the error, per state and input.")
	f.Var().Id(edges).Op("=").Index(jen.Op("...")).Index(jen.Lit(len(m.Inputs))).
		Struct(jen.Id("to").Id(state), jen.Id("err").Qual(emittedPkg, "Error")).Add(rowsOf(func(g *jen.Group) {
		for i, s := range m.States {
			g.Id(s.Name).Op(":").Add(rowsOf(func(g *jen.Group) {
				for _, cell := range m.Cells[i] {
					if cell.Error != "" {
						g.Id(cell.Input).Op(":").Values(jen.Id("err").Op(":").Lit(cell.Error))
					} else {
						g.Id(cell.Input).Op(":").Values(jen.Id("to").Op(":").Id(cell.To))
					}
				}
			}))
		}
	}))
}

func machineMembers(names []model.MachineName) []member {
	var out []member
	for _, n := range names {
		out = append(out, member{Name: n.Name, Doc: n.Doc, Text: n.Text})
	}
	return out
}
