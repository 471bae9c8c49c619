package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// placeOverlay adds files of ours to moved packages: moved/over/PACKAGE/FILE.go.txt becomes PACKAGE/FILE.go. A declaration in such a
// file replaces the package's declaration of the same name. Packages that are not moved stay as they are.
func placeOverlay(folder string, files fs.FS, packages []string) error {
	return fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(packages, "./"+path.Dir(file)) {
			return err
		}
		src, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		ours, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		place := filepath.Join(folder, filepath.FromSlash(strings.TrimSuffix(file, ".txt")))
		if err := removeDeclared(filepath.Dir(place), declaredNames(ours)); err != nil {
			return err
		}
		return os.WriteFile(place, src, 0o644)
	})
}

// removeDeclared removes the declarations of the names from the files of a package.
func removeDeclared(folder string, names map[string]bool) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c := &cutter{fset: token.NewFileSet(), src: src}
		if c.tree, err = parser.ParseFile(c.fset, path, src, parser.SkipObjectResolution|parser.ParseComments); err != nil {
			return err
		}
		for _, d := range c.tree.Decls {
			c.removeNames(d, names)
		}
		if len(c.edits) == 0 {
			continue
		}
		if err := os.WriteFile(path, c.apply(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeNames removes the given names from a declaration.
func (c *cutter) removeNames(d ast.Decl, names map[string]bool) {
	list, ok := d.(*ast.GenDecl)
	if !ok {
		if names[functionName(d.(*ast.FuncDecl))] {
			c.put(d.Pos(), d.End(), "")
		}
		return
	}
	for _, s := range list.Specs {
		if !names[specName(s)] {
			continue
		}
		if list.Lparen.IsValid() {
			c.put(s.Pos(), s.End(), "")
		} else {
			c.put(d.Pos(), d.End(), "")
		}
	}
}

// declaredNames returns the names at the top of a file: of a method, with its type.
func declaredNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[functionName(d)] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				names[specName(s)] = true
			}
		}
	}
	delete(names, "")
	return names
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	name, _ := t.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name + "." + f.Name.Name
}

// specName returns the name of a type, or the first of variables and constants that are declared together; "" for an import.
func specName(s ast.Spec) string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name
	case *ast.ValueSpec:
		return s.Names[0].Name
	}
	return ""
}
