package emit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// DecisionGroup prints the terms, the steps and one file per decision of a group.
func DecisionGroup(m *model.DecisionGroup) []File {
	dir, table := "generated/"+m.Package, m.Group+"/machine.yaml"
	terms := newFile(dir, table)
	for _, t := range m.Terms {
		printDecisionTerm(terms, t)
	}
	step, rows := newFile(dir, table), newFile(dir, table)
	printDecisionStructs(step, m)
	printDecisionStep(step, m)
	printDecisionRows(rows, m)
	out := []File{
		{Path: path.Join(dir, "term.go"), Table: table, Content: terms},
		{Path: path.Join(dir, "step.go"), Table: table, Content: step},
		{Path: path.Join(dir, "row.go"), Table: table, Content: rows},
	}
	for i, rule := range m.Rules {
		f := newFile(dir, rule.File)
		printDecision(f, i+1, rule)
		out = append(out, File{Path: path.Join(dir, strings.ToLower(rule.Name)+".go"), Table: rule.File, Content: f})
	}
	return append(out, decisionPicture(m))
}

// printDecisionTerm prints an enumeration.
func printDecisionTerm(f *jen.File, t model.Term) {
	f.Line()
	addDoc(f, t.Doc)
	f.Type().Id(t.Name).Uint8().Line()
	printConstants(f, t.Name, termMembers(t))
	printStringer(f, "t", t.Name, "String returns the name of the constant.", termMembers(t))
}

func termMembers(t model.Term) []member {
	var out []member
	for _, m := range t.Members {
		out = append(out, member{Name: m.Name, Doc: m.Doc, Text: m.Name})
	}
	return out
}

// places are the structs of the terms, in the order of the parameters.
var places = []struct{ place, name, param, doc string }{
	{"state", "State", "s", "State is what lasts from one event to the next. The caller fills it before the first one."},
	{"event", "Event", "e", "Event is what has happened."},
	{"verdict", "Verdict", "v", "Verdict is what the caller has to do about an event."},
}

// printDecisionStructs prints State, Event and Verdict, with a field for each of their terms.
//
//	type State struct {
//		Role Role
//	}
func printDecisionStructs(f *jen.File, m *model.DecisionGroup) {
	for _, p := range places {
		f.Line()
		addDoc(f, p.doc)
		f.Type().Id(p.name).StructFunc(func(g *jen.Group) {
			for _, t := range m.Terms {
				if t.Place == p.place {
					g.Id(t.Name).Id(t.Name)
				}
			}
			if p.place == "verdict" {
				g.Comment("// Rows holds the row that made each decision, in the order of the decisions; 0 where none was asked.")
				g.Id("Rows").Index(jen.Lit(len(m.Rules))).Id("Row")
			}
		})
	}
}

// printDecisionRows prints the names of the rows, for people who ask why something was done.
//
//	func (r Row) String() string {
//		switch r {
//		case PolicyOfCommit:
//			return "policy: OfCommit"
//		}
//		return ""
//	}
func printDecisionRows(f *jen.File, m *model.DecisionGroup) {
	f.Line()
	addDoc(f, "Row is a row of a decision.")
	f.Type().Id("Row").Uint16()
	f.Line()
	addDoc(f, "Rows lists the rows of all decisions, for tests that want each to matter.")
	f.Func().Id("Rows").Params().Index().Id("Row").Block(jen.Return(jen.Index().Id("Row").Add(rowsOf(func(g *jen.Group) {
		for _, rule := range m.Rules {
			for _, r := range rule.Rows {
				g.Id(rowConstant(rule, r))
			}
		}
	}))))
	text := func(name, comment string, of func(model.Decision, model.DecisionRow) string) {
		f.Line()
		addDoc(f, comment)
		f.Func().Params(jen.Id("r").Id("Row")).Id(name).Params().String().Block(
			jen.Switch(jen.Id("r")).BlockFunc(func(g *jen.Group) {
				for _, rule := range m.Rules {
					for _, r := range rule.Rows {
						g.Case(jen.Id(rowConstant(rule, r))).Block(jen.Return(jen.Lit(of(rule, r))))
					}
				}
			}),
			jen.Return(jen.Lit("")),
		)
	}
	text("String", "String returns the decision and the name of the row.",
		func(rule model.Decision, r model.DecisionRow) string { return rule.Name + ": " + r.Name })
	text("Reason", "Reason returns what the row says.",
		func(_ model.Decision, r model.DecisionRow) string { return r.Doc })
}

func rowConstant(rule model.Decision, r model.DecisionRow) string {
	return strings.ToUpper(rule.Name[:1]) + rule.Name[1:] + r.Name
}

