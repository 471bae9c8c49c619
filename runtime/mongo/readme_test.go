package mongo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// firstProgram is the first Go block of the README.
func firstProgram(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	program, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README has no Go block")
	}
	return program
}

func TestReadmeProgramIsTheExample(t *testing.T) {
	example, err := os.ReadFile("example_first_test.go")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer("package mongo_test", "package main", "func Example()", "func main()").Replace(string(example))
	before, _, ok := strings.Cut(got, "\t// Output:")
	if !ok {
		t.Fatal("the example has no output")
	}
	if want := firstProgram(t); before+"}\n" != want {
		t.Errorf("the README's program and the example differ:\n%s\nREADME:\n%s", before, want)
	}
}

func TestReadmeProgramRunsInAUsersModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	module := "module example.com/shop\n\ngo 1.26\n\nrequire github.com/specdrivers/onion v0.0.0\n\n" +
		"replace github.com/specdrivers/onion => " + root + "\n"
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": module, "go.sum": string(sums), "main.go": firstProgram(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", "-mod=mod", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := run.CombinedOutput()
	if err != nil || string(out) != "Grace 45\n" {
		t.Errorf("go run: %v\n%s", err, out)
	}
}
