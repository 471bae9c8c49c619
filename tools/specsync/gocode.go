package main

import (
	"os"
	"path/filepath"
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
