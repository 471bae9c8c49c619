package main

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// file is a table file: its tree, and its lines, which edits change in place so that everything else stays. After each
// edit the lines are parsed again: no edit relies on places in a tree that another edit has moved.
type file struct {
	name   string // below specs
	path   string // in the file system
	root   *yaml.Node
	lines  []string
	from   []int           // the number of each line in the file on disk; 0 for a new line
	gone   map[string]bool // rows that upstream no longer has and the table still has
	edited bool
}

func parseTable(path string, data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s: the table is empty", path)
	}
	return doc.Content[0], nil
}

// duplicateColumn finds a column that a row has twice. The parser lets it pass.
func duplicateColumn(n *yaml.Node) *yaml.Node {
	seen := map[string]bool{}
	for i, below := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[below.Value] {
				return below
			}
			seen[below.Value] = true
		}
		if found := duplicateColumn(below); found != nil {
			return found
		}
	}
	return nil
}

func newFile(name, path string, data []byte, root *yaml.Node) *file {
	f := &file{name: name, path: path, root: root, lines: strings.Split(string(data), "\n"), gone: map[string]bool{}}
	f.from = make([]int, len(f.lines))
	for i := range f.from {
		f.from[i] = i + 1
	}
	return f
}

// holder returns the row that holds a list, or nil while it is missing.
func (f *file) holder(t table) (*yaml.Node, error) {
	n := f.root
	for _, s := range t.within {
		rows := column(n, s.list)
		if rows == nil {
			return nil, fmt.Errorf("%s: there is no list %s", f.path, s.list)
		}
		if n = find(rows, s.key, s.value); n == nil {
			return nil, nil
		}
	}
	return n, nil
}

// apply makes one edit, and reads the table again. An edit that leaves no table is undone and reported.
func (f *file) apply(edit func(*file) error) error {
	root, lines, from := f.root, append([]string(nil), f.lines...), append([]int(nil), f.from...)
	err := edit(f)
	if err == nil {
		f.root, err = parseTable(f.path, []byte(strings.Join(f.lines, "\n")))
	}
	if err == nil {
		if n := duplicateColumn(f.root); n != nil {
			err = fmt.Errorf("%s:%d: the column %s appears twice", f.path, n.Line, n.Value)
		}
	}
	if err != nil {
		f.root, f.lines, f.from = root, lines, from
		return err
	}
	f.edited = true
	return nil
}

// splice puts lines in the place of the lines [at, end), which count from 0.
func (f *file) splice(at, end int, lines ...string) {
	from := make([]int, len(lines))
	for i := range lines {
		if at+i < end {
			from[i] = f.from[at+i]
		}
	}
	f.lines = append(f.lines[:at:at], append(lines, f.lines[end:]...)...)
	f.from = append(f.from[:at:at], append(from, f.from[end:]...)...)
}

// spot is a line and a column of a file, both from 0.
type spot struct{ line, column int }

func start(n *yaml.Node) spot { return spot{n.Line - 1, n.Column - 1} }

// replace puts a text in the place of the text between two spots.
func (f *file) replace(from, to spot, text string) {
	f.splice(from.line, to.line+1, f.lines[from.line][:from.column]+text+f.lines[to.line][to.column:])
}

// end returns the spot after a scalar or a list in brackets or braces.
func (f *file) end(n *yaml.Node) (spot, error) {
	at := start(n)
	open := byte(0)
	if at.column < len(f.lines[at.line]) {
		open = f.lines[at.line][at.column]
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0:
		if n.Value != "" && strings.HasPrefix(f.lines[at.line][at.column:], n.Value) {
			return spot{at.line, at.column + len(n.Value)}, nil
		}
	case n.Kind == yaml.ScalarNode || open == '[' || open == '{':
		if end, found := f.closingSpot(at); found {
			return end, nil
		}
	}
	return at, fmt.Errorf("%s:%d: the value is written in a form that cannot be edited: change it by hand", f.path, n.Line)
}

// closingSpot returns the spot after the bracket, the brace or the quotation mark that closes the one at a spot.
func (f *file) closingSpot(at spot) (spot, bool) {
	depth, quote := 0, byte(0)
	for line := at.line; line < len(f.lines); line++ {
		text, i := f.lines[line], 0
		if line == at.line {
			i = at.column
		}
		for ; i < len(text); i++ {
			c := text[i]
			switch {
			case quote == '"' && c == '\\':
				i++
			case quote == '\'' && c == '\'' && i+1 < len(text) && text[i+1] == '\'':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,:", text[i-1]) >= 0):
				quote = c
			case c == '[' || c == '{':
				depth++
			case c == ']' || c == '}':
				depth--
			}
			if quote == 0 && depth == 0 {
				return spot{line, i + 1}, true
			}
		}
	}
	return at, false
}

// endOfRow returns the line after a row that is not in braces. Everything that is indented like its columns belongs to
// the row.
func (f *file) endOfRow(n *yaml.Node) int {
	last := lastLine(n)
	for last < len(f.lines) {
		text := strings.TrimLeft(f.lines[last], " ")
		if text == "" || len(f.lines[last])-len(text) < n.Column-1 {
			break
		}
		last++
	}
	return last
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, below := range n.Content {
		last = max(last, lastLine(below))
	}
	return last
}
