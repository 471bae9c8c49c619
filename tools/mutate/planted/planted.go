// Package planted is for tools, not for users: it plants mistakes by replacing source text in an overlay of the go command. The
// sources stay as they are.
package planted

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

// Mistake is a mistake to plant.
type Mistake struct {
	Name  string // what is wrong
	Edits []Edit
}

// Edit replaces a text that occurs once in a source file, or in the source files of a folder. PLANTED in the new text
// stands for a condition that is true while the mistake is active; without it the mistake is always there.
type Edit struct{ In, Was, Is string }

// Variable is the environment variable that names the mistake that is active in a program with the overlay.
const Variable = "ONION_PLANTED"

const condition = "PLANTED"

// support is the file that each changed package gets.
const support = `package %s

import "os"

var plantedMistake = os.Getenv("` + Variable + `")

func planted(name string) bool { return plantedMistake == name }
`

// Overlay writes the files that mistakes change into a folder, with all mistakes in them, and the file that the flag -overlay
// of the go command wants. A text that occurs never or several times is an error: the sources have changed, and the mistake
// has to follow them.
func Overlay(mistakes []Mistake, root, folder string) (string, error) {
	files, err := byFile(mistakes, root)
	if err != nil {
		return "", err
	}
	texts := map[string]string{}
	for path, f := range files {
		text, err := f.apply()
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		texts[path] = text
		if !f.asksForMistake() {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		texts[filepath.Join(filepath.Dir(path), "planted_mistakes.go")] = fmt.Sprintf(support, source.Name.Name)
	}
	return Write(texts, folder)
}

// Write writes the texts that replace files, by the paths of the files, and returns the path of the overlay for the go command.
func Write(texts map[string]string, folder string) (string, error) {
	replace := map[string]string{}
	for path, text := range texts {
		path, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		copied := filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	return Replace(replace, folder)
}

// Replace writes an overlay that replaces files, by their paths, with others.
func Replace(files map[string]string, folder string) (string, error) {
	data, err := json.Marshal(map[string]any{"Replace": files})
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

// asksForMistake reports whether a change asks which mistake is active.
func (f *file) asksForMistake() bool {
	return slices.ContainsFunc(f.changes, func(c change) bool { return strings.Contains(c.Is, condition) })
}

// change is an edit with its mistake's name.
type change struct {
	Edit
	name string
	at   int // where the old text is
}

// byFile finds the file of each edit. It reports every edit without a file.
func byFile(mistakes []Mistake, root string) (map[string]*file, error) {
	files := map[string]*file{}
	var wrong []error
	for _, m := range mistakes {
		for _, e := range m.Edits {
			path, text, err := e.find(root)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", m.Name, err))
				continue
			}
			if files[path] == nil {
				files[path] = &file{text: text}
			}
			files[path].changes = append(files[path].changes, change{e, m.Name, strings.Index(text, e.Was)})
		}
	}
	return files, errors.Join(wrong...)
}

// find finds the source file that holds the old text. A text that occurs more than once is an error.
func (e Edit) find(root string) (path, text string, err error) {
	in := filepath.Join(root, filepath.FromSlash(e.In))
	sources := []string{in}
	if filepath.Ext(in) == "" {
		if sources, err = filepath.Glob(filepath.Join(in, "*.go")); err != nil {
			return "", "", err
		}
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
		if n := strings.Count(string(data), e.Was); n > 0 {
			path, text, found = source, string(data), found+n
		}
	}
	if found != 1 {
		return "", "", fmt.Errorf("%q occurs %d times in %s", e.Was, found, e.In)
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
			return "", fmt.Errorf("%s: the mistake before it changes the same text", c.name)
		}
		b.WriteString(f.text[done:c.at])
		b.WriteString(strings.ReplaceAll(c.Is, condition, fmt.Sprintf("planted(%q)", c.name)))
		done = c.at + len(c.Was)
	}
	return b.String() + f.text[done:], nil
}
