package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// placeShims puts packages of ours where the tests import the official driver's.
func placeShims(folder string) error {
	return fs.WalkDir(shims, "moved", func(path string, d fs.DirEntry, err error) error {
		if path == "moved/over" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		src, err := shims.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(d.Name(), ".go.txt")
		place := filepath.Join(folder, "internal/moved", name)
		if err := os.MkdirAll(place, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(place, name+".go"), src, 0o644)
	})
}

// shimPairs returns the pairs of texts that lead imports to the shims.
func shimPairs() []string {
	var pairs []string
	for _, path := range shimPaths() {
		inside := strings.Replace(path, "/moved/", "/", 1) + `"`
		pairs = append(pairs, inside, path+`"`, strings.Replace(inside, "/internal/", "/x/mongo/driver/", 1), path+`"`)
	}
	return pairs
}

// shimPaths returns the packages of ours.
func shimPaths() []string {
	var paths []string
	files, _ := shims.ReadDir("moved")
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		paths = append(paths, "go.mongodb.org/mongo-driver/v2/internal/moved/"+strings.TrimSuffix(f.Name(), ".go.txt"))
	}
	return paths
}

// replace makes the suite's replacements of text in the moved packages.
func (j job) replace(folder string) error {
	change, err := j.suite.Run.replacer()
	if err != nil {
		return err
	}
	for _, p := range j.suite.Run.Packages {
		paths, err := filepath.Glob(filepath.Join(folder, p, "*.go"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(importShims(change(string(src)))), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// replacer makes one function of all replacements: patterns, then texts.
func (r *runner) replacer() (func(string) string, error) {
	pairs := append(slices.Clone(r.Replace), shimPairs()...)
	for _, n := range r.Names {
		theirs, ours, _ := strings.Cut(n, " ")
		names, err := exportedNames("moved/" + ours + ".go.txt")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			pairs = append(pairs, theirs+"."+name, ours+"."+name)
		}
	}
	var patterns []*regexp.Regexp
	for i := 0; i+1 < len(r.Patterns); i += 2 {
		p, err := regexp.Compile(r.Patterns[i])
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, p)
	}
	texts := strings.NewReplacer(pairs...)
	return func(text string) string {
		for i, p := range patterns {
			text = p.ReplaceAllString(text, r.Patterns[2*i+1])
		}
		return texts.Replace(text)
	}, nil
}

// exportedNames lists a shim's functions, types, variables and constants, the longest name first: a name may begin
// another.
func exportedNames(shim string) ([]string, error) {
	src, err := shims.ReadFile(shim)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), shim, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range declaredNames(file) {
		if ast.IsExported(name) && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names, nil
}

// importShims adds the imports of shims that a file names.
func importShims(text string) string {
	for _, path := range shimPaths() {
		if name := "\n\t\"" + path + "\""; strings.Contains(text, filepath.Base(path)+".") && !strings.Contains(text, name) {
			text = strings.Replace(text, "import (", "import ("+name, 1)
		}
	}
	return text
}
