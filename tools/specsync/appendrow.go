package main

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// ours names the columns of a list's rows that upstream knows nothing of and that every row has: a new row has them too,
// with a value that loads.
func ours(list *yaml.Node, facts []fact) []fact {
	var out []fact
	first := list.Content[0]
	for i := 0; i+1 < len(first.Content); i += 2 {
		name := first.Content[i].Value
		given := slices.ContainsFunc(facts, func(x fact) bool { return x.column == name })
		everywhere := !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return column(n, name) == nil })
		if given || !everywhere || name == "doc" {
			continue
		}
		switch c := first.Content[i+1]; {
		case c.Kind == yaml.SequenceNode:
			out = append(out, fact{name, "[]"})
		case c.Kind == yaml.MappingNode:
			out = append(out, fact{name, "{}"})
		case c.Tag == "!!str":
			out = append(out, fact{name, "unwritten"})
		default:
			out = append(out, fact{name, c.Value})
		}
	}
	return out
}

// marked reports whether the new row of a list carries the marker in the column doc: prose tests have no doc and are
// pending instead.
func marked(t table) fact {
	if t.file == proseTable || t.file == methodTable {
		return fact{"pending", load.Unwritten}
	}
	return fact{"doc", load.Unwritten}
}

// appendRow adds a row after the last row of a list, in the style of that row. It fills our own columns with values
// that load, and doc with a marker that the model refuses by name. If a row does not have the list yet, its first rows
// go into a new list.
func (f *file) appendRow(t table, list *yaml.Node, key string, facts []fact) {
	if len(list.Content) == 0 {
		f.newList(t, key, facts)
		return
	}
	facts = append(append(facts, ours(list, facts)...), marked(t))
	last := list.Content[len(list.Content)-1]
	dash := strings.Repeat(" ", max(last.Column-3, 0)) + "- "
	var parts []string
	for _, x := range facts {
		parts = append(parts, x.column+": "+f.text(list, nil, x.column, x.value))
	}
	lines := []string{dash + "{" + strings.Join(parts, ", ") + "}"}
	if last.Style&yaml.FlowStyle == 0 {
		lines = nil
		for i, p := range parts {
			if i > 0 {
				dash = strings.Repeat(" ", last.Column-1)
			}
			lines = append(lines, dash+p)
		}
	}
	if list.Style&yaml.FlowStyle != 0 {
		end := last.Column - 1 + flowExtent(f.lines[last.Line-1][last.Column-1:])
		f.replace(last.Line-1, end, end, ", {"+strings.Join(parts, ", ")+"}")
		return
	}
	end := f.end(last)
	f.edits = append(f.edits, edit{end, end, lines})
}

// flowExtent is the length of the braces at the start of a text.
func flowExtent(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// newList adds the list with its first row. It waits if the row that will hold the list is not there yet.
func (f *file) newList(t table, key string, facts []fact) {
	holder := f.holder(t)
	if holder == nil {
		f.deferred = true // the row that will hold it is new as well
		return
	}
	if like := sameList(f.root, t.list); like != nil {
		facts = append(facts, ours(like, facts)...)
	}
	var parts []string
	for _, x := range append(facts, fact{"doc", load.Unwritten}) {
		parts = append(parts, x.column+": "+scalar(x.value))
	}
	row := "{" + strings.Join(parts, ", ") + "}"
	f.deferred = true // the second row of the list finds the first
	if f.grown[holder] {
		delete(f.fresh, place(t)+key)
		return
	}
	f.grown[holder] = true
	if holder.Style&yaml.FlowStyle != 0 {
		f.insertColumn(holder, t.list, "["+row+"]")
		return
	}
	indent := strings.Repeat(" ", holder.Column-1)
	end := f.end(holder)
	f.edits = append(f.edits, edit{end, end, []string{indent + t.list + ":", indent + "  - " + row}})
}

// sameList returns a list of the same name from another row of the file, or nil if no row has one.
func sameList(n *yaml.Node, name string) *yaml.Node {
	if n.Kind == yaml.MappingNode {
		if list := column(n, name); list != nil && list.Kind == yaml.SequenceNode && len(list.Content) > 0 &&
			list.Content[0].Kind == yaml.MappingNode {
			return list
		}
	}
	for _, below := range n.Content {
		if list := sameList(below, name); list != nil {
			return list
		}
	}
	return nil
}

// holder returns the row that holds a list, or nil if it is not there yet.
func (f *file) holder(t table) *yaml.Node {
	n := f.root
	for _, s := range t.within {
		rows := column(n, s.list)
		if rows == nil {
			return nil
		}
		if n = find(rows, s.key, s.value); n == nil {
			return nil
		}
	}
	return n
}
