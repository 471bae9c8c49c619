package main

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// setValue puts another text in the place of a value.
func (f *file) setValue(n *yaml.Node, text string) error {
	end, err := f.end(n)
	if err == nil {
		f.replace(start(n), end, text)
	}
	return err
}

// insertColumn adds a column after the first one of a row. text is the value as the file spells it.
func (f *file) insertColumn(n *yaml.Node, name, text string) error {
	first := n.Content[1]
	end, err := f.end(first)
	switch {
	case err != nil:
	case n.Style&yaml.FlowStyle != 0:
		f.replace(end, end, ", "+name+": "+text)
	default:
		f.splice(end.line+1, end.line+1, strings.Repeat(" ", n.Column-1)+name+": "+text)
	}
	return err
}

// dropColumn takes a column out of a row; it is never the first.
func (f *file) dropColumn(n *yaml.Node, name string) error {
	for i := 2; i+1 < len(n.Content); i += 2 {
		key, value, before := n.Content[i], n.Content[i+1], n.Content[i-1]
		if key.Value != name {
			continue
		}
		if n.Style&yaml.FlowStyle == 0 {
			f.splice(key.Line-1, lastLine(value))
			return nil
		}
		from, err := f.end(before)
		if err != nil {
			return err
		}
		to, err := f.end(value)
		if err == nil {
			f.replace(from, to, "")
		}
		return err
	}
	return nil
}

// setMembers writes the names of a list column, which is made when the row has none.
func (f *file) setMembers(n *yaml.Node, name string, members []string) error {
	text := "[" + strings.Join(members, ", ") + "]"
	if c := column(n, name); c != nil {
		return f.setValue(c, text)
	}
	return f.insertColumn(n, name, text)
}

// removeRow takes a row out of its list with all its lines.
func (f *file) removeRow(list, n *yaml.Node) error {
	i := 0
	for list.Content[i] != n {
		i++
	}
	switch {
	case list.Style&yaml.FlowStyle == 0 && len(list.Content) == 1:
		at := n.Line - 1
		f.splice(at, f.endOfRow(n))
		for at--; !strings.HasSuffix(f.lines[at], ":"); at-- { // comments may stand between the list and its first row
		}
		f.lines[at] += " []"
		return nil
	case list.Style&yaml.FlowStyle == 0:
		f.splice(n.Line-1, f.endOfRow(n))
		return nil
	}
	from, to := start(n), spot{}
	var err error
	if i > 0 {
		from, err = f.end(list.Content[i-1])
	}
	if err == nil {
		to, err = f.end(n)
	}
	if err == nil && i == 0 && len(list.Content) > 1 {
		to = start(list.Content[1])
	}
	if err == nil {
		f.replace(from, to, "")
	}
	return err
}

// appendRow adds a row after the last row of a list, in the style of that row. It fills our own columns with values
// that load, and doc with a marker that the model refuses by name. If the holder does not have the list yet, or an
// empty one, the row opens it.
func (f *file) appendRow(t table, facts []fact) error {
	holder, err := f.holder(t)
	if err != nil || holder == nil {
		return err
	}
	list := column(holder, t.list)
	like := list
	if list == nil || len(list.Content) == 0 {
		like = sameList(f.root, t.list)
	}
	facts = append(append(facts, ourColumns(like, facts)...), marker(t))
	var parts []string
	for _, x := range facts {
		parts = append(parts, x.column+": "+spell(like, nil, x.column, x.value))
	}
	row := "{" + strings.Join(parts, ", ") + "}"
	switch {
	case list == nil || len(list.Content) == 0:
		return f.openList(holder, list, t.list, row)
	case list.Style&yaml.FlowStyle != 0:
		end, err := f.end(list.Content[len(list.Content)-1])
		if err == nil {
			f.replace(end, end, ", "+row)
		}
		return err
	}
	last := list.Content[len(list.Content)-1]
	dash := strings.Repeat(" ", max(last.Column-3, 0)) + "- "
	lines := []string{dash + row}
	if last.Style&yaml.FlowStyle == 0 {
		lines = nil
		for _, p := range parts {
			lines = append(lines, dash+p)
			dash = strings.Repeat(" ", last.Column-1)
		}
	}
	at := f.endOfRow(last)
	f.splice(at, at, lines...)
	return nil
}

// openList writes the first row of a list that its holder lacks, or has without rows.
func (f *file) openList(holder, list *yaml.Node, name, row string) error {
	if holder.Style&yaml.FlowStyle != 0 {
		if list != nil {
			return f.setValue(list, "["+row+"]")
		}
		return f.insertColumn(holder, name, "["+row+"]")
	}
	indent := strings.Repeat(" ", holder.Column-1)
	if list == nil {
		at := f.endOfRow(holder)
		f.splice(at, at, indent+name+":", indent+"  - "+row)
		return nil
	}
	end, err := f.end(list)
	if err == nil {
		f.replace(start(list), end, "")
		f.lines[list.Line-1] = strings.TrimRight(f.lines[list.Line-1], " ")
		f.splice(list.Line, list.Line, indent+"  - "+row)
	}
	return err
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

// ourColumns returns the columns that every row of a list has and that upstream does not know. A new row gets them too, with a
// value that loads.
func ourColumns(list *yaml.Node, facts []fact) []fact {
	var out []fact
	if list == nil {
		return nil
	}
	first := list.Content[0]
	for i := 0; i+1 < len(first.Content); i += 2 {
		name := first.Content[i].Value
		given := false
		for _, x := range facts {
			given = given || x.column == name
		}
		everywhere := true
		for _, n := range list.Content {
			everywhere = everywhere && column(n, name) != nil
		}
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

// marker returns the column of a new row that says that people have to write the rest. Prose tests and methods have no doc; their
// new rows are pending instead.
func marker(t table) fact {
	if t.file == proseTable || t.file == methodTable {
		return fact{"pending", load.Unwritten}
	}
	return fact{"doc", load.Unwritten}
}
