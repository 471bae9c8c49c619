package emit

import (
	"github.com/dave/jennifer/jen"
	"slices"

	"github.com/specdrivers/onion/gen/model"
)

const sdamDir = "generated/core/sdamtable"

// SDAM prints package core/sdamtable.
func SDAM(m *model.SDAM) []File {
	return []File{initialTopology(m), helloClassification(m), replyFieldNames(m), transitionTable(m), serverErrors(m),
		serverMessages(m), topologyPicture(m)}
}

// descriptionConst names a constant of package description.
func descriptionConst(name string) *jen.Statement {
	return jen.Qual(pkg("generated/description"), name)
}

// initialTopology prints InitialTopology and the two rules per topology type.
//
//	func InitialTopology(loadBalanced, directConnection, replicaSet bool) description.TopologyType {
//		switch {
//		case loadBalanced:
//			return description.LoadBalanced
//		}
//		return description.TopologyUnknown
//	}
func initialTopology(m *model.SDAM) File {
	const table = "server/types.yaml"
	f := newFile(sdamDir, table)
	addDoc(f, "InitialTopology returns the type that a client's topology begins with.")
	addCitation(f, "SDAM, \"Initial TopologyType\"")
	f.Func().Id("InitialTopology").Params(jen.List(jen.Id("loadBalanced"), jen.Id("directConnection"),
		jen.Id("replicaSet")).Bool()).Add(descriptionConst("TopologyType")).Block(
		jen.Switch().BlockFunc(func(g *jen.Group) {
			for _, r := range m.Initial {
				g.Case(initialCondition(r)).Block(jen.Return(descriptionConst(r.Topology)))
			}
		}),
		jen.Return(descriptionConst("TopologyUnknown")),
	)
	f.Line()
	addDoc(f, "Rule says when a topology has a server for an operation.")
	f.Type().Id("Rule").Uint8().Line()
	printConstants(f, "Rule", []member{
		{Name: "Never", Doc: "Never has one."},
		{Name: "Always", Doc: "Always has one."},
		{Name: "IfAvailable", Doc: "IfAvailable has one when any server is available."},
		{Name: "ByPreference", Doc: "ByPreference has one when the read preference finds one."},
	})
	printTopologyRule(f, m, "Readable", "Readable returns when a topology has a readable server.",
		func(t model.TopologyType) string { return t.Readable })
	printTopologyRule(f, m, "Writable", "Writable returns when a topology has a writable server.",
		func(t model.TopologyType) string { return t.Writable })
	return File{Path: sdamDir + "/type.go", Table: table, Content: f}
}

func initialCondition(r model.InitialTopology) *jen.Statement {
	is := func(name string, want bool) *jen.Statement {
		if want {
			return jen.Id(name)
		}
		return jen.Op("!").Id(name)
	}
	s := is("loadBalanced", r.LoadBalanced)
	if r.DirectConnection != nil {
		s.Op("&&").Add(is("directConnection", *r.DirectConnection))
	}
	if r.ReplicaSet != nil {
		s.Op("&&").Add(is("replicaSet", *r.ReplicaSet))
	}
	return s
}

// printTopologyRule prints
//
//	func Readable(t description.TopologyType) Rule {
//		switch t {
//		case description.Single:
//			return IfAvailable
//		}
//		return Never
//	}
func printTopologyRule(f *jen.File, m *model.SDAM, name, comment string, rule func(model.TopologyType) string) {
	rules := map[string]string{"always": "Always", "available": "IfAvailable", "preference": "ByPreference"}
	f.Line()
	addDoc(f, comment)
	addCitation(f, "server-discovery-and-monitoring/server-discovery-and-monitoring-logging-and-monitoring.md, \"Determining If A "+
		"Topology Has Readable/Writable Servers\"")
	f.Func().Id(name).Params(jen.Id("t").Add(descriptionConst("TopologyType"))).Id("Rule").Block(
		jen.Switch(jen.Id("t")).BlockFunc(func(g *jen.Group) {
			for _, t := range m.Types.Topologies {
				if r, ok := rules[rule(t)]; ok {
					g.Case(descriptionConst(t.Name)).Block(jen.Return(jen.Id(r)))
				}
			}
		}),
		jen.Return(jen.Id("Never")),
	)
}

