package main

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// change is one line of the report, and the edit that brings the table up to date; edit is nil for a problem that a
// person has to solve.
type change struct {
	text string
	edit func(*file)
}

// compare says how a table file differs from what the documents say.
func compare(f *file, t table, accepts func(string) bool) ([]change, error) {
	list, err := f.list(t)
	if err != nil {
		return nil, err
	}
	var out []change
	seen := map[string]bool{}
	rows := index(list, t.key)
	for _, r := range t.rows {
		seen[r.key] = true
		n := rows[r.key]
		switch {
		case n == nil && f.fresh[place(t)+r.key]:
			f.deferred = true // the other facts about a new row wait until the row is there
		case n == nil && f.leftOut(t, r.key):
		case n == nil:
			f.fresh[place(t)+r.key] = true
			out = append(out, added(t, list, r))
		case overridden(n, "row"):
			out = append(out, stale(f, t, r.key, "row"))
		default:
			out = append(out, compareRow(f, t, list, n, r)...)
		}
	}
	for _, n := range list.Content {
		key := keyOf(n, t.key)
		if seen[key] || t.partial || t.incomplete || f.gone[n] || overridden(n, "row") || t.member == "" && own(t, n) {
			continue
		}
		if t.member == "" {
			f.gone[n] = true
			out = append(out, removed(t, list, n, key, accepts))
		} else if overriddenMember(n, t) {
			if !hasMember(n, t) {
				out = append(out, stale(f, t, key, t.members))
			}
		} else if hasMember(n, t) {
			if column(n, t.members) == nil {
				out = append(out, change{text: fmt.Sprintf(
					"error specs/%s:%d %s: %s does not have it; list the others in the column %s",
					t.file, n.Line, key, t.member, t.members)})
				continue
			}
			out = append(out, change{
				text: fmt.Sprintf("changed specs/%s:%d %s: %s loses %s", t.file, n.Line, key, t.members, t.member),
				edit: func(f *file) { f.dropMember(column(n, t.members), t.member) },
			})
		}
	}
	return out, nil
}

// own reports whether a row is ours by its form: a field without upstream's type.
func own(t table, n *yaml.Node) bool { return t.list == "fields" && column(n, "type") == nil }

func compareRow(f *file, t table, list, n *yaml.Node, r row) []change {
	var out []change
	for _, fact := range r.facts {
		c := column(n, fact.column)
		same := c != nil && sameValue(c, fact) || c == nil && fact.value == ""
		switch {
		case same && overridden(n, fact.column):
			out = append(out, stale(f, t, r.key, fact.column))
		case same || overridden(n, fact.column):
		case c == nil:
			out = append(out, change{
				text: fmt.Sprintf("changed specs/%s:%d %s %s: (none) -> %s", t.file, n.Line, r.key, fact.column, fact.value),
				edit: func(f *file) { f.insertColumn(n, fact.column, f.text(list, nil, fact.column, fact.value)) },
			})
		case fact.value == "":
			out = append(out, change{
				text: fmt.Sprintf("changed specs/%s:%d %s %s: %s -> (none)", t.file, c.Line, r.key, fact.column, valueText(c)),
				edit: func(f *file) { f.dropColumn(n, fact.column) },
			})
		default:
			out = append(out, change{
				text: fmt.Sprintf("changed specs/%s:%d %s %s: %s -> %s", t.file, c.Line, r.key, fact.column, valueText(c), fact.value),
				edit: func(f *file) { f.setScalar(c, f.text(list, c, fact.column, fact.value)) },
			})
		}
	}
	switch {
	case t.member == "":
	case overriddenMember(n, t) && hasMember(n, t):
		out = append(out, stale(f, t, r.key, t.members))
	case !overriddenMember(n, t) && !hasMember(n, t):
		out = append(out, change{
			text: fmt.Sprintf("changed specs/%s:%d %s: %s gains %s", t.file, n.Line, r.key, t.members, t.member),
			edit: func(f *file) { f.addMember(n, t.members, t.member) },
		})
	}
	return out
}

