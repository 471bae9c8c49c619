package model

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// Analysis is what the emitter of package analysis sees. The rules are the names of its constants.
type Analysis struct {
	Commands     []AnalysisCommand
	Everywhere   []string
	Match        []AnalysisMatch
	Update       []AnalysisUpdate
	Stages       []AnalysisModes
	Expressions  []AnalysisExpression
	Accumulators []AnalysisModes
	Variables    []string
	Types        []AnalysisType
}

// AnalysisCommand is a command; Arguments and Defaults are in the order of the table.
type AnalysisCommand struct {
	Name, Class, Information string
	Forgets                  string
	Arguments                []AnalysisArgument
	Defaults                 []AnalysisDefault
}

// AnalysisDefault is an argument that is spelled out: as Text, or as false when Text is empty.
type AnalysisDefault struct{ Name, Text string }

// AnalysisArgument is an argument of a command with its rule.
type AnalysisArgument struct{ Name, Rule string }

// AnalysisMatch is a match operator. Rules has a rule for each kind of path, in the order of analysisPaths.
type AnalysisMatch struct {
	Name, Place string
	Part        bool
	Rules       []string
}

// AnalysisUpdate is an update operator with its rules for plain paths, prefixes and encrypted paths.
type AnalysisUpdate struct{ Name, With, Plain, Prefix, Encrypted string }

// AnalysisModes is a stage or an accumulator. A missing rule is empty. Drops marks a stage that leaves only the fields that it
// names.
type AnalysisModes struct {
	Name, CSFLE, QE string
	Drops           bool
}

// AnalysisExpression is an expression operator. Arguments names the operands that cannot come back as its result.
type AnalysisExpression struct{ Name, Rule, Arguments string }

// AnalysisType is a BSON type and the kinds of encryption that accept it.
type AnalysisType struct {
	Name  string
	Kinds []string
}

// analysisOperands are the operands of an expression that cannot come back as its result.
var analysisOperands = []string{"", "all", "rest"}

// NewAnalysis resolves and checks the tables of query analysis.
func NewAnalysis(t *load.Tables) *Analysis {
	out, words := &Analysis{}, newAnalysisWords(t)
	out.addCommands(t, words)
	out.addMatch(t, words)
	updates := words.wordsOf("Update")
	update := newUnique[string](t)
	for _, r := range t.AnalysisUpdate().Rows {
		checkAnalysisRow(t, update, r.Row, r.Name)
		for _, rule := range []string{r.Plain, r.Prefix, r.Encrypted} {
			checkOneOf(t, r.At, "rule", rule, updates)
		}
		out.Update = append(out.Update, AnalysisUpdate{r.Name, r.With, word(r.Plain), word(r.Prefix), word(r.Encrypted)})
	}
	out.Stages = analysisModes(t, t.AnalysisStages().Rows, append(words.wordsAfter(1, "Stage"), ""))
	out.addExpressions(t, words)
	kinds := words.wordsAfter(2, "Kind") // the first two are for paths that are not encrypted
	types := newUnique[string](t)
	for _, r := range t.AnalysisTypes().Rows {
		checkAnalysisRow(t, types, r.Row, r.Name)
		typ := AnalysisType{Name: r.Name}
		for _, k := range r.Kinds {
			checkOneOf(t, r.At, "kind", k, kinds)
			typ.Kinds = append(typ.Kinds, word(k))
		}
		out.Types = append(out.Types, typ)
	}
	return out
}