// helloClassification prints
//
//	func Classify(h *Hello) description.ServerType {
//		switch {
//		case h.SetName != "" && h.Hidden:
//			return description.RSOther
//		}
//		return description.Standalone
//	}
func helloClassification(m *model.SDAM) File {
	const table = "server/hello.yaml"
	f := newFile(sdamDir, table)
	addDoc(f, "Hello is what the classification of a server reads of its hello reply.")
	f.Type().Id("Hello").StructFunc(func(g *jen.Group) {
		for _, fact := range m.Facts {
			addDocIn(g, fact.Doc+replyFields(fact.Fields))
			if fact.Text {
				g.Id(fact.Name).String()
			} else {
				g.Id(fact.Name).Bool()
			}
		}
	})
	printReadHello(f, m)
	f.Line()
	addDoc(f, "Classify returns the type of the server that sent a reply.")
	addCitation(f, "SDAM, \"type\"")
	rows := m.Rows
	f.Func().Id("Classify").Params(jen.Id("h").Op("*").Id("Hello")).Add(descriptionConst("ServerType")).BlockFunc(func(g *jen.Group) {
		g.Switch().BlockFunc(func(g *jen.Group) {
			for _, r := range rows[:len(rows)-1] {
				g.Case(helloCondition(r)).Block(jen.Comment("// "+r.Doc), jen.Return(descriptionConst(r.Type)))
			}
		})
		g.Comment("// " + rows[len(rows)-1].Doc)
		g.Return(descriptionConst(rows[len(rows)-1].Type))
	})
	return File{Path: sdamDir + "/hello.go", Table: table, Content: f}
}

// printReadHello prints
//
//	func ReadHello(reply bson.Raw) Hello {
//		var h Hello
//		for key, v := range reply.All() {
//			switch key {
//			case "ok":
//				h.OK, _ = v.AsBoolOK()
//			}
//		}
//		if v := reply.Lookup("ismaster"); !v.IsZero() {
//			h.IsWritablePrimary, _ = v.AsBoolOK()
//		}
//		return h
//	}
func printReadHello(f *jen.File, m *model.SDAM) {
	f.Line()
	addDoc(f, "ReadHello reads the facts of a reply. Of the fields that stand for one fact, the first counts. The texts are copies.")
	f.Func().Id("ReadHello").Params(jen.Id("reply").Qual(pkg("bson"), "Raw")).Id("Hello").BlockFunc(func(g *jen.Group) {
		g.Var().Id("h").Id("Hello")
		g.For(jen.List(jen.Id("key"), jen.Id("v")).Op(":=").Range().Id("reply").Dot("All").Call()).Block(
			jen.Switch(jen.Id("key")).BlockFunc(func(g *jen.Group) {
				for _, fact := range m.Facts {
					if len(fact.Fields) == 1 {
						g.Case(jen.Lit(fact.Fields[0])).Block(readFact(fact))
					}
				}
			}),
		)
		for _, fact := range m.Facts {
			for i := len(fact.Fields) - 1; i >= 0 && len(fact.Fields) > 1; i-- {
				g.If(jen.Id("v").Op(":=").Id("reply").Dot("Lookup").Call(jen.Lit(fact.Fields[i])),
					jen.Op("!").Id("v").Dot("IsZero").Call()).Block(readFact(fact))
			}
		}
		g.Return(jen.Id("h"))
	})
}

