package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const analysisDir = "generated/core/analysis"

// Analysis prints the rules of query analysis.
func Analysis(m *model.Analysis) []File {
	return []File{
		{Path: analysisDir + "/command.go", Table: "encryption/commands.yaml", Content: analysisCommands(m)},
		{Path: analysisDir + "/match.go", Table: "encryption/match.yaml", Content: analysisMatch(m)},
		{Path: analysisDir + "/update.go", Table: "encryption/update.yaml", Content: analysisUpdate(m)},
		{Path: analysisDir + "/stage.go", Table: "encryption/stages.yaml", Content: analysisStages(m)},
		{Path: analysisDir + "/expression.go", Table: "encryption/expressions.yaml", Content: analysisExpressions(m)},
		{Path: analysisDir + "/type.go", Table: "encryption/types.yaml", Content: analysisTypes(m)},
	}
}

// lookup prints a function from a name to what its row says. Rows that say the same share a case:
//
//	func OfStage(name string, qe bool) Stage {
//		switch name {
//		case "$addFields", "$set":
//			return StageAddFields
//		}
//		return 0
//	}
type lookup struct {
	order []string
	names map[string][]string
	code  map[string]jen.Code
}

func (l *lookup) add(key, name string, code jen.Code) {
	if l.names == nil {
		l.names, l.code = map[string][]string{}, map[string]jen.Code{}
	}
	if _, ok := l.names[key]; !ok {
		l.order = append(l.order, key)
		l.code[key] = code
	}
	l.names[key] = append(l.names[key], name)
}

// cases prints the switch over the expression on.
func (l *lookup) cases(on string) jen.Code {
	return jen.Switch(jen.Id(on)).BlockFunc(func(g *jen.Group) {
		for _, key := range l.order {
			g.CaseFunc(func(g *jen.Group) {
				for _, name := range l.names[key] {
					g.Lit(name)
				}
			}).Block(l.code[key])
		}
	})
}

// printLookupFunc prints a function that maps a name to a constant.
func printLookupFunc(f *jen.File, function, about, typ string, l *lookup) {
	addDoc(f, function+" "+about)
	f.Func().Id(function).Params(jen.Id("name").String()).Id(typ).Block(l.cases("name"), jen.Return(jen.Lit(0)))
	f.Line()
}

// analysisCommands prints
//
//	func OfCommand(name string) (Class, Information) {
//		switch name {
//		case "aggregate", "count":
//			return ClassAnalyze, InformationMarked
//		}
//		return 0, 0
//	}
//
//	func OfArgument(command, name string) Argument {
//		switch command {
//		case "count":
//			switch name {
//			case "query":
//				return ArgumentFilter
//			}
//		}
//		return everywhere(name)
//	}
func analysisCommands(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/commands.yaml")
	var classes lookup
	for _, c := range m.Commands {
		classes.add(c.Class+c.Information, c.Name, jen.Return(jen.Id("Class"+c.Class), jen.Id("Information"+c.Information)))
	}
	addDoc(f, "OfCommand returns what automatic encryption does with a command, and where the command carries "+
		"encryptionInformation. The class of an unknown command is 0: it is refused.")
	f.Func().Id("OfCommand").Params(jen.Id("name").String()).Params(jen.Id("Class"), jen.Id("Information")).Block(
		classes.cases("name"), jen.Return(jen.Lit(0), jen.Lit(0)))
	f.Line()
	addDoc(f, "OfArgument returns the rule for an argument of a command or statement.")
	f.Func().Id("OfArgument").Params(jen.List(jen.Id("command"), jen.Id("name")).String()).Id("Argument").Block(
		jen.Switch(jen.Id("command")).BlockFunc(func(g *jen.Group) {
			for _, c := range m.Commands {
				if len(c.Arguments) == 0 {
					continue
				}
				var rules lookup
				for _, a := range c.Arguments {
					rules.add(a.Rule, a.Name, jen.Return(jen.Id("Argument"+a.Rule)))
				}
				g.Case(jen.Lit(c.Name)).Block(rules.cases("name"))
			}
		}),
		jen.Return(jen.Id("everywhere").Call(jen.Id("name"))),
	)
	f.Line()
	var all lookup
	for _, name := range m.Everywhere {
		all.add("", name, jen.Return(jen.Id("ArgumentPass")))
	}
	printLookupFunc(f, "everywhere", "is the rule for what any command may have.", "Argument", &all)
	printAnalysisDefaults(f, m)
	return f
}

