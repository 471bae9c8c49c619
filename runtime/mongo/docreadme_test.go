package mongo_test

import (
	"os"
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

// TestReadmeLinksEveryPath looks for paths of the repository in the text of the README that are no links.
func TestReadmeLinksEveryPath(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(readme), "\n## ") // the picture's sources are no text
	text = regexp.MustCompile("(?s)```.*?```|<!--.*?-->").ReplaceAllString(text, "")
	text = regexp.MustCompile("`[^`]*`").ReplaceAllStringFunc(text, func(code string) string {
		if strings.ContainsAny(code, " \n") {
			return "" // a command
		}
		return code
	})
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
