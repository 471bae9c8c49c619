package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Files behind build tags do not compile with the others. The program reads the packages once for each set of tags that
// such files ask for, so it sees them all.

// A buildSet is what has to be set so that a file is built.
type buildSet struct{ tags, goos, goarch string }

// loadAll reads the packages as load does, and again for each build that has further files which import the driver. It
// returns the files that no build has as leaves.
func loadAll(ctx context.Context, s settings) (all []*packages.Package, broken []string, left []leave, err error) {
	all, broken, err = load(ctx, s.dir, buildSet{tags: s.tags}, s.patterns)
	if err != nil {
		return nil, nil, nil, err
	}
	seen := map[string]bool{}
	note := func(loaded []*packages.Package) {
		for _, p := range loaded {
			for _, path := range p.CompiledGoFiles {
				seen[path] = true
			}
		}
	}
	note(all)
	if len(broken) > 0 {
		return all, broken, nil, nil // one reason is enough
	}
	builds, unbuilt := map[buildSet][]string{}, []string{}
	for _, path := range driverFiles(s.dir, s.patterns) {
		if seen[path] {
			continue
		}
		switch set, ok := buildOf(path, s.tags); {
		case ok:
			builds[set] = append(builds[set], path)
		default:
			unbuilt = append(unbuilt, path)
		}
	}
	for _, set := range slices.SortedFunc(maps.Keys(builds), func(a, b buildSet) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}) {
		more, failed, err := load(ctx, s.dir, set, s.patterns)
		if err != nil {
			return nil, nil, nil, err
		}
		note(more)
		for _, what := range failed {
			broken = append(broken, fmt.Sprintf("with -tags=%s: %s", set.tags, what))
		}
		all = append(all, more...)
	}
	// What is left are programs of one file, with a tag such as ignore: go run takes them by name.
	for _, path := range append(unbuilt, slices.Concat(slices.Collect(maps.Values(builds))...)...) {
		if seen[path] {
			continue
		}
		one, _, err := load(ctx, s.dir, buildSet{tags: s.tags}, []string{path})
		if err == nil && len(one) > 0 {
			all = append(all, one...)
			continue
		}
		left = append(left, leave{at: token.Position{Filename: path, Line: 1, Column: 1},
			what: "no build of this module holds the file: it is as it was"})
	}
	return all, broken, left, nil
}

// driverFiles lists the files under the patterns that import the official driver, whatever their build constraints.
func driverFiles(dir string, patterns []string) (paths []string) {
	for _, pattern := range patterns {
		folder, whole := strings.CutSuffix(pattern, "...")
		if folder != "" && folder[0] != '.' && !filepath.IsAbs(folder) {
			continue // an import path
		}
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		root, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() && path != root {
				_, inner := os.Stat(filepath.Join(path, "go.mod"))
				name := d.Name()
				if !whole || inner == nil || name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") ||
					strings.HasPrefix(name, "_") {
					return filepath.SkipDir
				}
			}
			if !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasPrefix(d.Name(), "_") && !strings.HasPrefix(d.Name(), ".") {
				tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
				if err == nil && importsDriver(tree) && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
			return nil
		})
	}
	return paths
}

// constraintOf returns the constraint in a file, or nil.
func constraintOf(path string) constraint.Expr {
	tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return nil
	}
	return constraintIn(tree)
}

func constraintIn(tree *ast.File) constraint.Expr {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if c.Pos() < tree.Package && constraint.IsGoBuild(c.Text) {
				expr, _ := constraint.Parse(c.Text)
				return expr
			}
		}
	}
	return nil
}

// buildOf finds the smallest build that holds a file: its tags, and the system that its constraint or its name asks for.
func buildOf(path, tags string) (buildSet, bool) {
	expr := constraintOf(path)
	goos, goarch := nameConstraint(path)
	var asked []string
	systems, arches := []string{runtime.GOOS}, []string{runtime.GOARCH}
	for _, tag := range tagsOf(expr) {
		switch {
		case tag == "unix" || tag == "cgo" || tag == "gc" || strings.HasPrefix(tag, "go1."):
		case knownOS[tag]:
			systems = append(systems, tag)
		case knownArch[tag]:
			arches = append(arches, tag)
		default:
			asked = append(asked, tag)
		}
	}
	if goos != "" {
		systems = []string{goos}
	}
	if goarch != "" {
		arches = []string{goarch}
	}
	if slices.Contains(asked, "ignore") || len(asked) > 10 {
		return buildSet{}, false
	}
	given := strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
	for _, chosen := range subsets(asked) {
		for _, system := range systems {
			for _, arch := range arches {
				holds := func(tag string) bool {
					return slices.Contains(chosen, tag) || slices.Contains(given, tag) || tag == system || tag == arch ||
						tag == "gc" || tag == "unix" && system != "windows" && system != "plan9" && system != "js" ||
						strings.HasPrefix(tag, "go1.")
				}
				if expr != nil && !expr.Eval(holds) {
					continue
				}
				set := buildSet{tags: strings.Join(append(slices.Clone(given), chosen...), ",")}
				if system != runtime.GOOS || arch != runtime.GOARCH {
					set.goos, set.goarch = system, arch
				}
				return set, true
			}
		}
	}
	return buildSet{}, false
}

// tagsOf lists the tags of a constraint, each once.
func tagsOf(expr constraint.Expr) (tags []string) {
	switch e := expr.(type) {
	case *constraint.TagExpr:
		tags = []string{e.Tag}
	case *constraint.NotExpr:
		tags = tagsOf(e.X)
	case *constraint.AndExpr:
		tags = append(tagsOf(e.X), tagsOf(e.Y)...)
	case *constraint.OrExpr:
		tags = append(tagsOf(e.X), tagsOf(e.Y)...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// subsets lists all subsets, the small ones first.
func subsets(all []string) (out [][]string) {
	for mask := range 1 << len(all) {
		var one []string
		for i, tag := range all {
			if mask>>i&1 == 1 {
				one = append(one, tag)
			}
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b []string) int { return len(a) - len(b) })
	return out
}

// nameConstraint returns the system that the name of a file asks for, as in dump_windows_test.go.
func nameConstraint(path string) (goos, goarch string) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".go"), "_test"), "_")[1:]
	if n := len(parts); n > 0 && knownArch[parts[n-1]] {
		goarch, parts = parts[n-1], parts[:n-1]
	}
	if n := len(parts); n > 0 && knownOS[parts[n-1]] {
		goos = parts[n-1]
	}
	return goos, goarch
}

var (
	knownOS = wordSet("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris " +
		"wasip1 windows")
	knownArch = wordSet("386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
