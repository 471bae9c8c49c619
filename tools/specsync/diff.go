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
	what string // added, changed, removed or error
	line int    // in the table as it is on disk; 0 for none
	text string
	file string
	gone string // the row that a person may take out
	edit func(*file) error
}

func (c change) String() string {
	at := ""
	if c.line > 0 {
		at = fmt.Sprint(":", c.line)
	}
	return fmt.Sprintf("%s specs/%s%s %s", c.what, c.file, at, c.text)
}

// compare says how a table file differs from what the documents say.
func compare(f *file, t table, accepts func(string) bool) ([]change, error) {
	holder, err := f.holder(t)
	if err != nil {
		return nil, err
	}
	if holder == nil {
		last := t.within[len(t.within)-1]
		return []change{{what: "error", file: t.file, text: fmt.Sprintf("there is no row %s to hold %s", last.value, t.list)}}, nil
	}
	list := column(holder, t.list)
	if list == nil {
		list = &yaml.Node{}
	}
	var out []change
	seen := map[string]bool{}
	rows := index(list, t.key)
	for _, r := range t.rows {
		seen[r.key] = true
		n := rows[r.key]
		switch {
		case n == nil && isLeftOut(holder, r.key):
		case n == nil:
			out = append(out, addition(t, r))
		case isOverridden(n, "row"):
			out = append(out, staleOverride(t, r.key, "row"))
		default:
			out = append(out, compareRow(f, t, list, n, r)...)
		}
	}
	met := map[string]bool{}
	for _, n := range list.Content {
		key := keyOf(n, t.key)
		if met[key] && key != "" && !t.partial && t.member == "" {
			out = append(out, change{what: "error", file: t.file, line: f.lineOf(n), text: t.prefix() + key + " appears twice"})
			continue
		}
		met[key] = true
		if seen[key] || t.partial || t.incomplete || f.gone[t.prefix()+key] || isOverridden(n, "row") || t.member == "" && isOurs(t, n) {
			continue
		}
		if t.member == "" {
			out = append(out, removal(f, t, list, n, key, accepts))
		} else if isMemberOverridden(n, t) {
			if !hasMember(n, t) {
				out = append(out, staleOverride(t, key, t.members))
			}
		} else if hasMember(n, t) {
			out = append(out, lostMember(f, t, n, key))
		}
	}
	return out, nil
}

// isLeftOut reports whether the row that holds a list says, in its column without, that upstream's row is left out on
// purpose.
func isLeftOut(holder *yaml.Node, key string) bool {
	without := column(holder, "without")
	return without != nil && column(without, key) != nil
}

// isOurs reports whether a row is visibly ours: a field without upstream's type.
func isOurs(t table, n *yaml.Node) bool { return t.list == "fields" && column(n, "type") == nil }

func compareRow(f *file, t table, list, n *yaml.Node, r row) []change {
	var out []change
	changed := func(at *yaml.Node, text string, edit func(*file) error) {
		out = append(out, change{what: "changed", file: t.file, line: f.lineOf(at), text: r.key + text, edit: edit})
	}
	for _, fact := range r.facts {
		c := column(n, fact.column)
		same := c != nil && sameValue(c, fact) || c == nil && fact.value == ""
		switch {
		case same && isOverridden(n, fact.column):
			out = append(out, staleOverride(t, r.key, fact.column))
		case same || isOverridden(n, fact.column):
		case c == nil:
			changed(n, fmt.Sprintf(" %s: (none) -> %s", fact.column, fact.value),
				func(f *file) error { return f.insertColumn(n, fact.column, spell(list, nil, fact.column, fact.value)) })
		case fact.column == t.key:
			changed(c, fmt.Sprintf(" %s: %s -> %s; rename it by hand, also where specs/%s names it",
				fact.column, valueText(c), fact.value, factTable), nil)
		case fact.value == "":
			changed(c, fmt.Sprintf(" %s: %s -> (none)", fact.column, valueText(c)),
				func(f *file) error { return f.dropColumn(n, fact.column) })
		default:
			changed(c, fmt.Sprintf(" %s: %s -> %s", fact.column, valueText(c), fact.value),
				func(f *file) error { return f.setValue(c, spell(list, c, fact.column, fact.value)) })
		}
	}
	switch {
	case t.member == "":
	case isMemberOverridden(n, t) && hasMember(n, t):
		out = append(out, staleOverride(t, r.key, t.members))
	case !isMemberOverridden(n, t) && !hasMember(n, t):
		changed(n, fmt.Sprintf(": %s gains %s", t.members, t.member),
			func(f *file) error { return f.setMembers(n, t.members, append(names(column(n, t.members)), t.member)) })
	}
	return out
}

func (f *file) lineOf(n *yaml.Node) int { return f.from[n.Line-1] }

// lostMember returns the change of a row that upstream no longer counts among the members.
func lostMember(f *file, t table, n *yaml.Node, key string) change {
	if column(n, t.members) == nil {
		return change{what: "error", file: t.file, line: f.lineOf(n), text: fmt.Sprintf(
			"%s: %s does not have it; list the others in the column %s", key, t.member, t.members)}
	}
	left := slices.DeleteFunc(names(column(n, t.members)), func(m string) bool { return m == t.member })
	return change{
		what: "changed", file: t.file, line: f.lineOf(n), text: fmt.Sprintf("%s: %s loses %s", key, t.members, t.member),
		edit: func(f *file) error { return f.setMembers(n, t.members, left) },
	}
}

func addition(t table, r row) change {
	facts := slices.DeleteFunc(slices.Clone(r.facts), func(x fact) bool { return x.value == "" })
	if t.member != "" {
		facts = append(facts, fact{t.members, "[" + t.member + "]"})
	}
	return change{
		what: "added", file: t.file, text: t.prefix() + r.key + "; write the columns that are ours",
		edit: func(f *file) error { return f.appendRow(t, facts) },
	}
}

// removal returns the change that removes a row. The edit takes place only when somebody names the row, because the columns that
// we wrote go with it.
func removal(f *file, t table, list, n *yaml.Node, key string, accepts func(string) bool) change {
	name := t.file + " " + t.prefix() + key
	out := change{what: "removed", file: t.file, line: f.lineOf(n), text: t.prefix() + key}
	if accepts == nil || !accepts(name) {
		out.gone = t.prefix() + key
		out.text += fmt.Sprintf("; override: {row: \"why it is ours\"} in the row keeps it, -accept takes it out with %s", columnsText(n))
		return out
	}
	out.edit = func(f *file) error { return f.removeRow(list, n) }
	return out
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

// staleOverride returns the error about an override whose reason is gone: the values agree.
func staleOverride(t table, key, column string) change {
	text := fmt.Sprintf("%s%s: the override of %s no longer differs from upstream", t.prefix(), key, column)
	return change{what: "error", file: t.file, text: text}
}

// prefix returns the place of a list within its file, for reports.
func (t table) prefix() string {
	var parts []string
	for _, s := range t.within {
		parts = append(parts, s.value)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ".") + "."
}

// find returns the row of a list with a key. A key of two columns is written with a plus sign and compared with a space.
func find(list *yaml.Node, key, value string) *yaml.Node {
	for _, n := range list.Content {
		if keyOf(n, key) == value {
			return n
		}
	}
	return nil
}

// index returns the rows of a list by their keys; of several rows with one key, the first.
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

// sameValue compares a column with a fact. A text of ours that ends in three dots matches a text of upstream that begins with it.
func sameValue(c *yaml.Node, f fact) bool {
	if opening, ok := strings.CutSuffix(c.Value, " ..."); ok && c.Kind == yaml.ScalarNode {
		return strings.HasPrefix(f.value, opening)
	}
	return valueText(c) == f.value || isNumeric(f.column) && sameNumber(valueText(c), f.value)
}

// isNumeric reports whether a column holds quantities, which can be spelled in several ways. Versions are not quantities.
func isNumeric(column string) bool {
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

// column returns the value of a column of a row, or nil.
func column(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func isOverridden(n *yaml.Node, name string) bool {
	o := column(n, "override")
	return o != nil && column(o, name) != nil
}

// isMemberOverridden reports whether a row differs from upstream in one member on purpose: the reason begins with its name.
func isMemberOverridden(n *yaml.Node, t table) bool {
	if !isOverridden(n, t.members) {
		return false
	}
	return strings.HasPrefix(column(column(n, "override"), t.members).Value, t.member+": ")
}

func hasMember(n *yaml.Node, t table) bool {
	c := column(n, t.members)
	return c == nil && t.whole || c != nil && slices.ContainsFunc(c.Content, func(m *yaml.Node) bool { return m.Value == t.member })
}
