package emit

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBehaviour runs the tests below testdata/behaviour inside the generated packages that they name by their place.
// They cannot stand there: only gen writes below generated/.
func TestBehaviour(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(root, "gen", "emit", "testdata", "behaviour")
	replace, packages := map[string]string{}, []string{}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if pkg := "./" + path.Dir(filepath.ToSlash(rel)); !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
		replace[filepath.Join(root, rel)] = name
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(overlay, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"test", "-overlay", overlay}, packages...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, pkg := range packages {
		if !strings.Contains(string(out), "ok  \t"+Module+strings.TrimPrefix(pkg, ".")) {
			t.Errorf("%s was not tested:\n%s", pkg, out)
		}
	}
}
