package emit

import (
	"regexp"
	"strings"

	"github.com/dave/jennifer/jen"
)

var qualified = regexp.MustCompile(`\b([a-z0-9]+)\.([A-Z]\w*)`)

// addSource prints a declaration whose Go is easier to read as text than as calls. It adds an import
// for each package of imports that the text names, and prints the text unchanged otherwise.
func addSource(f *jen.File, code string) {
	f.Line()
	f.Add(sourceOf(code))
}

func sourceOf(code string) *jen.Statement {
	code = strings.TrimSpace(code)
	s, at := jen.Null(), 0
	for _, m := range qualified.FindAllStringSubmatchIndex(code, -1) {
		path, ok := imports[code[m[2]:m[3]]]
		if !ok || inComment(code, m[0]) {
			continue
		}
		s.Id(code[at:m[0]]).Qual(path, code[m[4]:m[5]])
		at = m[1]
	}
	return s.Id(code[at:])
}

// inComment reports whether the position at follows // on its line.
func inComment(code string, at int) bool {
	line := code[strings.LastIndexByte(code[:at], '\n')+1 : at]
	return strings.Contains(line, "//")
}
