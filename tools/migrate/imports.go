package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// replaceImports replaces the official driver's packages with Onion's.
func (f *file) replaceImports() {
	have := map[string]bool{}
	for _, s := range f.tree.Imports {
		have[importPath(s)] = true
	}
	var std, own []string
	for _, path := range slices.Sorted(maps.Keys(f.extra)) {
		if path != "" && !have[path] {
			std = append(std, strconv.Quote(path))
		}
	}
	for _, short := range slices.Sorted(maps.Keys(f.names)) {
		if path := onionPaths[short]; !have[path] {
			line := strconv.Quote(path)
			if f.names[short] != short {
				line = f.names[short] + " " + line
			}
			own = append(own, line)
		}
	}
	for _, short := range slices.Sorted(maps.Keys(f.aliases)) {
		own = append(own, f.aliases[short]+" "+strconv.Quote(onionPaths[short]))
	}
	first := true
	for _, d := range f.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			if !f.isReplaced(spec) {
				continue
			}
			text := ""
			if _, official := officialPath(importPath(spec)); first && (official || f.isContainers(spec)) {
				text = strings.Join(own, "\n\t")
				first = false
			}
			f.editImport(g, spec, text)
		}
	}
	if first {
		f.addOnionImports(own)
	}
	f.addStandardImports(std)
}

// addOnionImports adds Onion's packages to a file that did not import the official driver.
func (f *file) addOnionImports(lines []string) {
	if len(lines) == 0 {
		return
	}
	for _, d := range slices.Backward(f.tree.Decls) {
		g, ok := d.(*ast.GenDecl)
		if ok && g.Tok == token.IMPORT && g.Lparen.IsValid() && len(g.Specs) > 0 {
			last := g.Specs[len(g.Specs)-1].(*ast.ImportSpec)
			gap := "\n\t"
			if !strings.Contains(importPath(last), ".") {
				gap = "\n\n\t" // after the standard library
			}
			f.insert(last.End(), gap+strings.Join(lines, "\n\t"))
			return
		}
	}
	text := "\n\nimport (\n\t" + strings.Join(lines, "\n\t") + "\n)"
	if n := len(f.tree.Imports); n > 0 {
		f.insert(f.tree.Imports[n-1].End(), text)
		return
	}
	f.insert(f.tree.Name.End(), text)
}

// isReplaced reports whether an import goes away: it does when this program knows the package.
func (f *file) isReplaced(s *ast.ImportSpec) bool {
	rest, ok := officialPath(importPath(s))
	if !ok { // a registry may have been all that needed reflect
		return !f.isStillNamed(s)
	}
	if rest == mtestPackage && !f.mongotest {
		f.report(s, "add -mongotest, and %s becomes tools/mtest, whose deployments live in the test", importPath(s))
		return false
	}
	if officialPackages[rest] == "" {
		f.report(s, "nothing takes the place of %s%s", importPath(s), placeAdvice(rest))
		return false
	}
	if s.Name != nil && (s.Name.Name == "." || s.Name.Name == "_") {
		f.report(s, "import %s by its name, then run this program again", importPath(s))
		return false
	}
	return true
}

func (f *file) editImport(g *ast.GenDecl, spec *ast.ImportSpec, text string) {
	if !g.Lparen.IsValid() {
		if text == "" {
			f.replace(g, "")
			return
		}
		f.replace(g, "import "+strings.ReplaceAll(text, "\n\t", "\nimport "))
		return
	}
	if text != "" {
		f.replace(spec, text)
		return
	}
	start, end := f.offset(spec.Pos()), f.offset(spec.End())
	for start > 0 && f.src[start-1] != '\n' {
		start--
	}
	for end < len(f.src) && f.src[end] != '\n' {
		end++
	}
	base := f.tree.FileStart
	f.replaceRange(base+token.Pos(start), base+token.Pos(min(end+1, len(f.src))), "")
}

// addStandardImports adds packages of the standard library next to those that the file imports.
func (f *file) addStandardImports(paths []string) {
	if len(paths) == 0 {
		return
	}
	for _, d := range f.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || !g.Lparen.IsValid() {
			continue
		}
		first := g.Specs[0].(*ast.ImportSpec)
		if strings.Contains(importPath(first), ".") {
			f.insert(first.Pos(), strings.Join(paths, "\n\t")+"\n\n\t")
			return
		}
		for _, path := range paths {
			f.insertSorted(g, path)
		}
		return
	}
	lines := "import " + strings.Join(paths, "\nimport ")
	if n := len(f.tree.Imports); n > 0 { // a file with a line for each
		f.insert(f.tree.Imports[n-1].End(), "\n"+lines)
		return
	}
	if len(paths) > 1 {
		lines = "import (\n\t" + strings.Join(paths, "\n\t") + "\n)"
	}
	f.insert(f.tree.Name.End(), "\n\n"+lines)
}

// insertSorted puts a package of the standard library where it belongs in the first group of a declaration.
func (f *file) insertSorted(g *ast.GenDecl, quoted string) {
	last := g.Specs[0].(*ast.ImportSpec)
	for _, s := range g.Specs {
		spec := s.(*ast.ImportSpec)
		if line := f.pkg.Fset.Position(spec.Pos()).Line; line > f.pkg.Fset.Position(last.End()).Line+1 ||
			strings.Contains(importPath(spec), ".") {
			break
		}
		if spec.Path.Value > quoted {
			f.insert(spec.Pos(), quoted+"\n\t")
			return
		}
		last = spec
	}
	f.insert(last.End(), "\n\t"+quoted)
}

// isStillNamed reports whether the new text names a package that was imported before.
func (f *file) isStillNamed(s *ast.ImportSpec) bool {
	name := ""
	if importPath(s) == "C" || s.Name != nil && (s.Name.Name == "." || s.Name.Name == "_") {
		return true
	}
	if s.Name != nil {
		name = s.Name.Name
	} else if o, ok := f.pkg.TypesInfo.Implicits[s].(*types.PkgName); ok {
		name = o.Name()
	}
	return name == "" || f.used[name]
}

func (f *file) isContainers(s *ast.ImportSpec) bool {
	return f.mongotest && strings.HasPrefix(importPath(s), containersModule)
}
