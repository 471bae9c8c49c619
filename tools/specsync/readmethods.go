package main

import (
	"regexp"
	"slices"
	"strings"
)

const methodTable = "sync/methods.yaml"

// methodic are the declarations whose methods are tabulated.
var methodic = []string{
	"Collection", "Database", "MongoClient", "ClientSession", "ChangeStream", "GridFSBucket", "IndexView",
	"SearchIndexView",
}

var methodLine = regexp.MustCompile(`^ +(?:[\w<>.\[\]]+ +)?(\w+)\(`)

// readMethods reads the methods of the declarations in all documents but those about tests and encryption.
func readMethods(from string, l *library) reader {
	return func(open openFunc) ([]table, error) {
		paths, err := l.specifications(from)
		if err != nil {
			return nil, err
		}
		out := table{file: methodTable, list: "rows", key: "document+declaration+method"}
		for _, path := range paths {
			if aboutTests(path) || strings.HasPrefix(path, "client-side-encryption/") {
				continue
			}
			d, err := open(path)
			if err != nil {
				return nil, err
			}
			for _, m := range d.methods() {
				if indexOf(out.rows, m.key) < 0 {
					out.rows = append(out.rows, m)
				}
			}
		}
		return []table{out}, nil
	}
}

// methods lists the methods of a document's declarations, an overloaded one only once.
func (d *document) methods() []row { return remembered(d, "methods", d.findMethods) }

func (d *document) findMethods() []row {
	var out []row
	for _, x := range d.declarations() {
		if !slices.Contains(methodic, x.name) {
			continue
		}
		indent := len(d.lines[x.line-1]) - len(strings.TrimLeft(d.lines[x.line-1], " "))
		comment := false
		for i, line := range d.lines[x.line:] {
			text := strings.TrimSpace(line)
			if d.kind(x.line+i) != code || text == "}" && len(line)-len(text) <= indent {
				break
			}
			comment = comment || strings.HasPrefix(text, "/*")
			if m := methodLine.FindStringSubmatch(line); m != nil && !comment && !strings.HasPrefix(text, "//") {
				out = append(out, row{
					key:   d.path + " " + x.name + " " + m[1],
					facts: []fact{{"document", d.path}, {"declaration", x.name}, {"method", m[1]}},
				})
			}
			if strings.Contains(text, "*/") {
				comment = false
			}
		}
	}
	return out
}
