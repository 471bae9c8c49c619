package source

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Changed returns the mutant that gives functions of one package the bodies that they have in other files, and the package's
// files that hold them. was and is are the texts of files before and after, by their paths below the module. It returns nil if
// more than bodies differs: a woven package has them all, so everything around them must be the same. The exception is the
// constant of a decision's row, which may be gone, because only the bodies use it.
func Changed(was, is map[string]string) *Mutant {
	var places []*Mutant
	dir := ""
	for _, name := range slices.Sorted(maps.Keys(is)) {
		name = filepath.ToSlash(name)
		if dir == "" {
			dir = path.Dir(name)
		}
		if dir != path.Dir(name) {
			return nil
		}
		before, err := parse(name, was[name])
		if err != nil {
			return nil
		}
		after, err := parse(name, is[name])
		if err != nil {
			return nil
		}
		changed, ok := before.bodies(after)
		if !ok {
			return nil
		}
		places = append(places, changed...)
	}
	if len(places) == 0 {
		return nil
	}
	places[0].Also = places[1:]
	return places[0]
}

// bodies lists the functions of f that have other bodies in the other file. It reports whether all else is the same.
func (f *File) bodies(other *File) ([]*Mutant, bool) {
	mine, theirs := f.tree.Decls, other.tree.Decls
	if len(mine) != len(theirs) {
		return nil, false
	}
	var places []*Mutant
	for i, d := range mine {
		fn, isFunc := d.(*ast.FuncDecl)
		with, both := theirs[i].(*ast.FuncDecl)
		switch {
		case isFunc != both:
			return nil, false
		case !isFunc:
			if f.code(d) != other.code(theirs[i]) && !hasOnlyFewerRows(d, theirs[i]) {
				return nil, false
			}
		case fn.Name.Name != with.Name.Name || f.code(fn.Type) != other.code(with.Type) || recovers(fn):
			return nil, false
		case f.code(fn.Body) != other.code(with.Body):
			start := f.offset(fn.Body.Lbrace) + 1
			places = append(places, &Mutant{
				File: f, What: "another body", Was: f.text[start:f.offset(fn.Body.Rbrace)],
				With:  other.text[other.offset(with.Body.Lbrace)+1 : other.offset(with.Body.Rbrace)],
				start: start, hit: start, function: fn,
			})
		}
	}
	return places, true
}

// code returns the text of a node without comments and layout.
func (f *File) code(n ast.Node) string {
	src := []byte(f.textOf(n))
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(src)), src, nil, 0)
	var out strings.Builder
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return out.String()
		}
		out.WriteString(tok.String() + text + " ")
	}
}

// hasOnlyFewerRows reports whether two declarations list rows of a decision, the second none that the first lacks.
func hasOnlyFewerRows(was, is ast.Decl) bool {
	before, after := rows(was), rows(is)
	return len(after) > 0 && !slices.ContainsFunc(after, func(name string) bool { return !slices.Contains(before, name) })
}

// rows lists the constants of a declaration whose type is Row.
func rows(d ast.Decl) []string {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.CONST {
		return nil
	}
	var names []string
	for i, s := range g.Specs {
		v := s.(*ast.ValueSpec)
		if typ, ok := v.Type.(*ast.Ident); i == 0 && (!ok || typ.Name != "Row") {
			return nil
		}
		for _, name := range v.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
