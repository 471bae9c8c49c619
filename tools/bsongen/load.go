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
// the go command has or builds.
func load(dir, output string) (*types.Package, error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-export",
		"-json=ImportPath,Name,Export,GoFiles,CgoFiles,DepOnly,ImportMap,Error", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	exports := map[string]string{}
	var root *listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
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
		return nil, fmt.Errorf("no package in %s", dir)
	}
	return check(dir, output, root, exports)
}

func check(dir, output string, root *listed, exports map[string]string) (*types.Package, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(root.GoFiles, root.CgoFiles...) {
		if name == output {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
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
		// The code may call the methods that do not exist yet; types that matter and are broken show later.
		Error: func(error) {},
	}
	pkg, err := config.Check(root.ImportPath, fset, files, nil)
	if pkg == nil {
		return nil, err
	}
	return pkg, nil
}
