package interop

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of differences in README.md")

// README.md lists the differences that the rows describe.
func TestReadmeListsTheDifferences(t *testing.T) {
	const begin, end = "<!-- differences -->\n", "<!-- end of differences -->"
	content, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(content), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("README.md has no place for the list")
	}
	var list strings.Builder
	names := map[string]bool{}
	for _, d := range Differences {
		if names[d.Name] {
			t.Errorf("two differences are called %q", d.Name)
		}
		names[d.Name] = true
		fmt.Fprintf(&list, "- **%s**: %s.\n", d.Name, d.Manual)
	}
	want := head + begin + list.String() + end + tail
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(content) {
		t.Error("README.md does not list the differences as the rows describe them: go test -run TestReadme -update")
	}
}
