package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/specdrivers/onion/gen/load"
)

// goCode holds what the Go files of a module say. It reads them on first use. Runs may share it.
type goCode struct {
	cited    func() ([]citation, error)      // the sections that comments cite
	tests    func() (map[string]bool, error) // the names of tests
	declared func() (map[string]bool, error) // the exported functions and methods of package mongo

	root    string
	folders map[string]map[string]bool // what the Go files of a folder declare, once somebody has asked
}

// readGoCode prepares to read the module in a folder, whose tables name the documents that comments cite.
func readGoCode(root, specs string) *goCode {
	return &goCode{
		root:    root,
		folders: map[string]map[string]bool{},
		cited: sync.OnceValues(func() ([]citation, error) {
			names := map[string]string{}
			for _, d := range load.NewTables(os.DirFS(specs)).Documents().Rows {
				names[strings.ToLower(d.Name)] = d.Path
			}
			return goCitations(root, names)
		}),
		tests:    sync.OnceValues(func() (map[string]bool, error) { return goTests(root) }),
		declared: sync.OnceValues(func() (map[string]bool, error) { return goMethods(filepath.Join(root, "runtime", "mongo")) }),
	}
}

// declarations lists what the Go files of a folder declare: Name and Type.Method.
func (c *goCode) declarations(folder string) map[string]bool {
	if c.folders[folder] == nil {
		c.folders[folder] = goDeclarations(filepath.Join(c.root, folder))
	}
	return c.folders[folder]
}

// start begins to read in the background, while the run does other work.
func (c *goCode) start() {
	go func() { _, _ = c.cited() }()
	go func() { _, _ = c.tests() }()
}

var declaringLine = regexp.MustCompile(`^func (?:\((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) )?(\w+)` +
	`|^type (\w+)|^(?:var|const) (\w+)|^\t(\w+) +(?:=|[\w.\[\]*]+ =)`)

// goDeclarations lists what the Go files of a folder declare, as formatted files open each.
func goDeclarations(folder string) map[string]bool {
	out := map[string]bool{}
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, name := range names {
		data, _ := os.ReadFile(name)
		for line := range bytes.Lines(data) {
			m := declaringLine.FindSubmatch(line)
			switch {
			case m == nil:
			case len(m[1]) > 0:
				out[string(m[1])+"."+string(m[2])] = true
			default:
				out[string(bytes.Join(m[2:], nil))] = true
			}
		}
	}
	return out
}
