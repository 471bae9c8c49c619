package main

import (
	"os"
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
