package guide_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Names in the text of a guide: inline code, outside the blocks.
var (
	blocks = regexp.MustCompile("(?s)```.*?```")
	inline = regexp.MustCompile("`[^`\n]+`")
	goName = regexp.MustCompile(`^(?:[a-z]+\.)?[A-Z][A-Za-z0-9]*(?:\.[A-Z][A-Za-z0-9]*)*(?:\(\))?$`)
	link   = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
)

// TestGuidesNameWhatExists looks up the names of Go in the text of the guides and of the pages that lead to them, and
// the files that they link to. The list of names is the one of tools/migrate, which another test keeps up to date.
func TestGuidesNameWhatExists(t *testing.T) {
	packages, exported, members := exportedNames(t)
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("%d guides, %v", len(guides), err)
	}
	pages := append(guides, "../README.md", "../../../README.md", "../../../tools/mongotest/README.md")
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := blocks.ReplaceAllString(string(data), "")
		for _, word := range inline.FindAllString(text, -1) {
			name := strings.TrimSuffix(strings.Trim(word, "`"), "()")
			if !goName.MatchString(name) {
				continue
			}
			pkg, rest, _ := strings.Cut(name, ".")
			known := members[name]
			switch {
			case packages[pkg]:
				known = exported[name]
			case pkg == strings.ToLower(pkg): // a variable, such as client, or the standard library
				known = members[rest] || standardPackages[pkg]
			}
			if path := namesElsewhere[name]; !known && (path == "" || !fileHas(t, path, name[strings.LastIndexByte(name, '.')+1:])) {
				t.Errorf("%s: nothing exported is named %s", page, name)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// TestPackageDocsLeadToTheGuides looks for the guide of each package in its documentation.
func TestPackageDocsLeadToTheGuides(t *testing.T) {
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal(guides, err)
	}
	for dir, names := range map[string][]string{
		"runtime/mongo":      append(guides, "tools/mongotest", "tools/migrate"),
		"bson":               {"guide/types.md"},
		"tools/mongotest":    {"README.md"},
		"runtime/mongodebug": {"guide/observing.md"},
		"runtime/mongootel":  {"guide/observing.md"},
		"runtime/mongokrb5":  {"README.md"},
	} {
		for _, name := range names {
			if !fileHas(t, filepath.Join(root, dir, "doc.go"), name) {
				t.Errorf("the documentation of %s does not name %s", dir, name)
			}
		}
	}
}

// TestDocLinksNameWhatExists looks up the links of the package's documentation.
func TestDocLinksNameWhatExists(t *testing.T) {
	_, exported, _ := exportedNames(t)
	text, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	// A line that is indented by a tab is code.
	text = regexp.MustCompile("(?m)^//\t.*").ReplaceAll(text, nil)
	links := regexp.MustCompile(`\[([A-Z][A-Za-z.]*)\]`).FindAllStringSubmatch(string(text), -1)
	if len(links) < 40 {
		t.Errorf("only %d links", len(links))
	}
	for _, m := range links {
		if !exported["mongo."+m[1]] {
			t.Errorf("package mongo has no %s", m[1])
		}
	}
}

// namesElsewhere are names that the list lacks, with the file that has them.
var namesElsewhere = map[string]string{
	"AllowRemote":           "../../mongodebug/page.go",
	"ShowValues":            "../../mongodebug/page.go",
	"page.Close":            "../../mongodebug/page.go",
	"RetryableError":        "../../../specs/errors/labels.yaml",
	"RetryableRead":         "../../../specs/errors/classes.yaml",
	"SystemOverloadedError": "../../../specs/errors/labels.yaml",
}

// standardPackages are the packages of the standard library that the guides name.
var standardPackages = map[string]bool{"context": true, "errors": true, "http": true, "slog": true, "time": true, "tls": true}

func fileHas(t *testing.T, path, word string) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), word)
}

// exportedNames returns the packages, the names with their packages, and the short forms that are enough where the context says the rest.
func exportedNames(t *testing.T) (packages, exported, members map[string]bool) {
	t.Helper()
	data, err := os.ReadFile("../../../tools/migrate/api.json")
	if err != nil {
		t.Fatal(err)
	}
	var api map[string]string
	if err := json.Unmarshal(data, &api); err != nil {
		t.Fatal(err)
	}
	packages, exported, members = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for name := range api {
		exported[name] = true
		parts := strings.Split(name, ".")
		packages[parts[0]] = true
		for i := range parts[1:] {
			members[strings.Join(parts[i+1:], ".")] = true
		}
		members[parts[len(parts)-1]] = true
	}
	return packages, exported, members
}
