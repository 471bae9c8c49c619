package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// lineInFile matches the position of a compiler's message in a compiled test.
var lineInFile = regexp.MustCompile(`(?m)^(\S*_test\.go):\d+:`)

// failUnbuilt fails the cases in the files that the compiler complains about, and removes these files, so that the other cases of
// the package can run. If the compiler names no such file, it fails all cases of the package.
func (r *runner) failUnbuilt(pkg, output string) {
	r.builds[pkg] = "does not build:\n" + output
	files := map[string][]string{} // the compiler's lines, by file
	for line := range strings.Lines(output) {
		if m := lineInFile.FindStringSubmatch(line); m != nil {
			files[m[1]] = append(files[m[1]], line)
		}
	}
	left := len(r.pending[pkg])
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(r.root, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil || os.Remove(path) != nil {
			continue
		}
		for test := range maps.Clone(r.pending[pkg]) {
			if strings.Contains(string(text), "\nfunc "+test+"(") {
				r.settle(pkg, test, false, trimOutput("does not build:\n"+strings.Join(files[name], "")))
			}
		}
	}
	if len(r.pending[pkg]) == left {
		r.giveUp(pkg)
	}
}