// printDecisionStep prints
//
//	func Step(s State, e Event) (State, Verdict) {
//		var v Verdict
//		s.Advance(&e, &v)
//		return s, v
//	}
//
//	func (s *State) Advance(e *Event, v *Verdict) {
//		switch e.What {
//		case Begun:
//			v.Rows[0] = policy(s, e, v)
//		}
//	}
func printDecisionStep(f *jen.File, m *model.DecisionGroup) {
	event := m.Terms[slices.IndexFunc(m.Terms, func(t model.Term) bool { return t.Place == "event" })].Name
	f.Line()
	addDoc(f, "Step returns the state after an event, and what to do now. It depends on nothing but its arguments.")
	f.Func().Id("Step").Params(jen.Id("s").Id("State"), jen.Id("e").Id("Event")).Params(jen.Id("State"), jen.Id("Verdict")).Block(
		jen.Var().Id("v").Id("Verdict"),
		jen.Id("s").Dot("Advance").Call(jen.Op("&").Id("e"), jen.Op("&").Id("v")),
		jen.Return(jen.Id("s"), jen.Id("v")),
	)
	f.Line()
	addDoc(f, "Advance is Step in place, for callers that copy nothing: it changes s, and fills in a verdict that is empty.")
	pointer := func(param, to string) *jen.Statement { return jen.Id(param).Op("*").Id(to) }
	f.Func().Params(pointer("s", "State")).Id("Advance").Params(pointer("e", "Event"), pointer("v", "Verdict")).Block(
		jen.Switch(jen.Id("e").Dot(event)).BlockFunc(func(g *jen.Group) {
			for _, s := range m.Steps {
				g.Case(jen.Id(s.On)).BlockFunc(func(g *jen.Group) {
					addDocIn(g, s.Doc)
					for _, ask := range s.Asks {
						i := slices.IndexFunc(m.Rules, func(r model.Decision) bool { return r.Name == ask })
						g.Id("v").Dot("Rows").Index(jen.Lit(i)).Op("=").Id(ask).CallFunc(func(g *jen.Group) {
							for _, p := range decisionParams(m.Rules[i]) {
								g.Id(p)
							}
						})
					}
				})
			}
		}),
	)
}

// decisionParams lists the structs that a decision reads or changes.
func decisionParams(rule model.Decision) []string {
	var out []string
	for _, p := range places {
		if slices.ContainsFunc(slices.Concat(rule.Asks, rule.Gives), func(t model.Term) bool { return t.Place == p.place }) {
			out = append(out, p.param)
		}
	}
	return out
}

// printDecision prints the rows of a decision and
//
//	func policy(s *State) Row {
//		switch {
//		case s.Role == Commit || s.Role == Abort:
//			s.Policy = AsWrite
//			return PolicyOfCommit
//		}
//		...
//	}
func printDecision(f *jen.File, number int, rule model.Decision) {
	addDoc(f, "The rows of "+rule.Name+".")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, r := range rule.Rows {
			addDocIn(g, rowConstant(rule, r)+": "+r.Doc)
			s := g.Id(rowConstant(rule, r))
			if i == 0 {
				s.Id("Row").Op("=").Iota().Op("+").Lit(number).Op("<<").Lit(8)
			}
		}
	})
	f.Line()
	addDoc(f, rule.Doc)
	addCitation(f, rule.Spec)
	f.Func().Id(rule.Name).ParamsFunc(func(g *jen.Group) {
		for _, p := range places {
			if slices.Contains(decisionParams(rule), p.param) {
				g.Id(p.param).Op("*").Id(p.name)
			}
		}
	}).Id("Row").BlockFunc(func(g *jen.Group) {
		last := len(rule.Rows) - 1
		g.Switch().BlockFunc(func(g *jen.Group) {
			for _, r := range rule.Rows[:last] {
				g.Case(decisionCondition(rule, r)).BlockFunc(func(g *jen.Group) { printDecisionOutcome(g, rule, r) })
			}
		})
		printDecisionOutcome(g, rule, rule.Rows[last])
	})
}

func printDecisionOutcome(g *jen.Group, rule model.Decision, r model.DecisionRow) {
	for i, t := range rule.Gives {
		g.Add(termField(t)).Op("=").Id(t.Members[r.Then[i]].Name)
	}
	g.Return(jen.Id(rowConstant(rule, r)))
}

// termField is the field that holds a term, as in s.Role.
func termField(t model.Term) *jen.Statement {
	i := slices.IndexFunc(places, func(p struct{ place, name, param, doc string }) bool { return p.place == t.Place })
	return jen.Id(places[i].param).Dot(t.Name)
}

// decisionCondition joins the columns of a row. Where a column allows more than half of the values, the condition names
// the others.
func decisionCondition(rule model.Decision, r model.DecisionRow) *jen.Statement {
	var all []*jen.Statement
	var open []bool // whether a condition has alternatives, which need parentheses next to others
	for i, values := range r.When {
		if values == nil {
			continue
		}
		term := rule.Asks[i]
		op, joint, named := "==", "||", values
		if 2*len(values) > len(term.Members) {
			op, joint, named = "!=", "&&", nil
			for j := range term.Members {
				if !slices.Contains(values, j) {
					named = append(named, j)
				}
			}
		}
		var one []*jen.Statement
		for _, j := range named {
			one = append(one, jen.Add(termField(term)).Op(op).Id(term.Members[j].Name))
		}
		all = append(all, join(one, joint))
		open = append(open, joint == "||" && len(one) > 1)
	}
	for i := range all {
		if open[i] && len(all) > 1 {
			all[i] = jen.Parens(all[i])
		}
	}
	return join(all, "&&")
}

func join(list []*jen.Statement, op string) *jen.Statement {
	out := jen.Add(list[0])
	for _, s := range list[1:] {
		out.Op(op).Add(s)
	}
	return out
}

// decisionPicture draws what each event may lead to. The decisions themselves are in REFERENCE.md.
func decisionPicture(m *model.DecisionGroup) File {
	table := m.Group + "/machine.yaml"
	var b strings.Builder
	b.WriteString(pictureHeader(table, m.Title))
	b.WriteString("\n" + m.Doc + " [REFERENCE.md](../REFERENCE.md) prints the decisions.\n\n```mermaid\nflowchart LR\n")
	for _, e := range m.Edges {
		fmt.Fprintf(&b, "    %s([%s]) -->|%s| do%s[%s]\n", e.On, e.On, e.Row, e.Do, e.Do)
	}
	b.WriteString("```\n")
	return File{Path: "specs/" + m.Group + "/machine.md", Table: table, Content: Text(b.String())}
}
