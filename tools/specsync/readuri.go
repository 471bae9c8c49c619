package main

import (
	"regexp"
	"strings"
)

var (
	link           = regexp.MustCompile(`\[([^\]^]+)\]\([^)]*\)`)
	literalDefault = regexp.MustCompile(
		`^(?:"([^"]*)"|(-?\d+)(?: \(.*\))?|([\d,]+ ms)(?: \(.*\))?|(no timeout|same as "\w+")|(true|false) i\.e\. .*)$`)
	proseDefault = regexp.MustCompile(`^(?:[Nn]o |None; |defined in |error on |TLS required )`)
	replacement  = regexp.MustCompile(`^NOTE: This option is deprecated in favor of (\w+)`)
)

// whoNeedsOption are the words that cells of upstream's column "Optional to implement?" begin with, and our words for them.
var whoNeedsOption = []struct{ opening, word string }{
	{"no", ""},
	{"Yes", "may be left out"},
	{"required for drivers with connection pools", "multi-threaded or pooled"},
	{"required for multi-threaded or asynchronous drivers", "multi-threaded or pooled"},
	{"required for single-threaded drivers", "single-threaded"},
	{"required if the driver's language/runtime allows", "if the language allows"},
}

// readURIOptions reads the names of options, the phrases for their values without links, the defaults in the table, who
// needs the option and which option replaces it.
func readURIOptions(open func(string) (*document, error)) ([]table, error) {
	d, err := open("uri-options/uri-options.md")
	if err != nil {
		return nil, err
	}
	at, err := d.find("| Name | Accepted Values |")
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at-1, "Name", "Accepted Values", "Default Value", "Optional to implement?", "Description")
	if err != nil {
		return nil, err
	}
	out := table{file: "options/uri.yaml", list: "rows", key: "name"}
	for _, r := range rows {
		if strings.Join(r.cells, "") == "" {
			continue // upstream has one empty row
		}
		x, err := readURIOption(d, r)
		if d.note(err) {
			continue
		}
		out.rows = append(out.rows, x)
	}
	return []table{out}, nil
}

func readURIOption(d *document, r mdRow) (row, error) {
	for i, text := range r.cells {
		r.cells[i] = link.ReplaceAllString(text, "$1")
	}
	standard := ""
	if m := literalDefault.FindStringSubmatch(r.cells[2]); m != nil {
		standard = strings.Join(m[1:], "") // one of them matched
	} else if !proseDefault.MatchString(r.cells[2]) {
		return row{}, d.errorf(r.line, "%q is not a known default", r.cells[2])
	}
	needed := -1
	for i, w := range whoNeedsOption {
		if strings.HasPrefix(strings.ReplaceAll(r.cells[3], "’", "'"), w.opening) {
			needed = i
		}
	}
	if needed < 0 {
		return row{}, d.errorf(r.line, "%q does not say in a known way who needs the option", r.cells[3])
	}
	x := row{
		key:   r.cells[0],
		facts: []fact{{"name", r.cells[0]}, {"values", r.cells[1]}, {"default", standard}, {"required", whoNeedsOption[needed].word}},
	}
	deprecated := ""
	if m := replacement.FindStringSubmatch(r.cells[4]); m != nil {
		deprecated = m[1]
	}
	x.facts = append(x.facts, fact{"deprecated", deprecated})
	return x, nil
}
