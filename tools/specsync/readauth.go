package main

import (
	"regexp"
	"strings"
)

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	faasNote = regexp.MustCompile(`\[\^\d+\]`)
)

// readFaaS reads the variables that recognise an environment, and those that describe it.
func readFaaS(open func(string) (*document, error)) ([]table, error) {
	d, err := open("mongodb-handshake/handshake.md")
	if err != nil {
		return nil, err
	}
	at, err := d.section("FaaS", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Name", "Environment Variable")
	if err != nil {
		return nil, err
	}
	names := table{file: "auth/faas.yaml", list: "rows", key: "name"}
	for _, r := range rows {
		name, err := d.codeText(r, 0)
		if d.note(err) {
			continue
		}
		var variables []string
		understood := true
		for part := range strings.SplitSeq(faasNote.ReplaceAllString(r.cells[1], ""), " or ") {
			m := codeSpan.FindStringSubmatch(part)
			if m == nil || m[0] != part {
				d.note(d.errorf(r.line, "%q is not a variable", part))
				understood = false
				continue
			}
			variables = append(variables, m[1])
		}
		x := row{key: name, facts: []fact{{"name", name}}}
		if understood {
			x.facts = append(x.facts, fact{"variables", "[" + strings.Join(variables, ", ") + "]"})
		}
		names.rows = append(names.rows, x)
	}
	rows, err = d.table(rows[len(rows)-1].line, "Name", "Field", "Environment Variable", "Expected Type")
	if err != nil {
		return nil, err
	}
	fields, err := readFaaSFields(d, rows)
	return append(fields, names), err
}

func readFaaSFields(d *document, rows []mdRow) ([]table, error) {
	var out []table
	for _, r := range rows {
		if r.cells[0] != "" {
			name, err := d.codeText(r, 0)
			if d.note(err) {
				continue
			}
			out = append(out, table{file: "auth/faas.yaml", within: []step{{"rows", "name", name}}, list: "fields", key: "field"})
		}
		field, err := d.codeText(r, 1)
		if d.note(err) {
			continue
		}
		variable, err := d.codeText(r, 2)
		if d.note(err) {
			continue
		}
		if len(out) == 0 {
			d.note(d.errorf(r.line, "a field of no environment"))
			continue
		}
		field = strings.TrimPrefix(field, "client.env.")
		t := &out[len(out)-1]
		t.rows = append(t.rows, row{key: field, facts: []fact{{"field", field}, {"variable", variable}, {"type", r.cells[3]}}})
	}
	return out, nil
}

// readRegions reads the examples of hosts and regions. A region in angle brackets is an error; a host that is only
// described in words has no row.
func readRegions(open func(string) (*document, error)) ([]table, error) {
	d, err := open("auth/auth.md")
	if err != nil {
		return nil, err
	}
	at, err := d.section("Region Calculation", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Host", "Region", "Notes")
	if err != nil {
		return nil, err
	}
	out := table{file: "auth/regions.yaml", list: "rows", key: "host"}
	for _, r := range rows {
		host := r.cells[0]
		if strings.HasPrefix(host, `"`) {
			host = strings.Trim(host, `"`)
			if strings.Contains(host, " ") {
				continue
			}
		}
		region := r.cells[1]
		if strings.HasPrefix(region, "<") {
			region = "" // the example is an error
		}
		out.rows = append(out.rows, row{key: host, facts: []fact{{"host", host}, {"region", region}}})
	}
	return []table{out}, nil
}
