package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPinsFollowTheDocuments(t *testing.T) {
	from, specs := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(from, "source"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "source", "shop.md"), []byte("# Shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pins := filepath.Join(specs, "UPSTREAM")
	old := "commit 1\n" + strings.Repeat("0", 64) + "  shop.md\n"
	if err := os.WriteFile(pins, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name          string
		check, behind bool
		lines         int
	}{{"check reports", true, true, 1}, {"refresh writes", false, false, 1}, {"nothing is left", true, false, 0}} {
		var out bytes.Buffer
		behind, err := syncPins(from, specs, step.check, &out)
		if err != nil || behind != step.behind || strings.Count(out.String(), "\n") != step.lines {
			t.Errorf("%s: behind %v, error %v, report %q", step.name, behind, err, &out)
		}
	}
	if err := os.WriteFile(filepath.Join(from, "source", "annex.md"), []byte("# Annex\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := syncPins(from, specs, false, &out); err != nil || out.String() != "added "+pins+" annex.md\n" {
		t.Errorf("a new document: %v, %s", err, &out)
	}
	if behind, err := syncPins(from, specs, true, &bytes.Buffer{}); behind || err != nil {
		t.Errorf("the new document is still new: %v", err)
	}
	if err := os.Remove(filepath.Join(from, "source", "shop.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := syncPins(from, specs, true, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "UPSTREAM:2: ") {
		t.Errorf("a document that is gone: %v", err)
	}
}