func readFact(fact model.HelloFact) jen.Code {
	if fact.Text {
		return jen.If(jen.List(jen.Id("s"), jen.Id("ok")).Op(":=").Id("v").Dot("StringOK").Call(), jen.Id("ok")).Block(
			jen.Id("h").Dot(fact.Name).Op("=").Qual("strings", "Clone").Call(jen.Id("s")))
	}
	return jen.List(jen.Id("h").Dot(fact.Name), jen.Id("_")).Op("=").Id("v").Dot("AsBoolOK").Call()
}

// replyFieldNames prints the names of the reply fields that a description shows.
func replyFieldNames(m *model.SDAM) File {
	const table = "server/description.yaml"
	f := newFile(sdamDir, table)
	addDoc(f, "Fields of a reply to hello that a description shows.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, field := range slices.Concat(m.Types.Server, m.Types.Version) {
			if field.Reply {
				g.Id("Field" + field.Name).Op("=").Lit(field.Field)
			}
		}
	})
	return File{Path: sdamDir + "/field.go", Table: table, Content: f}
}

func replyFields(fields []string) string {
	switch len(fields) {
	case 0:
		return ""
	case 1:
		return " Reply field: " + fields[0] + "."
	}
	text := " Reply fields: " + fields[0]
	for _, f := range fields[1:] {
		text += " or " + f
	}
	return text + "."
}

func helloCondition(r model.HelloRow) *jen.Statement {
	s := jen.Null()
	for i, c := range r.Conditions {
		if i > 0 {
			s.Op("&&")
		}
		fact := jen.Id("h").Dot(c.Fact)
		switch {
		case c.Present:
			s.Add(fact).Op("!=").Lit("")
		case c.Value == true:
			s.Add(fact)
		case c.Value == false:
			s.Op("!").Add(fact)
		default:
			s.Add(fact).Op("==").Lit(c.Value)
		}
	}
	return s
}

// transitionTable prints the actions and
//
//	var transitions = [...][10][]Action{
//		description.Sharded: {
//			description.Standalone: {Remove},
//		},
//	}
func transitionTable(m *model.SDAM) File {
	const table = "server/transitions.yaml"
	f := newFile(sdamDir, table)
	addDoc(f, "Action is one step that a client takes after it has replaced the description of a server.")
	f.Type().Id("Action").Uint8().Line()
	actions := []member{{Name: "NoOp", Doc: "NoOp does nothing.", Text: "NoOp"}}
	for _, a := range m.Actions {
		actions = append(actions, member{Name: a.Name, Doc: a.Doc, Text: a.Name})
	}
	printConstants(f, "Action", actions)
	printStringer(f, "a", "Action", "String returns the name of the action.", actions)
	f.Line()
	addDoc(f, "Transition returns what to do, in order, for a topology of a type whose server has just been found to be of a "+
		"type. The slice is shared and must not be changed; an empty one is no-op.")
	addCitation(f, "SDAM, \"TopologyType table\"")
	f.Func().Id("Transition").Params(jen.Id("t").Add(descriptionConst("TopologyType")), jen.Id("s").Add(descriptionConst("ServerType"))).
		Index().Id("Action").Block(
		jen.If(jen.Int().Call(jen.Id("t")).Op(">=").Len(jen.Id("transitions")).Op("||").Int().Call(jen.Id("s")).Op(">=").
			Len(jen.Id("transitions").Index(jen.Id("t")))).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("transitions").Index(jen.Id("t")).Index(jen.Id("s"))),
	)
	f.Line()
	f.Var().Id("transitions").Op("=").Index(jen.Op("...")).Index(jen.Lit(len(m.Types.Servers))).Index().Id("Action").
		Add(rowsOf(func(g *jen.Group) {
			for i, topology := range m.Types.Topologies {
				g.Add(descriptionConst(topology.Name)).Op(":").Add(rowsOf(func(g *jen.Group) {
					for _, cell := range m.Cells[i] {
						g.Add(descriptionConst(cell.Server)).Op(":").ValuesFunc(func(g *jen.Group) {
							for _, a := range cell.Actions {
								g.Id(a)
							}
						})
					}
				}))
			}
		}))
	return File{Path: sdamDir + "/transition.go", Table: table, Content: f}
}

