package main

import (
	"regexp"
	"slices"
	"strings"
)

const methodTable = "sync/methods.yaml"

// declarationsWithMethods are the declarations that methods.yaml lists every method of.
var declarationsWithMethods = []string{
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
			if isAboutTests(path) || strings.HasPrefix(path, "client-side-encryption/") {
				continue
			}
			d, err := open(path)
			if err != nil {
				return nil, err
			}
			for _, m := range d.methods() {
				if i := indexOf(out.rows, m.key); i < 0 {
					m.facts = slices.Clone(m.facts) // overloads are added, and the document remembers its methods
					out.rows = append(out.rows, m)
				} else { // an overload
					declared := &out.rows[i].facts[len(m.facts)-1]
					declared.value += "; " + m.facts[len(m.facts)-1].value
				}
			}
		}
		return []table{out}, nil
	}
}

// methods lists the methods of a document's declarations, an overloaded one several times.
func (d *document) methods() []row { return remember(d, "methods", d.findMethods) }

func (d *document) findMethods() []row {
	var out []row
	for _, x := range d.declarations() {
		if !slices.Contains(declarationsWithMethods, x.name) {
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
					key: d.path + " " + x.name + " " + m[1],
					facts: []fact{
						{"document", d.path}, {"declaration", x.name}, {"method", m[1]}, {"declared", d.signature(x.line + i)},
					},
				})
			}
			if strings.Contains(text, "*/") {
				comment = false
			}
		}
	}
	return out
}

// signature returns a method's result, parameters and their types as upstream declares them, from a line up to where its parentheses
// and what follows them end.
func (d *document) signature(at int) string {
	var words []string
	open := 0
	for ; at < len(d.lines) && d.kind(at) == code; at++ {
		text, _, _ := strings.Cut(d.lines[at], " //")
		words = append(words, strings.Fields(text)...)
		if open += strings.Count(text, "(") - strings.Count(text, ")"); open <= 0 {
			break
		}
	}
	return strings.TrimRight(strings.Join(words, " "), ";{ ")
}
