package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThePageNamesEveryTool compares the page about the tools with the folders next to it.
func TestThePageNamesEveryTool(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	tools := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		tools++
		if !strings.Contains(string(page), "\n| ["+e.Name()+"]("+e.Name()+") |") {
			t.Errorf("tools/README.md does not name %s", e.Name())
		}
	}
	if rows := strings.Count(string(page), "\n| ["); rows != tools {
		t.Errorf("%d rows for %d tools", rows, tools)
	}
}

// TestWhatIsOursIsThere looks up the places that CONTRIBUTING lists as ours although a library does something like it.
func TestWhatIsOursIsThere(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(page), "| place | in place of | why |")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|[^|]*\\| [^|]+ \\|$").FindAllStringSubmatch(list, -1)
	if !found || len(rows) != strings.Count(list, "\n| `") || len(rows) < 15 {
		t.Fatalf("%d rows, each of a place, what it is in place of, and why", len(rows))
	}
	for _, row := range rows {
		if files, err := filepath.Glob("../../" + row[1]); err != nil || len(files) == 0 {
			t.Errorf("CONTRIBUTING lists %s as ours, and there is none, %v", row[1], err)
		}
	}
}
