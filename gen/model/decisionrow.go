package model

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// addRules resolves the decisions of a group, by name.
func (d *decisions) addRules(group string) map[string]Decision {
	out := map[string]Decision{}
	for _, in := range d.tables.Decisions(group) {
		if in.Table == "" {
			continue // the file was unreadable
		}
		at := in.At
		rule := Decision{
			Name: in.Table, Title: in.Title, Doc: in.Doc, Spec: in.Spec, File: strings.TrimPrefix(at.File, "specs/"),
		}
		if path.Base(at.File) != in.Table+".yaml" {
			d.tables.Problemf(at, "the file of a decision is named after its table, %s", in.Table)
		}
		rule.Asks = d.columns(in.Asks, func(u *termUse) { u.asked = true })
		rule.Gives = d.columns(in.Gives, func(u *termUse) { u.given = true })
		for _, term := range rule.Gives {
			if term.Place == placeEvent {
				d.tables.Problemf(at, "%s: an event comes in, a decision cannot give %s", in.Table, term.Name)
			}
		}
		for _, r := range in.Rows {
			rule.Rows = append(rule.Rows, d.row(&rule, r))
		}
		d.checkSituations(&rule, in, at)
		out[in.Table] = rule
	}
	return out
}

func (d *decisions) columns(words []load.Word, use func(*termUse)) []Term {
	var out []Term
	seen := newUnique[string](d.tables)
	for _, w := range words {
		u, ok := d.terms[w.Text]
		if !ok {
			d.tables.Problemf(w.At, "there is no term %s", w.Text)
			continue
		}
		seen.add(w.Text, w.Text, w.At, "column %s is given twice", w.Text)
		use(u)
		out = append(out, u.Term)
	}
	return out
}

// row resolves the values of one row.
func (d *decisions) row(rule *Decision, in load.DecisionRow) DecisionRow {
	d.names.add(d.rowName(rule, in), in.At)
	checkSentence(d.tables, in.At, in.Doc)
	out := DecisionRow{
		Name: in.Name, Doc: in.Doc, Spec: in.Spec, When: make([][]int, len(rule.Asks)), Then: make([]int, len(rule.Gives)),
	}
	for _, e := range in.When {
		column := slices.IndexFunc(rule.Asks, func(t Term) bool { return t.Name == e.Key })
		if column < 0 {
			d.tables.Problemf(e.At, "%s: %s is not a column of %s", in.Name, e.Key, rule.Name)
			continue
		}
		u := d.terms[e.Key]
		for _, member := range e.Value {
			i := u.index(member)
			if i < 0 {
				d.tables.Problemf(e.At, "%s: %s has no member %s", in.Name, e.Key, member)
				continue
			}
			if slices.Contains(out.When[column], i) {
				d.tables.Problemf(e.At, "%s: %s is given twice", in.Name, member)
			}
			u.members[member] = true
			out.When[column] = append(out.When[column], i)
		}
		if len(out.When[column]) == len(u.Members) {
			d.tables.Problemf(e.At, "%s: leave %s out if it may have any value", in.Name, e.Key)
		}
	}
	for _, e := range in.Then {
		if !slices.ContainsFunc(rule.Gives, func(t Term) bool { return t.Name == e.Key }) {
			d.tables.Problemf(e.At, "%s: %s does not give %s", in.Name, rule.Name, e.Key)
		}
	}
	for column, term := range rule.Gives {
		member, ok := in.Then.Get(term.Name)
		i := d.terms[term.Name].index(member)
		if !ok {
			d.tables.Problemf(in.At, "%s does not say %s", in.Name, term.Name)
		} else if i < 0 {
			d.tables.Problemf(in.At, "%s: %s has no member %s", in.Name, term.Name, member)
		}
		d.terms[term.Name].members[member] = true
		out.Then[column] = max(i, 0)
	}
	return out
}

// rowName returns the Go name of a row.
func (d *decisions) rowName(rule *Decision, in load.DecisionRow) string {
	return strings.ToUpper(rule.Name[:1]) + rule.Name[1:] + in.Name
}

// checkSituations visits every situation that a decision distinguishes. Each situation must have a row, each row must come first
// in some situation, and each column must matter to some row.
func (d *decisions) checkSituations(rule *Decision, in *load.Decision, at load.Pos) {
	size := 1
	for column, term := range rule.Asks {
		size *= max(len(term.Members), 1)
		if !slices.ContainsFunc(rule.Rows, func(r DecisionRow) bool { return r.When[column] != nil }) {
			d.tables.Problemf(at, "%s: no row looks at %s", rule.Name, term.Name)
		}
	}
	if size > decisionBound {
		d.tables.Problemf(at, "%s: its columns have %d combinations, which is too much for one decision", rule.Name, size)
		return
	}
	if len(d.tables.Problems()) > 0 {
		return // without the rows that were not understood, situations would seem to have none
	}
	used := make([]bool, len(rule.Rows))
	for situation, row := range rule.situations() {
		if row < 0 {
			d.tables.Problemf(at, "%s: no row fits %s", rule.Name, rule.describe(situation))
			return
		}
		used[row] = true
	}
	for i, row := range in.Rows {
		if !used[i] {
			d.tables.Problemf(row.At, "%s: the rows above it take every situation that it fits", row.Name)
		}
	}
}

func (r *DecisionRow) matches(situation []int) bool {
	for column, values := range r.When {
		if values != nil && !slices.Contains(values, situation[column]) {
			return false
		}
	}
	return true
}

func (d *Decision) describe(situation []int) string {
	var words []string
	for column, i := range situation {
		words = append(words, d.Asks[column].Name+" "+d.Asks[column].Members[i].Name)
	}
	return strings.Join(words, ", ")
}

// situations yields every combination of the columns, with the first row that fits, or -1. The slice is good for one step.
func (d *Decision) situations() iter.Seq2[[]int, int] {
	return func(yield func([]int, int) bool) {
		situation := make([]int, len(d.Asks))
		for {
			row := slices.IndexFunc(d.Rows, func(r DecisionRow) bool { return r.matches(situation) })
			if !yield(situation, row) || !d.next(situation) {
				return
			}
		}
	}
}

// next changes a situation to the next one, and reports whether there is one.
func (d *Decision) next(situation []int) bool {
	for column := range situation {
		if situation[column]++; situation[column] < len(d.Asks[column].Members) {
			return true
		}
		situation[column] = 0
	}
	return false
}

// reachedRows lists the rows that decide at least one of the situations that kind accepts.
func (d *Decision) reachedRows(kind func(situation []int) bool) []int {
	found := make([]bool, len(d.Rows))
	for situation, row := range d.situations() {
		found[row] = found[row] || kind(situation)
	}
	var out []int
	for i, ok := range found {
		if ok {
			out = append(out, i)
		}
	}
	return out
}
