package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// goPackage is what go list says of a package; import paths keep their module prefix.
type goPackage struct {
	Dir, ImportPath, Name, Doc         string
	Export                             string // the file of the compiled package
	GoFiles, CgoFiles, IgnoredGoFiles  []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
}

// list asks the go command for the packages below root, including any with the upstream build tag.
func list(root string) ([]goPackage, error) {
	args := []string{
		"-e",
		"-json=Dir,ImportPath,Name,Doc,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports",
	}
	if _, err := os.Stat(filepath.Join(root, "generated", "upstream")); err == nil {
		args = append(args, "-tags=upstream")
	}
	return runList(root, append(args, "./...")...)
}

// runList runs go list and reads the packages that it prints.
func runList(root string, args ...string) ([]goPackage, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}
