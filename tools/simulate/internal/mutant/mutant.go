package mutant

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is a planted bug.
type Mutant struct {
	Name  string // what is wrong
	Edits []Edit
}

// Edit replaces a text that occurs once in a file of the module.
type Edit struct{ File, Old, New string }

// Overlay writes the changed files into a folder, and the file that the flag -overlay of the go command wants. A text that is
// not there, or more than once, is an error: the sources have moved on, and the mutant with them.
func (m Mutant) Overlay(root, folder string) (string, error) {
	changed := map[string]string{}
	for _, e := range m.Edits {
		path := filepath.Join(root, filepath.FromSlash(e.File))
		text, done := changed[path]
		if !done {
			data, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			text = string(data)
		}
		if n := strings.Count(text, e.Old); n != 1 {
			return "", fmt.Errorf("%s: %q occurs %d times in %s", m.Name, e.Old, n, e.File)
		}
		changed[path] = strings.Replace(text, e.Old, e.New, 1)
	}
	replace := map[string]string{}
	for path, text := range changed {
		copied := filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, data, 0o644)
}
