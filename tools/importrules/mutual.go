package main

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const mutualFile = "tools/importrules/mutual.txt"

// mutualLimits lists how many pairs of files that use each other a package may have; a package that is not listed may have none.
// The numbers may only fall.
//
//go:embed mutual.txt
var mutualLimits string

// mutualProblems compares the pairs of files that use each other with the limits of their packages. A limit that is too high is
// a problem too, so that a pair that is gone does not come back.
func mutualProblems(packages []goPackage, limits string) ([]string, error) {
	most, err := parseMutualLimits(limits)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range packages {
		name := inModule(p.ImportPath)
		pairs, err := mutualPairs(p)
		if err != nil {
			return nil, err
		}
		limit := most[name]
		delete(most, name)
		switch {
		case len(pairs) > limit:
			out = append(out, fmt.Sprintf("%s has %d pairs of files that use each other, %d are the limit: %s",
				name, len(pairs), limit, strings.Join(pairs, ", ")))
		case len(pairs) < limit:
			out = append(out, fmt.Sprintf("%s has %d pairs of files that use each other: lower its limit of %d in %s",
				name, len(pairs), limit, mutualFile))
		}
	}
	for name := range most {
		out = append(out, fmt.Sprintf("%s lists %s, which is not a package", mutualFile, name))
	}
	slices.Sort(out)
	return out, nil
}

func parseMutualLimits(text string) (map[string]int, error) {
	limits := map[string]int{}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		limit, err := strconv.Atoi(number)
		if err != nil || limit <= 0 {
			return nil, fmt.Errorf("mutual.txt: %q is not a package and a number above 0", strings.TrimSpace(line))
		}
		limits[name] = limit
	}
	return limits, nil
}

// mutualPairs lists the pairs of hand-written files of a package, outside tests, in which each file uses a name that the other
// declares: a type, function, variable, constant, method or field.
func mutualPairs(p goPackage) ([]string, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(f) {
			files = append(files, f)
		}
	}
	uses := usesOfFiles(fset, files)
	var pairs []string
	for use := range uses {
		if back := [2]string{use[1], use[0]}; use[0] < use[1] && uses[back] {
			pairs = append(pairs, use[0]+" and "+use[1])
		}
	}
	slices.Sort(pairs)
	return pairs, nil
}

// usesOfFiles says which file uses which other. Names of other packages stay unknown, as they cannot use this one; what the
// checker reports about them does not matter.
func usesOfFiles(fset *token.FileSet, files []*ast.File) map[[2]string]bool {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := config.Check("p", fset, files, info)
	uses := map[[2]string]bool{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(o.Pos()).Filename)
		if from != to {
			uses[[2]string{from, to}] = true
		}
	}
	return uses
}

// noImports makes every import an unknown package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }
