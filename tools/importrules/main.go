// Importrules checks who imports whom in this module, that every function of generated/core has a caller and every field of an option
// a reader, that few files of a package use each other, that files, lines and functions are short, and that exported names have
// comments, as `make check` does. It prints what breaks the rules and exits 1.
package main

import (
	"fmt"
	"io"
	"os"
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
		problems = append(problems, p.audienceProblem()...)
		more, err := sourceProblems(p, codes)
		if err != nil {
			return err
		}
		problems = append(problems, more...)
	}
	ineffective, err := ineffectiveFields(root)
	if err != nil {
		return err
	}
	unused, err := unusedProblems(root, ineffective)
	if err != nil {
		return err
	}
	problems = append(problems, unused...)
	mutual, err := mutualProblems(packages, mutualLimits)
	if err != nil {
		return err
	}
	problems = append(problems, mutual...)
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
