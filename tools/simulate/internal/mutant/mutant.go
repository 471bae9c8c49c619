package mutant

import (
	"encoding/json"
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

// Edit replaces a text that occurs once in a file of the module. Where the new text says PLANTED stands a condition that is
// true while the bug is wanted.
type Edit struct{ File, Old, New string }

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
	for file, changes := range byFile(mutants) {
		path := filepath.Join(root, filepath.FromSlash(file))
		text, err := changes.apply(path)
		if err != nil {
			return "", err
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

// change is an edit with its mutant's name.
type change struct {
	Edit
	name string
	at   int // where the old text stands
}

type changes []change

func byFile(mutants []Mutant) map[string]changes {
	files := map[string]changes{}
	for _, m := range mutants {
		for _, e := range m.Edits {
			files[e.File] = append(files[e.File], change{Edit: e, name: m.Name})
		}
	}
	return files
}

// apply makes all changes to the text of a file. They must not overlap.
func (all changes) apply(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := string(data)
	for i := range all {
		c := &all[i]
		if n := strings.Count(text, c.Old); n != 1 {
			return "", fmt.Errorf("%s: %q occurs %d times in %s", c.name, c.Old, n, c.File)
		}
		c.at = strings.Index(text, c.Old)
	}
	slices.SortFunc(all, func(a, b change) int { return a.at - b.at })
	var b strings.Builder
	done := 0
	for _, c := range all {
		if c.at < done {
			return "", fmt.Errorf("%s: the mutant before it in %s changes the same text", c.name, c.File)
		}
		b.WriteString(text[done:c.at])
		b.WriteString(strings.ReplaceAll(c.New, "PLANTED", fmt.Sprintf("planted(%q)", c.name)))
		done = c.at + len(c.Old)
	}
	return b.String() + text[done:], nil
}
