package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// file is a table file: its tree, and its lines, which edits change in place so that everything else stays.
type file struct {
	path  string // in the file system
	root  *yaml.Node
	lines []string
	edits []edit
	fresh map[string]bool     // rows that are new
	gone  map[*yaml.Node]bool // rows that are taken out
	grown map[*yaml.Node]bool // rows that get a list of their own
	// deferred is set when a change has to wait for the next pass over the file.
	deferred bool
}

// edit replaces the lines [from, to) by others; from counts from 0.
type edit struct {
	from, to int
	lines    []string
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

func newFile(path string, data []byte, root *yaml.Node) *file {
	return &file{
		path: path, root: root, lines: strings.Split(string(data), "\n"),
		fresh: map[string]bool{}, gone: map[*yaml.Node]bool{}, grown: map[*yaml.Node]bool{},
	}
}

// list is the list of a file that a table is about; a row without the list has an empty one.
func (f *file) list(t table) (*yaml.Node, error) {
	n := f.root
	for _, s := range t.within {
		rows := column(n, s.list)
		if rows == nil {
			return nil, fmt.Errorf("%s: there is no list %s", f.path, s.list)
		}
		if n = find(rows, s.key, s.value); n == nil {
			return &yaml.Node{}, nil // the row itself is reported as added
		}
	}
	if list := column(n, t.list); list != nil {
		return list, nil
	}
	return &yaml.Node{Line: n.Line, Column: n.Column}, nil
}

// save makes the edits, last line first. The table is never half written: the new one takes the place of the old one
// when it is complete.
func (f *file) save() error {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	for _, e := range f.edits {
		f.lines = slices.Replace(f.lines, e.from, e.to, e.lines...)
	}
	return replaceFile(f.path, []byte(strings.Join(f.lines, "\n")))
}

// replaceFile writes a file beside the old one and renames it.
func replaceFile(path string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}

// replace changes a stretch of one line; several changes of a line are made one after the other.
func (f *file) replace(line, from, to int, text string) {
	for i, e := range f.edits {
		if e.from == line && e.to == line+1 && len(e.lines) == 1 {
			shift := len(e.lines[0]) - len(f.lines[line])
			f.edits[i].lines[0] = e.lines[0][:from+shift] + text + e.lines[0][to+shift:]
			return
		}
	}
	old := f.lines[line]
	f.edits = append(f.edits, edit{line, line + 1, []string{old[:from] + text + old[to:]}})
}

// setScalar puts another text in the place of a scalar on one line.
func (f *file) setScalar(n *yaml.Node, text string) {
	line, from := n.Line-1, n.Column-1
	f.replace(line, from, from+extent(f.lines[line][from:], n), text)
}

// text spells a value for a column of a list. Where all rows of the list hold texts the value stays a text: a number or
// a boolean is quoted. A value that replaces another one takes its kind.
func (f *file) text(list, old *yaml.Node, name, value string) string {
	text := scalar(value)
	var read yaml.Node
	if yaml.Unmarshal([]byte(text), &read) != nil || len(read.Content) == 0 || read.Content[0].Kind != yaml.ScalarNode ||
		read.Content[0].Tag == "!!str" {
		return text
	}
	texts, others := 0, 0
	count := func(c *yaml.Node) {
		switch {
		case c == nil || c.Kind != yaml.ScalarNode:
		case c.Tag == "!!str":
			texts++
		default:
			others++
		}
	}
	if old != nil {
		count(old)
	} else {
		for _, n := range list.Content {
			count(column(n, name))
		}
	}
	if texts > 0 && others == 0 {
		return strconv.Quote(value)
	}
	return text
}

// extent is the number of bytes that a scalar, or a list of names, takes on its line.
func extent(text string, n *yaml.Node) int {
	if n.Kind == yaml.SequenceNode {
		return strings.IndexByte(text, ']') + 1 // a list of names is on one line
	}
	switch n.Style {
	case yaml.DoubleQuotedStyle:
		for i := 1; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == '"' {
				return i + 1
			}
		}
	case yaml.SingleQuotedStyle:
		for i := 1; i < len(text); i++ {
			if text[i] == '\'' && (i+1 == len(text) || text[i+1] != '\'') {
				return i + 1
			} else if text[i] == '\'' {
				i++
			}
		}
	default:
		return len(n.Value)
	}
	return len(text)
}

