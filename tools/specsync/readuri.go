package main

import (
	"regexp"
	"strings"
)

var link = regexp.MustCompile(`\[([^\]^]+)\]\([^)]*\)`)

// readURIOptions reads the names of options and the phrases for their values, without links.
func readURIOptions(open func(string) (*document, error)) ([]table, error) {
	d, err := open("uri-options/uri-options.md")
	if err != nil {
		return nil, err
	}
	at, err := d.find(`<span id="uri.options">`)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Name", "Accepted Values", "Default Value", "Optional to implement?", "Description")
	if err != nil {
		return nil, err
	}
	out := table{file: "options/uri.yaml", list: "rows", key: "name"}
	for _, r := range rows {
		if strings.Join(r.cells, "") == "" {
			continue // upstream has one empty row
		}
		values := link.ReplaceAllString(r.cells[1], "$1")
		out.rows = append(out.rows, row{key: r.cells[0], facts: []fact{{"name", r.cells[0]}, {"values", values}}})
	}
	return []table{out}, nil
}
