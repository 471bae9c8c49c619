package main

import (
	"regexp"
	"strings"
)

var (
	interfaceStart = regexp.MustCompile(`^interface (\w+Event) \{ *$`)
	interfaceField = regexp.MustCompile(`^(\w+): (.+?);?$`)
)

// eventDocuments are the documents that declare events.
var eventDocuments = []string{commandDoc, poolDoc, sdamLogDoc}

// readEvents reads the declarations of events.
func readEvents(open func(string) (*document, error)) ([]table, error) {
	events := table{file: "events/events.yaml", list: "rows", key: "event"}
	var out []table
	for _, path := range eventDocuments {
		d, err := open(path)
		if err != nil {
			return nil, err
		}
		found := 0
		for i := 0; i < len(d.lines); i++ {
			m := interfaceStart.FindStringSubmatch(d.lines[i])
			if m == nil {
				continue
			}
			found++
			fields, end, err := readDeclaration(d, i+1)
			events.rows = append(events.rows, row{key: m[1], facts: []fact{{"event", m[1]}}})
			if d.note(err) {
				continue
			}
			out = append(out, table{
				file: "events/events.yaml", within: []step{{"rows", "event", m[1]}}, list: "fields", key: "name", rows: fields,
			})
			i = end
		}
		if found == 0 {
			return nil, d.errorf(1, "there are no events")
		}
	}
	return append(out, events), nil
}

// readDeclaration reads the fields of a block up to its closing brace, without comments.
func readDeclaration(d *document, from int) (fields []row, end int, err error) {
	comment := false
	for i := from; i < len(d.lines); i++ {
		line := strings.TrimSpace(d.lines[i])
		switch {
		case comment:
			comment = !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "/*"):
			comment = !strings.Contains(line, "*/")
		case line == "}":
			return fields, i, nil
		case line != "":
			m := interfaceField.FindStringSubmatch(line)
			if m == nil {
				return nil, 0, d.errorf(i+1, "%q is not a field", line)
			}
			fields = append(fields, row{key: m[1], facts: []fact{{"name", m[1]}, {"type", m[2]}}})
		}
	}
	return nil, 0, d.errorf(from, "the declaration has no end")
}
