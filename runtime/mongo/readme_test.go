package mongo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// linesBeforeRelease are the commands that the README gives for the time before a release.
func linesBeforeRelease(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "Until a release is published")
	_, rest, opened := strings.Cut(rest, "```\n")
	block, _, closed := strings.Cut(rest, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if !ok || !opened || !closed || len(lines) < 2 || !strings.HasPrefix(lines[0], "go mod edit") {
		t.Fatalf("the README's lines before a release are %q", lines)
	}
	return lines
}

// TestReadmeLinksEveryPath looks for paths of the repository in the text of the README that are no links.
func TestReadmeLinksEveryPath(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(readme), "\n## ") // the picture's sources are no text
	text = regexp.MustCompile("(?s)```.*?```|<!--.*?-->").ReplaceAllString(text, "")
	text = regexp.MustCompile("`[^`]* [^`]*`").ReplaceAllString(text, "") // commands
	text = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`).ReplaceAllString(text, "")
	for _, word := range regexp.MustCompile(`[A-Za-z.]+(/[A-Za-z0-9_.-]+)+|[A-Z]+\.md`).FindAllString(text, -1) {
		path := strings.TrimRight(word, ".")
		if _, err := os.Stat(filepath.Join("../..", path)); err == nil {
			t.Errorf("%s is no link", path)
		}
	}
}

// TestReadmeQuotesTheTable compares the row that the README shows with the table, which may have more columns.
func TestReadmeQuotesTheTable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```yaml\n")
	row, _, closed := strings.Cut(rest, "\n```")
	table, err := os.ReadFile("../../specs/errors/codes.yaml")
	row = strings.TrimSuffix(row, "}")
	if err != nil || !ok || !closed || !strings.Contains(string(table), row) {
		t.Errorf("specs/errors/codes.yaml does not hold %q, %v", row, err)
	}
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
	// The README says to clone the repository beside the module, and which lines to type there.
	beside := t.TempDir()
	if err := os.Symlink(root, filepath.Join(beside, "onion")); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(beside, "shop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(firstProgram(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range append([]string{"go mod init example.com/shop"}, linesBeforeRelease(t)...) {
		cmd := exec.Command("go", strings.Fields(line)[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	out, err := run.CombinedOutput()
	if err != nil || string(out) != "Grace 45\n" {
		t.Errorf("go run: %v\n%s", err, out)
	}
}