var plain = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.$/<>-]*$|^-?[1-9][0-9]*$|^0$|^0x[0-9A-F]{2}$|^\[(\w+(, \w+)*)?\]$`)

// scalar writes a value, without quotes when it cannot be misread.
func scalar(value string) string {
	switch value {
	case "true", "false":
		return value
	case "null", "yes", "no", "on", "off", "y", "n", "Yes", "No", "On", "Off":
		return strconv.Quote(value)
	}
	if plain.MatchString(value) {
		return value
	}
	if len(value) > 2 && value[0] == '[' && value[len(value)-1] == ']' {
		items := strings.Split(value[1:len(value)-1], ", ")
		for i := range items {
			items[i] = scalar(items[i])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// insertColumn adds a column after the first one of a row. text is the value as the file spells it.
func (f *file) insertColumn(n *yaml.Node, name, text string) {
	first := n.Content[1]
	if n.Style&yaml.FlowStyle != 0 {
		end := first.Column - 1 + extent(f.lines[first.Line-1][first.Column-1:], first)
		f.replace(first.Line-1, end, end, ", "+name+": "+text)
		return
	}
	indent := strings.Repeat(" ", n.Column-1)
	f.edits = append(f.edits, edit{first.Line, first.Line, []string{indent + name + ": " + text}})
}

// dropColumn takes a column with a scalar out of a row; it is never the first.
func (f *file) dropColumn(n *yaml.Node, name string) {
	for i := 2; i+1 < len(n.Content); i += 2 {
		key, value, before := n.Content[i], n.Content[i+1], n.Content[i-1]
		if key.Value != name {
			continue
		}
		if n.Style&yaml.FlowStyle == 0 {
			f.edits = append(f.edits, edit{key.Line - 1, value.Line, nil})
			return
		}
		from := before.Column - 1 + extent(f.lines[before.Line-1][before.Column-1:], before)
		f.replace(key.Line-1, from, value.Column-1+extent(f.lines[value.Line-1][value.Column-1:], value), "")
	}
}

// addMember adds a value to a list column, which is made when the row has none.
func (f *file) addMember(n *yaml.Node, name, value string) {
	c := column(n, name)
	if c == nil || len(c.Content) == 0 {
		f.insertColumn(n, name, "["+value+"]")
		return
	}
	last := c.Content[len(c.Content)-1]
	end := last.Column - 1 + extent(f.lines[last.Line-1][last.Column-1:], last)
	f.replace(last.Line-1, end, end, ", "+value)
}

// dropMember takes a value out of a list column on one line.
func (f *file) dropMember(c *yaml.Node, value string) {
	for i, m := range c.Content {
		if m.Value != value {
			continue
		}
		from, to := m.Column-1, m.Column-1+extent(f.lines[m.Line-1][m.Column-1:], m)
		if i+1 < len(c.Content) {
			to = c.Content[i+1].Column - 1
		} else if i > 0 {
			before := c.Content[i-1]
			from = before.Column - 1 + extent(f.lines[m.Line-1][before.Column-1:], before)
		}
		f.replace(m.Line-1, from, to, "")
	}
}

// removeRow takes a row out with all its lines.
func (f *file) removeRow(_, n *yaml.Node) {
	f.edits = append(f.edits, edit{n.Line - 1, f.end(n), nil})
}

// end returns the line after a row: the next one that is indented less than the row's columns, or empty.
func (f *file) end(n *yaml.Node) int {
	for i := n.Line; i < len(f.lines); i++ {
		text := strings.TrimLeft(f.lines[i], " ")
		if text == "" || len(f.lines[i])-len(text) < n.Column-1 {
			return i
		}
	}
	return len(f.lines)
}
