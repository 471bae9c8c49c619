package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath string
	Name       string
	Export     string // file with the compiler's export data
	GoFiles    []string
	CgoFiles   []string
	DepOnly    bool
	ImportMap  map[string]string
	Error      *struct{ Err string }
}

// load type-checks the package in dir without the file that is about to be written. Its imports come as export data, which
// the go command has or builds. typeError is the first thing that does not compile, which need not matter.
func load(dir, output string) (pkg *types.Package, typeError, err error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-export",
		"-json=ImportPath,Name,Export,GoFiles,CgoFiles,DepOnly,ImportMap,Error", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	exports := map[string]string{}
	var root *listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			root = &p
		}
	}
	if root == nil || root.Name == "" {
		return nil, nil, fmt.Errorf("no package in %s", dir)
	}
	return check(dir, output, root, exports)
}

func check(dir, output string, root *listed, exports map[string]string) (pkg *types.Package, typeError, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(root.GoFiles, root.CgoFiles...) {
		if name == output {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
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
		// An import without export data, or the methods that do not exist yet: fields whose type suffers show later.
		Error: func(error) {},
	}
	pkg, typeError = config.Check(root.ImportPath, fset, files, nil)
	return pkg, typeError, nil
}
