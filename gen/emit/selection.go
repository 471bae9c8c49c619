package emit

import (
	"path"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Selection prints package core/selecttable.
func Selection(m *model.Selection) []File {
	const table, dir = "selection/rules.yaml", "generated/core/selecttable"
	f := newFile(dir, table)
	printSelectionModes(f, m)
	printSelectionCandidates(f, m)
	printSelectionPassing(f, m)
	return []File{{Path: path.Join(dir, "rule.go"), Table: table, Content: f}}
}

// printSelectionModes prints
//
//	func Steps(mode options.ReadPreferenceMode) []Step {
//		switch mode {
//		case options.Secondary:
//			return secondarySteps
//		}
//		return primarySteps
//	}
func printSelectionModes(f *jen.File, m *model.Selection) {
	addDoc(f, "Step is one set of candidates in a replica set.")
	f.Type().Id("Step").Struct(
		jen.Comment("// Primary and Secondary say whether the primary and the secondaries are candidates."),
		jen.List(jen.Id("Primary"), jen.Id("Secondary")).Bool(),
		jen.Comment("// Filtered says whether staleness and tag sets make candidates ineligible."),
		jen.Id("Filtered").Bool(),
	)
	f.Line()
	addDoc(f, "Steps returns what a read preference mode tries, in order, until a step has a suitable server. The unset mode "+
		"is primary. The slice is shared and must not be changed.")
	addCitation(f, "server selection, \"mode\"")
	mode := func(name string) *jen.Statement { return jen.Qual(pkg("generated/options"), name) }
	f.Func().Id("Steps").Params(jen.Id("mode").Add(mode("ReadPreferenceMode"))).Index().Id("Step").Block(
		jen.If(jen.Int().Call(jen.Id("mode")).Op(">=").Len(jen.Id("steps"))).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Id("steps").Index(jen.Id("mode"))),
	)
	f.Line()
	f.Var().Id("steps").Op("=").Index(jen.Op("...")).Index().Id("Step").Add(rowsOf(func(g *jen.Group) {
		for _, x := range m.Modes {
			if x.Mode == "Primary" {
				g.Lit(0).Op(":").Add(stepValues(x.Steps))
			}
		}
		for _, x := range m.Modes {
			g.Add(mode(x.Mode)).Op(":").Add(stepValues(x.Steps))
		}
	}))
}

func stepValues(steps []model.SelectionStep) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		for _, s := range steps {
			g.ValuesFunc(func(g *jen.Group) {
				for _, field := range []struct {
					name string
					set  bool
				}{{"Primary", s.Primary}, {"Secondary", s.Secondary}, {"Filtered", s.Filtered}} {
					if field.set {
						g.Id(field.name).Op(":").True()
					}
				}
			})
		}
	})
}

// candidateRules maps the words of the table to their constants.
var candidateRules = []struct{ word, name, doc string }{
	{"none", "NoServer", "NoServer is suitable."},
	{"any", "AnyServer", "AnyServer that is available is suitable."},
	{"mode", "ByMode", "ByMode of the read preference."},
	{"primary", "PrimaryServer", "PrimaryServer alone is suitable."},
	{"mongos", "MongosServers", "MongosServers are suitable."},
}

// printSelectionCandidates prints
//
//	func ForRead(t description.TopologyType) Candidates {
//		switch t {
//		case description.Single:
//			return AnyServer
//		}
//		return NoServer
//	}
func printSelectionCandidates(f *jen.File, m *model.Selection) {
	f.Line()
	addDoc(f, "Candidates says which servers of a topology may serve an operation.")
	f.Type().Id("Candidates").Uint8().Line()
	var members []member
	names := map[string]string{}
	for _, r := range candidateRules {
		names[r.word] = r.name
		members = append(members, member{Name: r.name, Doc: r.doc})
	}
	printConstants(f, "Candidates", members)
	candidates := func(name, comment string, rule func(model.SelectionTopology) string) {
		f.Line()
		addDoc(f, comment)
		f.Func().Id(name).Params(jen.Id("t").Add(descriptionConst("TopologyType"))).Id("Candidates").Block(
			jen.Switch(jen.Id("t")).BlockFunc(func(g *jen.Group) {
				for _, r := range m.Topologies {
					if rule(r) != "none" {
						g.Case(descriptionConst(r.Topology)).Block(jen.Return(jen.Id(names[rule(r)])))
					}
				}
			}),
			jen.Return(jen.Id("NoServer")),
		)
	}
	candidates("ForRead", "ForRead returns which servers may serve a read.", func(r model.SelectionTopology) string { return r.Read })
	candidates("ForWrite", "ForWrite returns which servers may serve a write.", func(r model.SelectionTopology) string { return r.Write })
}

// printSelectionPassing prints
//
//	func PassReadPreference(
//		t description.TopologyType, s description.ServerType, mode options.ReadPreferenceMode,
//	) (options.ReadPreferenceMode, bool) {
//		primary := mode == 0 || mode == options.Primary
//		switch t {
//		case description.Single:
//			switch s {
//			case description.RSPrimary:
//				if primary {
//					return options.PrimaryPreferred, true
//				}
//				return mode, true
//			}
//		}
//		return 0, false
//	}
func printSelectionPassing(f *jen.File, m *model.Selection) {
	mode := func(name string) *jen.Statement { return jen.Qual(pkg("generated/options"), name) }
	f.Line()
	addDoc(f, "PassReadPreference returns the mode that a read sends in $readPreference to a server of a type, and whether it sends one.")
	addCitation(f, "server selection, \"Passing read preference to mongos and load balancers\"")
	f.Func().Id("PassReadPreference").Params(
		jen.Id("t").Add(descriptionConst("TopologyType")), jen.Id("s").Add(descriptionConst("ServerType")),
		jen.Id("mode").Add(mode("ReadPreferenceMode")),
	).Params(mode("ReadPreferenceMode"), jen.Bool()).Block(
		jen.Id("primary").Op(":=").Id("mode").Op("==").Lit(0).Op("||").Id("mode").Op("==").Add(mode("Primary")),
		jen.Switch(jen.Id("t")).BlockFunc(func(g *jen.Group) {
			for i, first := range m.Passing {
				if i > 0 && m.Passing[i-1].Topology == first.Topology {
					continue
				}
				g.Case(descriptionConst(first.Topology)).Block(jen.Switch(jen.Id("s")).BlockFunc(func(g *jen.Group) {
					for _, p := range m.Passing {
						if p.Topology == first.Topology {
							g.Case(descriptionConsts(p.Servers)...).BlockFunc(func(g *jen.Group) { printPassingRule(g, p, mode) })
						}
					}
				}))
			}
		}),
		jen.Return(jen.Lit(0), jen.False()),
	)
}

func printPassingRule(g *jen.Group, p model.SelectionPassing, mode func(string) *jen.Statement) {
	g.Comment("// " + p.Doc)
	if p.Send == "always" {
		g.If(jen.Id("primary")).Block(jen.Return(mode("PrimaryPreferred"), jen.True()))
		g.Return(jen.Id("mode"), jen.True())
		return
	}
	g.Return(jen.Id("mode"), jen.Op("!").Id("primary"))
}

func descriptionConsts(names []string) []jen.Code {
	var out []jen.Code
	for _, n := range names {
		out = append(out, descriptionConst(n))
	}
	return out
}
