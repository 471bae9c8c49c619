package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// typeCheck type-checks the output and its tests before any file of the tree changes: the go command sees the new files
// in the place of the old ones. A mistake of a table that no check of the model knows ends here. Mistakes in files that
// people write do not count: a broken package cannot stop the generator. Outside a module there is nothing to check
// against.
func (t tree) typeCheck(want []output) error {
	if _, err := os.Stat(t.path("go.mod")); err != nil {
		return nil
	}
	scratch, err := os.MkdirTemp("", "gen")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	replace, packages := map[string]string{}, []string{}
	for i, f := range want {
		if path.Ext(f.path) != ".go" {
			continue
		}
		old, err := os.ReadFile(t.path(f.path))
		changed := err != nil || !bytes.Equal(old, f.content)
		if dir := "./" + path.Dir(f.path); !slices.Contains(packages, dir) && (changed || !strings.HasPrefix(f.path, suites)) {
			packages = append(packages, dir)
		}
		if changed {
			name := filepath.Join(scratch, fmt.Sprintf("%d.go", i))
			if err := os.WriteFile(name, f.content, 0o644); err != nil {
				return err
			}
			replace[f.path] = name
		}
	}
	orphans, err := t.orphans(want)
	for _, name := range orphans {
		if path.Ext(name) == ".go" {
			replace[name] = "" // as if it were gone
		}
	}
	if err != nil || len(replace) == 0 {
		return err
	}
	return t.compile(want, replace, packages, filepath.Join(scratch, "overlay.json"))
}

// suites hold the compiled scenarios. They import the driver, and are checked only when they themselves change.
const suites = "generated/conformance/"

// compile compiles packages and their tests, with files in the place of others. It links nothing.
func (t tree) compile(want []output, replace map[string]string, packages []string, overlay string) error {
	root, err := filepath.Abs(t.root)
	if err != nil {
		return err
	}
	absolute := map[string]string{}
	for name, with := range replace {
		absolute[filepath.Join(root, filepath.FromSlash(name))] = with
	}
	text, err := json.Marshal(map[string]any{"Replace": absolute})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o644)
	}
	if err != nil {
		return err
	}
	// The go command compiles what it is to export. What has not changed is in its cache; vet would look at it again.
	list := exec.Command("go", append([]string{"list", "-export", "-test", "-f=", "-overlay", overlay}, packages...)...)
	list.Dir = root
	out, err := list.CombinedOutput()
	if err == nil {
		return nil
	}
	var problems []error
	for _, m := range goError.FindAllStringSubmatch(string(out), -1) {
		name := filepath.ToSlash(m[1])
		is := func(f output) bool {
			return f.path == name || replace[f.path] != "" && filepath.ToSlash(replace[f.path]) == name
		}
		if i := slices.IndexFunc(want, is); i >= 0 {
			problems = append(problems, fmt.Errorf("%s: %s:%s: %s", t.blame(want[i], m[3]), want[i].path, m[2], m[3]))
		}
	}
	return errors.Join(problems...)
}

var (
	goError    = regexp.MustCompile(`(?m)^(?:\./)?(\S+\.go):(\d+):\d+: (.*)$`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// blame returns the first line of a table that names what the type checker complains about, or else the table.
func (t tree) blame(f output, complaint string) string {
	data, err := os.ReadFile(t.path(f.source))
	if err != nil {
		return f.source
	}
	for _, name := range identifier.FindAllString(complaint, -1) {
		word := regexp.MustCompile(`^[^#]*: .*\b` + name + `\b`)
		for i, line := range strings.Split(string(data), "\n") {
			if word.MatchString(line) {
				return fmt.Sprintf("%s:%d", f.source, i+1)
			}
		}
	}
	return f.source
}