// printAnalysisDefaults prints
//
//	func DefaultsOf(command string) []Default {
//		switch command {
//		case "explain":
//			return []Default{{"verbosity", "allPlansExecution"}}
//		}
//		return nil
//	}
//
//	func ForgetsOf(command string) Forgets {
//		switch command {
//		case "drop":
//			return ForgetsCollection
//		}
//		return 0
//	}
func printAnalysisDefaults(f *jen.File, m *model.Analysis) {
	var defaults, forgets lookup
	for _, c := range m.Commands {
		var list []jen.Code
		key := ""
		for _, d := range c.Defaults {
			list = append(list, jen.Values(jen.Lit(d.Name), jen.Lit(d.Text)))
			key += d.Name + " " + d.Text + " "
		}
		if len(list) > 0 {
			defaults.add(key, c.Name, jen.Return(jen.Index().Id("Default").Values(list...)))
		}
		if c.Forgets != "" {
			forgets.add(c.Forgets, c.Name, jen.Return(jen.Id("Forgets"+c.Forgets)))
		}
	}
	addDoc(f, "DefaultsOf returns what analysis adds to a command or statement that leaves it out.")
	f.Func().Id("DefaultsOf").Params(jen.Id("command").String()).Index().Id("Default").Block(
		defaults.cases("command"), jen.Return(jen.Nil()))
	f.Line()
	printLookupFunc(f, "ForgetsOf", "returns what is no longer known about collections after a command.", "Forgets", &forgets)
}

// analysisMatch prints
//
//	func OfMatch(name string) (MatchOperator, bool) {
//		switch name {
//		case "$eq", "$ne":
//			return MatchOperator{PlacePath, false, [8]Match{MatchPass, ...}}, true
//		}
//		return MatchOperator{}, false
//	}
func analysisMatch(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/match.yaml")
	var rules lookup
	for _, o := range m.Match {
		key := o.Place
		var on []jen.Code
		for _, r := range o.Rules {
			key += " " + r
			on = append(on, jen.Id("Match"+r))
		}
		if o.Part {
			key += " part"
		}
		rules.add(key, o.Name, jen.Return(jen.Id("MatchOperator").Values(jen.Id("Place"+o.Place), jen.Lit(o.Part),
			jen.Index(jen.Lit(len(on))).Id("Match").Values(on...)), jen.True()))
	}
	addDoc(f, "OfMatch returns the rules of a match operator, and whether it is known.")
	f.Func().Id("OfMatch").Params(jen.Id("name").String()).Params(jen.Id("MatchOperator"), jen.Bool()).Block(
		rules.cases("name"), jen.Return(jen.Id("MatchOperator").Values(), jen.False()))
	return f
}

// analysisUpdate prints
//
//	func OfUpdate(name string) (UpdateOperator, bool) {
//		switch name {
//		case "$inc":
//			return UpdateOperator{"$mul", UpdatePass, UpdateRefuse, UpdateRefuse}, true
//		}
//		return UpdateOperator{}, false
//	}
func analysisUpdate(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/update.yaml")
	var rules lookup
	for _, o := range m.Update {
		rules.add(o.With+" "+o.Plain+" "+o.Prefix+" "+o.Encrypted, o.Name, jen.Return(jen.Id("UpdateOperator").Values(
			jen.Lit(o.With), jen.Id("Update"+o.Plain), jen.Id("Update"+o.Prefix), jen.Id("Update"+o.Encrypted)), jen.True()))
	}
	addDoc(f, "OfUpdate returns the rules of an update operator, and whether it is known.")
	f.Func().Id("OfUpdate").Params(jen.Id("name").String()).Params(jen.Id("UpdateOperator"), jen.Bool()).Block(
		rules.cases("name"), jen.Return(jen.Id("UpdateOperator").Values(), jen.False()))
	return f
}