func (m *Analysis) addCommands(t *load.Tables, words analysisWords) {
	classes, information := words.wordsOf("Class"), words.wordsOf("Information")
	rules, forgets := words.wordsOf("Argument"), words.wordsAfter(1, "Forgets")
	table, names := t.AnalysisCommands(), newUnique[string](t)
	for _, r := range table.Rows {
		checkAnalysisRow(t, names, r.Row, r.Name)
		checkOneOf(t, r.At, "class", r.Class, classes)
		c := AnalysisCommand{Name: r.Name, Class: word(r.Class), Information: "None"}
		if r.Information != "" {
			checkOneOf(t, r.At, "information", r.Information, information)
			c.Information = word(r.Information)
		}
		if r.Class == "bypass" && len(r.Arguments) > 0 {
			t.Problemf(r.At, "%s is sent as it is: it needs no rules for arguments", r.Name)
		}
		for _, a := range r.Arguments {
			checkOneOf(t, a.At, "rule", a.Value, rules)
			c.Arguments = append(c.Arguments, AnalysisArgument{a.Key, word(a.Value)})
		}
		for _, d := range r.Defaults {
			if !slices.ContainsFunc(c.Arguments, func(a AnalysisArgument) bool { return a.Name == d.Key }) {
				t.Problemf(d.At, "%s has no argument %s", r.Name, d.Key)
			}
			text := d.Value
			if text == "false" {
				text = ""
			}
			c.Defaults = append(c.Defaults, AnalysisDefault{d.Key, text})
		}
		if r.Forgets != "" {
			checkOneOf(t, r.At, "forgets", r.Forgets, forgets)
			c.Forgets = word(r.Forgets)
		}
		m.Commands = append(m.Commands, c)
	}
	everywhere := newUnique[string](t)
	for _, r := range table.Everywhere {
		checkAnalysisRow(t, everywhere, r.Row, r.Name)
		m.Everywhere = append(m.Everywhere, r.Name)
	}
}

func (m *Analysis) addMatch(t *load.Tables, words analysisWords) {
	places, rules := words.wordsOf("Place"), words.wordsOf("Match")
	names := newUnique[string](t)
	for _, r := range t.AnalysisMatch().Rows {
		checkAnalysisRow(t, names, r.Row, r.Name)
		checkOneOf(t, r.At, "place", r.Place, places)
		o := AnalysisMatch{Name: r.Name, Place: word(r.Place), Part: r.Part}
		for _, rule := range []string{r.Plain, r.Prefix, r.Random, r.Deterministic, r.Equality, r.Range, r.Text, r.Unindexed} {
			if rule == "" {
				rule = "refuse"
			}
			checkOneOf(t, r.At, "rule", rule, rules)
			o.Rules = append(o.Rules, word(rule))
		}
		m.Match = append(m.Match, o)
	}
}

func (m *Analysis) addExpressions(t *load.Tables, words analysisWords) {
	rules := words.wordsAfter(1, "Expression")
	table, names := t.AnalysisExpressions(), newUnique[string](t)
	for _, r := range table.Rows {
		checkAnalysisRow(t, names, r.Row, r.Name)
		checkOneOf(t, r.At, "rule", r.Rule, rules)
		checkOneOf(t, r.At, "arguments", r.Arguments, analysisOperands)
		m.Expressions = append(m.Expressions, AnalysisExpression{r.Name, word(r.Rule), r.Arguments})
	}
	m.Accumulators = analysisModes(t, table.Accumulators, words.wordsAfter(1, "Accumulator"))
	for _, r := range table.Accumulators {
		if r.Drops {
			t.Problemf(r.At, "%s is an accumulator, and only stages drop fields", r.Name)
		}
	}
	variables := newUnique[string](t)
	for _, r := range table.Variables {
		checkAnalysisRow(t, variables, r.Row, r.Name)
		m.Variables = append(m.Variables, r.Name)
	}
}

func analysisModes(t *load.Tables, rows []load.AnalysisModes, rules []string) []AnalysisModes {
	names := newUnique[string](t)
	var out []AnalysisModes
	for _, r := range rows {
		checkAnalysisRow(t, names, r.Row, r.Name)
		checkOneOf(t, r.At, "csfle", r.CSFLE, rules)
		checkOneOf(t, r.At, "qe", r.QE, rules)
		out = append(out, AnalysisModes{r.Name, word(r.CSFLE), word(r.QE), r.Drops})
	}
	return out
}

// checkAnalysisRow checks the columns that all rows of these tables have in common.
func checkAnalysisRow(t *load.Tables, names *unique[string], r load.Row, name string) {
	names.add(name, name, r.At, "%s is named twice", name)
	checkSentence(t, r.At, r.Doc)
}

// word returns the form that a rule has in the name of a constant.
func word(rule string) string {
	if rule == "" {
		return ""
	}
	return strings.ToUpper(rule[:1]) + rule[1:]
}
