package generator

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Run ignores stale pages. Docs reports and writes them, and deletes pages without a table. Only
// Docs needs the counts of tools/conformance.
func TestDocsUpdatesThePagesThatRunIgnores(t *testing.T) {
	root := checkoutFolder(t)
	var out bytes.Buffer
	if code := Docs(root, false, &out, &out); code != 2 || !strings.Contains(out.String(), results) {
		t.Fatalf("without the counts: exit %d: %s", code, &out)
	}
	counted, err := os.ReadFile(filepath.Join("..", "..", results))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(filepath.Join(root, results)), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, results), string(counted))
	if code := Docs(root, true, &out, &out); code != 0 {
		t.Fatalf("exit %d: %s", code, &out)
	}
	edit(t, root+"/specs/REFERENCE.md", "# ", "# Un")
	write(t, root+"/specs/server/old.md", "# Old\n")
	if code := Run(root, false, "", &out, &out); code != 0 {
		t.Errorf("Run looks at the pages: %s", &out)
	}
	out.Reset()
	if code := Docs(root, false, &out, &out); code != 1 {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"specs/REFERENCE.md:3: differs from specs/documentation.yaml", "specs/server/old.md: no table yields this file", "make docs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	out.Reset()
	code := Docs(root, true, &out, &out)
	did := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := []string{"wrote specs/REFERENCE.md", "removed specs/server/old.md"}; code != 0 || !slices.Equal(did, want) {
		t.Errorf("exit %d, %q, want %q", code, did, want)
	}
}