// printModes prints a function that maps a name and the family of encryption to a constant; see lookup.
func printModes(f *jen.File, function, about, typ string, rows []model.AnalysisModes) {
	var rules lookup
	for _, r := range rows {
		key, result := r.CSFLE+" "+r.QE, jen.Return(jen.Id(typ+r.CSFLE))
		if r.CSFLE != r.QE {
			result = jen.If(jen.Id("qe")).Block(jen.Return(mode(typ, r.QE))).Line().Return(mode(typ, r.CSFLE))
		}
		rules.add(key, r.Name, result)
	}
	addDoc(f, function+" "+about)
	f.Func().Id(function).Params(jen.Id("name").String(), jen.Id("qe").Bool()).Id(typ).Block(
		rules.cases("name"), jen.Return(jen.Lit(0)))
	f.Line()
}

func mode(typ, rule string) jen.Code {
	if rule == "" {
		return jen.Lit(0)
	}
	return jen.Id(typ + rule)
}

// analysisStages prints OfStage, see printModes, and
//
//	func Drops(stage string) bool {
//		switch stage {
//		case "$group", "$count":
//			return true
//		}
//		return false
//	}
func analysisStages(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/stages.yaml")
	printModes(f, "OfStage", "returns the rule for an aggregation stage, with Queryable Encryption or without.", "Stage", m.Stages)
	var drops lookup
	for _, r := range m.Stages {
		if r.Drops {
			drops.add("", r.Name, jen.Return(jen.True()))
		}
	}
	addDoc(f, "Drops reports whether only the fields are left after an aggregation stage that the stage names.")
	f.Func().Id("Drops").Params(jen.Id("stage").String()).Bool().Block(drops.cases("stage"), jen.Return(jen.False()))
	return f
}

func analysisExpressions(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/expressions.yaml")
	var rules, arguments, variables lookup
	for _, r := range m.Expressions {
		rules.add(r.Rule, r.Name, jen.Return(jen.Id("Expression"+r.Rule)))
		switch r.Arguments {
		case "all":
			arguments.add(r.Arguments, r.Name, jen.Return(jen.Lit(0), jen.True()))
		case "rest":
			arguments.add(r.Arguments, r.Name, jen.Return(jen.Lit(1), jen.True()))
		}
	}
	printLookupFunc(f, "OfExpression", "returns the rule for an expression operator.", "Expression", &rules)
	addDoc(f, "FirstArgument returns the index from which on no operand can be the result of an operator. If an operator has "+
		"no such operands, ok is false.")
	f.Func().Id("FirstArgument").Params(jen.Id("name").String()).Params(jen.Id("index").Int(), jen.Id("ok").Bool()).Block(
		arguments.cases("name"), jen.Return(jen.Lit(0), jen.False()))
	f.Line()
	printModes(f, "OfAccumulator",
		"returns the rule for an accumulator, with Queryable Encryption or without.", "Accumulator", m.Accumulators)
	for _, name := range m.Variables {
		variables.add("", name, jen.Return(jen.True()))
	}
	addDoc(f, "SystemVariable reports whether a variable of the server holds no field of a document.")
	f.Func().Id("SystemVariable").Params(jen.Id("name").String()).Bool().Block(variables.cases("name"), jen.Return(jen.False()))
	return f
}

// analysisTypes prints
//
//	func (k Kind) Takes(typ string) bool {
//		switch typ {
//		case "int", "long":
//			switch k {
//			case KindRandom, KindRange:
//				return true
//			}
//		}
//		return false
//	}
func analysisTypes(m *model.Analysis) *jen.File {
	f := newFile(analysisDir, "encryption/types.yaml")
	var rules lookup
	for _, r := range m.Types {
		if len(r.Kinds) == 0 {
			continue
		}
		key := ""
		var kinds []jen.Code
		for _, k := range r.Kinds {
			key += k + " "
			kinds = append(kinds, jen.Id("Kind"+k))
		}
		rules.add(key, r.Name, jen.Switch(jen.Id("k")).Block(jen.Case(kinds...).Block(jen.Return(jen.True()))))
	}
	addDoc(f, "Takes reports whether a field that is encrypted this way may hold values of a BSON type. The type's name is "+
		"the one that $type accepts.")
	f.Func().Params(jen.Id("k").Id("Kind")).Id("Takes").Params(jen.Id("typ").String()).Bool().Block(
		rules.cases("typ"), jen.Return(jen.False()))
	return f
}
