package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listedPackage is what `go list -json` says of a package.
type listedPackage struct {
	ImportPath string
	Name       string
	Export     string // file with the compiler's export data
	GoFiles    []string
	CgoFiles   []string
	DepOnly    bool
	ImportMap  map[string]string
	Error      *struct{ Err string }
}

// loadedPackage is a package that is type-checked.
type loadedPackage struct {
	pkg       *types.Package
	typeError error             // the first thing that does not compile, which need not matter
	built     map[string]string // the build constraints of types that have one, by their names
}

// load type-checks the package without the file that is about to be written. Its imports come as export data, which the go
// command has or builds.
func (s *settings) load() (*loadedPackage, error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-export", "-tags="+s.tags,
		"-json=ImportPath,Name,Export,GoFiles,CgoFiles,DepOnly,ImportMap,Error", ".")
	cmd.Dir = s.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	exports := map[string]string{}
	var root *listedPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			root = &p
		}
	}
	if root == nil || root.Name == "" {
		return nil, fmt.Errorf("no package in %s", s.dir)
	}
	return s.typeCheck(root, exports)
}

func (s *settings) typeCheck(root *listedPackage, exports map[string]string) (*loadedPackage, error) {
	l := &loadedPackage{built: map[string]string{}}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(root.GoFiles, root.CgoFiles...) {
		if name == s.output {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(s.dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		l.note(file)
		files = append(files, file)
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if mapped, ok := root.ImportMap[path]; ok {
			path = mapped
		}
		if exports[path] == "" {
			return nil, errors.New("no export data for " + path)
		}
		return os.Open(exports[path])
	}
	config := types.Config{
		Importer:                 importer.ForCompiler(fset, "gc", lookup),
		IgnoreFuncBodies:         true,
		DisableUnusedImportCheck: true,
		// An import may lack export data, and the methods do not exist yet. Errors in the types of fields show later.
		Error: func(error) {},
	}
	l.pkg, l.typeError = config.Check(root.ImportPath, fset, files, nil)
	return l, nil
}

// note remembers the build constraint of a file for the types that it declares.
func (l *loadedPackage) note(file *ast.File) {
	expression := ""
	for _, group := range file.Comments {
		for _, c := range group.List {
			if x, err := constraint.Parse(c.Text); err == nil && c.Pos() < file.Package && constraint.IsGoBuild(c.Text) {
				expression = x.String()
			}
		}
	}
	if expression == "" {
		return
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					l.built[t.Name.Name] = expression
				}
			}
		}
	}
}

// constraint returns the build constraint under which all structs exist that get methods.
func (l *loadedPackage) constraint(m *model) string {
	var all []string
	for _, s := range m.structs {
		if x := l.built[s.named.Obj().Name()]; x != "" && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return "(" + strings.Join(all, ") && (") + ")"
}