func added(t table, list *yaml.Node, r row) change {
	facts := slices.DeleteFunc(slices.Clone(r.facts), func(x fact) bool { return x.value == "" })
	if t.member != "" {
		facts = append(facts, fact{t.members, "[" + t.member + "]"})
	}
	return change{
		text: fmt.Sprintf("added specs/%s %s%s; write the columns that are ours", t.file, place(t), r.key),
		edit: func(f *file) { f.appendRow(t, list, r.key, facts) },
	}
}

// removed proposes to remove a row. It removes the row only when somebody names it, because the columns that we wrote
// go with it.
func removed(t table, list, n *yaml.Node, key string, accepts func(string) bool) change {
	name := t.file + " " + place(t) + key
	text := fmt.Sprintf("removed specs/%s:%d %s%s", t.file, n.Line, place(t), key)
	if accepts == nil || !accepts(name) {
		return change{text: fmt.Sprintf("%s; override: {row: \"why it is ours\"} in the row keeps it, "+
			"-accept %q takes it out with %s", text, name, columnsText(n))}
	}
	return change{text: text, edit: func(f *file) { f.removeRow(list, n) }}
}

// columnsText lists the columns of a row for people.
func columnsText(n *yaml.Node) string {
	var parts []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		text := valueText(n.Content[i+1])
		if n.Content[i+1].Kind == yaml.MappingNode || len(text) > 60 {
			text = "..."
		}
		parts = append(parts, n.Content[i].Value+": "+text)
	}
	return strings.Join(parts, ", ")
}

// stale is an override whose reason is gone: the values agree.
func stale(f *file, t table, key, column string) change {
	return change{
		text: fmt.Sprintf("error specs/%s %s%s: the override of %s no longer differs from upstream", t.file, place(t), key, column),
	}
}

func place(t table) string {
	var parts []string
	for _, s := range t.within {
		parts = append(parts, s.value)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ".") + "."
}

// find is the row of a list with a key. A key of two columns is written with a plus sign and compared with a space.
func find(list *yaml.Node, key, value string) *yaml.Node {
	for _, n := range list.Content {
		if keyOf(n, key) == value {
			return n
		}
	}
	return nil
}

// index has the rows of a list by their keys; of several with one key, the first.
func index(list *yaml.Node, key string) map[string]*yaml.Node {
	out := make(map[string]*yaml.Node, len(list.Content))
	for _, n := range list.Content {
		if name := keyOf(n, key); out[name] == nil {
			out[name] = n
		}
	}
	return out
}

func keyOf(n *yaml.Node, key string) string {
	if c := column(n, key); c != nil {
		return valueText(c)
	}
	var parts []string
	for name := range strings.SplitSeq(key, "+") {
		if c := column(n, name); c != nil {
			parts = append(parts, valueText(c))
		}
	}
	return strings.Join(parts, " ")
}

// sameValue compares a column with a fact. A text of ours that ends in three dots is the opening of upstream's.
func sameValue(c *yaml.Node, f fact) bool {
	if opening, ok := strings.CutSuffix(c.Value, " ..."); ok && c.Kind == yaml.ScalarNode {
		return strings.HasPrefix(f.value, opening)
	}
	return valueText(c) == f.value || numeric(f.column) && sameNumber(valueText(c), f.value)
}

// numeric reports whether a column holds quantities, which can be spelled in several ways. Versions are not quantities.
func numeric(column string) bool {
	return column == "value" || column == "number" || column == "duration"
}

// valueText returns a column as facts spell it: a list of names is in brackets.
func valueText(n *yaml.Node) string {
	if n.Kind != yaml.SequenceNode {
		return n.Value
	}
	var names []string
	for _, m := range n.Content {
		names = append(names, m.Value)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// column is the value of a column of a row, or nil.
func column(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func overridden(n *yaml.Node, name string) bool {
	o := column(n, "override")
	return o != nil && column(o, name) != nil
}

// overriddenMember reports whether a row differs from upstream in one member on purpose: the reason begins with its name.
func overriddenMember(n *yaml.Node, t table) bool {
	if !overridden(n, t.members) {
		return false
	}
	return strings.HasPrefix(column(column(n, "override"), t.members).Value, t.member+": ")
}

func hasMember(n *yaml.Node, t table) bool {
	c := column(n, t.members)
	return c == nil && t.whole || c != nil && slices.ContainsFunc(c.Content, func(m *yaml.Node) bool { return m.Value == t.member })
}
