package guide_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var linked = regexp.MustCompile(`\[([^\]]+)\]\(([^)#:]+)\)`)

// TestTourNamesWhatExists follows the links in the tour of the source: a name that links to a Go file is declared there.
func TestTourNamesWhatExists(t *testing.T) {
	const page = "../../README.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, m := range linked.FindAllStringSubmatch(string(text), -1) {
		name, path := m[1], filepath.Join(filepath.Dir(page), filepath.FromSlash(m[2]))
		source, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("[%s]: %v", name, err)
			continue
		}
		if base := filepath.Base(path); filepath.Ext(base) != ".go" || base == "doc.go" || strings.Contains(name, ".") {
			continue
		}
		names++
		declared := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |\t)` + regexp.QuoteMeta(name) + `\b[\[( ]`)
		if !declared.Match(source) {
			t.Errorf("%s declares no %s", m[2], name)
		}
	}
	if names < 30 {
		t.Errorf("the tour names only %d functions and types", names)
	}
}
