// Importrules checks who imports whom in this module, that every function of generated/core has a caller, and that files,
// lines and functions are short and exported names commented, as `make check` does. It prints what breaks the rules and
// exits 1.
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
	"slices"
)

func main() {
	root, err := os.Getwd()
	if err == nil {
		err = check(root, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "importrules:", err)
		os.Exit(1)
	}
}

// check lists the packages of the module in a directory and prints what they may not import.
func check(root string, out io.Writer) error {
	packages, err := list(root)
	if err != nil {
		return err
	}
	var problems []string
	programs := map[string]bool{}
	for _, p := range packages {
		programs[p.ImportPath] = p.Name == "main"
	}
	codes, err := namedCodes(root)
	if err != nil {
		return err
	}
	for _, p := range packages {
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if programs[path] && path != p.ImportPath {
				problems = append(problems, fmt.Sprintf("%s imports %s: nothing imports a program", inModule(p.ImportPath), inModule(path)))
			}
		}
		problems = append(problems, p.problems()...)
		more, err := sourceProblems(p, codes)
		if err != nil {
			return err
		}
		problems = append(problems, more...)
	}
	unused, err := unusedProblems(root)
	if err != nil {
		return err
	}
	problems = append(problems, unused...)
	form, err := formProblems(root)
	if err != nil {
		return err
	}
	problems = append(problems, form...)
	for _, line := range problems {
		fmt.Fprintln(out, line)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d imports, names or lengths break the rules", len(problems))
	}
	return nil
}

// goPackage is what go list says of a package; import paths keep their module prefix.
type goPackage struct {
	Dir, ImportPath, Name              string
	GoFiles, CgoFiles, IgnoredGoFiles  []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
}

// list asks the go command for the packages below root, including any with the upstream build tag.
func list(root string) ([]goPackage, error) {
	fields := "Dir,ImportPath,Name,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports"
	args := []string{"list", "-e", "-json=" + fields}
	if _, err := os.Stat(filepath.Join(root, "generated", "upstream")); err == nil {
		args = append(args, "-tags=upstream")
	}
	cmd := exec.Command("go", append(args, "./...")...)
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
