package mutant

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is a planted bug.
type Mutant struct {
	Name  string // what is wrong
	Edits []Edit
}

// Edit replaces a text that occurs once in a package of the module, whichever file it is in. PLANTED in the new text stands
// for a condition that is true while the bug is active.
type Edit struct{ Package, Old, New string }

// Variable is the environment variable that names the bug that a program with the overlay has.
const Variable = "SIMULATE_PLANTED"

// planted is the file that each changed package gets.
const planted = `package %s

import "os"

var plantedBug = os.Getenv("` + Variable + `")

func planted(name string) bool { return plantedBug == name }
`

// Overlay writes the files that mutants change into a folder, with all bugs in them, and the file that the flag -overlay of
// the go command wants. A text that is not there, or more than once, is an error: the sources have moved on, and the mutant
// with them.
func Overlay(mutants []Mutant, root, folder string) (string, error) {
	replace := map[string]string{}
	put := func(path, text string) error {
		copied := filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		replace[path] = copied
		return os.WriteFile(copied, []byte(text), 0o644)
	}
	files, err := byFile(mutants, root)
	if err != nil {
		return "", err
	}
	for path, f := range files {
		text, err := f.apply()
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		source, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		if err := put(path, text); err != nil {
			return "", err
		}
		added := filepath.Join(filepath.Dir(path), "planted_bugs.go")
		if err := put(added, fmt.Sprintf(planted, source.Name.Name)); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, data, 0o644)
}

// file is a source file with its changes.
type file struct {
	text    string
	changes []change
}

// change is an edit with its mutant's name.
type change struct {
	Edit
	name string
	at   int // where the old text is
}

// byFile finds the file of each edit. It reports every edit without a file.
func byFile(mutants []Mutant, root string) (map[string]*file, error) {
	files := map[string]*file{}
	var wrong []error
	for _, m := range mutants {
		for _, e := range m.Edits {
			path, text, err := e.find(root)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", m.Name, err))
				continue
			}
			if files[path] == nil {
				files[path] = &file{text: text}
			}
			files[path].changes = append(files[path].changes, change{e, m.Name, strings.Index(text, e.Old)})
		}
	}
	return files, errors.Join(wrong...)
}

// find finds the source file that holds the old text. A text that occurs more than once is an error.
func (e Edit) find(root string) (path, text string, err error) {
	sources, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(e.Package), "*.go"))
	if err != nil {
		return "", "", err
	}
	found := 0
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		data, err := os.ReadFile(source)
		if err != nil {
			return "", "", err
		}
		if n := strings.Count(string(data), e.Old); n > 0 {
			path, text, found = source, string(data), found+n
		}
	}
	if found != 1 {
		return "", "", fmt.Errorf("%q occurs %d times in %s", e.Old, found, e.Package)
	}
	return path, text, nil
}

// apply makes all changes to the text. They must not overlap.
func (f *file) apply() (string, error) {
	slices.SortFunc(f.changes, func(a, b change) int { return a.at - b.at })
	var b strings.Builder
	done := 0
	for _, c := range f.changes {
		if c.at < done {
			return "", fmt.Errorf("%s: the mutant before it changes the same text", c.name)
		}
		b.WriteString(f.text[done:c.at])
		b.WriteString(strings.ReplaceAll(c.New, "PLANTED", fmt.Sprintf("planted(%q)", c.name)))
		done = c.at + len(c.Old)
	}
	return b.String() + f.text[done:], nil
}