// serverErrors prints the enumerations and
//
//	var errorEffects = [...][7]struct{ monitored, loadBalanced Effect }{
//		AfterHandshake: {
//			Network: {MarkUnknown | ClearPool, ClearPool},
//		},
//	}
func serverErrors(m *model.SDAM) File {
	const table = "server/errors.yaml"
	f := newFile(sdamDir, table)
	addDoc(f, "Cause is what kind of error a connection met.")
	f.Type().Id("Cause").Uint8().Line()
	causes := namedMembers(m.Errors.Causes)
	printConstants(f, "Cause", causes)
	printStringer(f, "c", "Cause", "String returns the name of the cause.", causes)
	f.Line()
	addDoc(f, "Phase is how far the connection had come.")
	f.Type().Id("Phase").Uint8().Line()
	printConstants(f, "Phase", namedMembers(m.Errors.Phases))
	f.Line()
	addDoc(f, "Effect is a set of consequences for the server.")
	f.Type().Id("Effect").Uint8().Line()
	effects := namedMembers(m.Errors.Effects)
	for i := range effects {
		effects[i].Value = jen.Lit(1).Op("<<").Lit(i)
	}
	printConstants(f, "Effect", effects)
	f.Line()
	addDoc(f, "Effects returns what an error does to the description and the pool of its server. Errors of an older "+
		"generation or topologyVersion are to be ignored before.")
	addCitation(f, "SDAM, \"Error handling pseudocode\"")
	parameters := []jen.Code{jen.Id("phase").Id("Phase"), jen.Id("cause").Id("Cause"), jen.Id("loadBalanced").Bool()}
	f.Func().Id("Effects").Params(parameters...).Id("Effect").Block(
		jen.If(jen.Int().Call(jen.Id("phase")).Op(">=").Len(jen.Id("errorEffects")).Op("||").Int().Call(jen.Id("cause")).
			Op(">=").Len(jen.Id("errorEffects").Index(jen.Id("phase")))).Block(jen.Return(jen.Lit(0))),
		jen.If(jen.Id("loadBalanced")).Block(jen.Return(jen.Id("errorEffects").Index(jen.Id("phase")).Index(jen.Id("cause")).
			Dot("loadBalanced"))),
		jen.Return(jen.Id("errorEffects").Index(jen.Id("phase")).Index(jen.Id("cause")).Dot("monitored")),
	)
	f.Line()
	f.Var().Id("errorEffects").Op("=").Index(jen.Op("...")).Index(jen.Lit(len(causes))).
		Struct(jen.List(jen.Id("monitored"), jen.Id("loadBalanced")).Id("Effect")).Add(rowsOf(func(g *jen.Group) {
		for i, phase := range m.Errors.Phases {
			g.Id(phase.Name).Op(":").Add(rowsOf(func(g *jen.Group) {
				for _, cell := range m.Errors.Rows[i] {
					g.Id(cell.Cause).Op(":").Values(joinBits(cell.Effects), joinBits(cell.LoadBalanced))
				}
			}))
		}
	}))
	return File{Path: sdamDir + "/error.go", Table: table, Content: f}
}

func namedMembers(rows []model.Named) []member {
	var out []member
	for _, r := range rows {
		out = append(out, member{Name: r.Name, Doc: r.Doc, Text: r.Name})
	}
	return out
}

// joinBits joins names with |. Without names it returns 0.
func joinBits(names []string) *jen.Statement {
	if len(names) == 0 {
		return jen.Lit(0)
	}
	s := jen.Id(names[0])
	for _, n := range names[1:] {
		s.Op("|").Id(n)
	}
	return s
}

func serverMessages(m *model.SDAM) File {
	const table = "server/messages.yaml"
	f := newFile(sdamDir, table)
	printMessages(f, m.Messages)
	return File{Path: sdamDir + "/message.go", Table: table, Content: f}
}
