package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// proseColumns are columns that end up in comments, or that only link a row to its origin.
var proseColumns = []string{
	"doc", "spec", "override", "document", "comment", "table", "upstream", "since", "deprecated", "title", "package",
}

// goNames are columns that only the compiler reads when each of their values is unique.
var goNames = []string{"go", "field"}

// decisions are the tables whose row names are only for people: in the log, in pictures and in the code.
var decisions = regexp.MustCompile(`/decisions/`)

// machines are the tables whose terms have members that only the compiler reads. Without a member that a row or the driver uses, the
// code does not compile.
var machines = regexp.MustCompile(`/machine\.yaml$`)

// sinceTables are the tables whose since column is a fact that the code reads.
var sinceTables = regexp.MustCompile(`^(commands|wire)/`)

// finder looks for what can be changed in a table.
type finder struct {
	table   *table
	columns map[string][]string // values of each column, in order, once each
	uses    map[string]int      // how often a text is a value of any column
}

// collect gathers the values of each column, and under the column's name with "#" how many there are.
func (f *finder) collect(n *yaml.Node, column string) {
	switch n.Kind {
	case yaml.DocumentNode, yaml.SequenceNode:
		for _, c := range n.Content {
			f.collect(c, column)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			f.collect(n.Content[i+1], column+"."+n.Content[i].Value)
		}
	case yaml.ScalarNode:
		f.uses[n.Value]++
		f.columns[column+"#"] = append(f.columns[column+"#"], n.Value)
		if !slices.Contains(f.columns[column], n.Value) {
			f.columns[column] = append(f.columns[column], n.Value)
		}
	}
}

func (f *finder) walk(n *yaml.Node, column string) {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, c := range n.Content {
			f.walk(c, column)
		}
	case yaml.SequenceNode:
		f.changeSequence(n, column)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if slices.Contains(proseColumns, key.Value) && (key.Value != "since" || !sinceTables.MatchString(f.table.name)) {
				continue
			}
			if value.Kind == yaml.MappingNode {
				f.removeEntries(value)
			}
			f.walk(value, column+"."+key.Value)
		}
	case yaml.ScalarNode:
		f.changeScalar(n, column)
	}
}

// changeSequence removes each element, adds one that occurs elsewhere in the column, and gives rows the columns of other
// rows.
func (f *finder) changeSequence(n *yaml.Node, column string) {
	if n.Style&yaml.FlowStyle != 0 {
		f.changeList(n, column)
	} else {
		for _, c := range n.Content {
			if start, end, ok := f.block(c); ok {
				f.add(start, end, "", "without the row")
			}
		}
	}
	for _, c := range n.Content {
		f.walk(c, column)
	}
	f.addMissing(n)
}

func (f *finder) changeList(n *yaml.Node, column string) {
	start, end, ok := f.span(n)
	if !ok {
		return
	}
	items, values := make([]string, len(n.Content)), make([]string, len(n.Content))
	for i, c := range n.Content {
		from, to, ok := f.span(c)
		if !ok {
			return
		}
		items[i], values[i] = f.table.text[from:to], c.Value
	}
	for i := range items {
		f.add(start, end, "["+strings.Join(slices.Delete(slices.Clone(items), i, i+1), ", ")+"]", "without an element")
	}
	for _, other := range f.columns[column] {
		if !slices.Contains(values, other) && isPlain(other) {
			f.add(start, end, "["+strings.Join(append(slices.Clone(items), other), ", ")+"]", "another element")
			return
		}
	}
}

// removeEntries removes each entry of a map in braces, such as the conditions of a row.
func (f *finder) removeEntries(n *yaml.Node) {
	start, end, ok := f.span(n)
	if !ok || n.Style&yaml.FlowStyle == 0 {
		return
	}
	var items []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		from, _, ok1 := f.span(n.Content[i])
		_, to, ok2 := f.span(n.Content[i+1])
		if !ok1 || !ok2 {
			return
		}
		items = append(items, f.table.text[from:to])
	}
	for i := range items {
		f.add(start, end, "{"+strings.Join(slices.Delete(slices.Clone(items), i, i+1), ", ")+"}", "without an entry")
	}
}

// addMissing gives a row a switch or a list that other rows of its table have: a code joins a class, a key becomes
// redacted.
func (f *finder) addMissing(n *yaml.Node) {
	given := map[string]string{}
	var keys []string
	for _, row := range n.Content {
		for i := 0; row.Kind == yaml.MappingNode && i+1 < len(row.Content); i += 2 {
			key, value := row.Content[i].Value, row.Content[i+1]
			flow := value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle != 0 && len(value.Content) > 0
			if given[key] != "" || slices.Contains(proseColumns, key) || !flow && value.Tag != "!!bool" {
				continue
			}
			if start, end, ok := f.span(value); ok {
				given[key], keys = f.table.text[start:end], append(keys, key)
			}
		}
	}
	for _, row := range n.Content {
		for _, key := range keys {
			if row.Kind == yaml.MappingNode && !has(row, key) {
				f.give(row, key+": "+given[key])
			}
		}
	}
}

func (f *finder) give(row *yaml.Node, column string) {
	at := f.offset(row)
	if row.Style&yaml.FlowStyle == 0 {
		f.add(at, at, column+"\n"+strings.Repeat(" ", row.Column-1), "with a column")
	} else if len(row.Content) > 0 {
		f.add(at+1, at+1, column+", ", "with a column")
	}
}

func has(row *yaml.Node, key string) bool {
	for i := 0; i < len(row.Content); i += 2 {
		if row.Content[i].Value == key {
			return true
		}
	}
	return false
}

var measure = regexp.MustCompile(`^(-?\d+)(\.\d+)?([a-zA-Z]*)$`)

// changeScalar changes a switch, a number, a word from a small set, or a text.
func (f *finder) changeScalar(n *yaml.Node, column string) {
	start, end, ok := f.span(n)
	if !ok || n.Value == "" {
		return
	}
	values, count := f.columns[column], len(f.columns[column+"#"])
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	number := measure.FindStringSubmatch(n.Value)
	switch {
	case n.Tag == "!!bool":
		f.add(start, end, strconv.FormatBool(n.Value != "true"), "the other")
	case strings.HasPrefix(n.Value, "0x"):
		if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			f.add(start, end, fmt.Sprintf("0x%x", i+1), "one more")
		}
	case number != nil && !quoted:
		if i, err := strconv.Atoi(number[1]); err == nil {
			f.add(start, end, strconv.Itoa(i+1)+number[2]+number[3], "one more")
		}
	case len(values) > 1 && (count >= 2*len(values) || count > len(values) && f.uses[n.Value] > 1):
		other := values[(slices.Index(values, n.Value)+1)%len(values)]
		if !isPlain(other) {
			other = strconv.Quote(other)
		}
		f.add(start, end, other, "another word")
	case slices.Contains(goNames, column[strings.LastIndexByte(column, '.')+1:]):
	case column == ".rows.name" && decisions.MatchString(f.table.name):
	case column == ".terms.members.name" && machines.MatchString(f.table.name):
	case quoted:
		f.add(start, end, f.table.text[start:end-1]+"X"+f.table.text[end-1:end], "another text")
	default:
		f.add(start, end, n.Value+"X", "another text")
	}
}

// isPlain reports whether a text needs no quotes.
func isPlain(s string) bool { return regexp.MustCompile(`^[A-Za-z][\w.-]*$`).MatchString(s) }

func (f *finder) add(start, end int, with, what string) {
	f.table.mutants = append(f.table.mutants, &mutant{f.table, start, end, with, what})
}
