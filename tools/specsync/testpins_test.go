package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	tillTests = `{"description": "till", "schemaVersion": "1.0", "tests": [{"description": "opens", "operations": []}, {"description": "closes", "operations": [1.0]}]}`
	tillPath  = "till/tests/unified/till.json"
)

// TestTestFilesArePinned: specsync names the suite's file and the case, and what changes nothing of them is no news.
func TestTestFilesArePinned(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string // what the suite becomes; nothing removes the file
		report string
	}{
		{"nothing", nil, ""},
		{"spaces and lines", map[string]string{tillPath: strings.ReplaceAll(tillTests, ", ", ",\r\n\t")}, ""},
		{"a twin in YAML", map[string]string{"till/tests/unified/till.yml": "description: other\n"}, ""},
		{"programs and templates", map[string]string{"till/tests/Makefile": "all:\n", "till/tests/etc/x.py": "1", "till/tests/x.yml.template": "x"}, ""},
		{"a value", map[string]string{tillPath: strings.Replace(tillTests, "[1.0]", "[1]", 1)}, "changed tests " + tillPath + "\n    ~ case \"closes\"\n"},
		{"a new case", map[string]string{tillPath: strings.Replace(tillTests, `"tests": [`, `"tests": [{"description": "rings"}, `, 1)},
			"changed tests " + tillPath + "\n    + case \"rings\"\n"},
		{"a case that is gone", map[string]string{tillPath: strings.Replace(tillTests, `{"description": "opens", "operations": []}, `, "", 1)},
			"changed tests " + tillPath + "\n    - (1 cases)\n"},
		{"a version", map[string]string{tillPath: strings.Replace(tillTests, `"1.0"`, `"1.9"`, 1)},
			"changed tests " + tillPath + ": schema version 1.0 -> 1.9\n    ~ what is beside the cases, or their order\n"},
		{"a new file", map[string]string{"till/tests/unified/new.json": strings.Replace(tillTests, "opens", "rings", 1)},
			"added tests till/tests/unified/new.json: 2 cases\n"},
		{"a file with another name", map[string]string{tillPath: "", "till/tests/unified/drawer.json": tillTests},
			"moved tests till/tests/unified/drawer.json: they were " + tillPath + "\n"},
		{"a file in another folder", map[string]string{tillPath: "", "till/tests/legacy/till.json": tillTests},
			"moved tests till/tests/legacy/till.json: they were " + tillPath + "\n"},
		{"a file that is gone", map[string]string{tillPath: ""}, "removed tests " + tillPath + ": 2 cases\n"},
		{"a file that is broken", map[string]string{tillPath: "{"}, "changed tests " + tillPath + ": schema version 1.0 -> \n    - (2 cases)\n"},
		{"a new suite", map[string]string{"shelf/tests/shelf.json": tillTests}, "added tests shelf/tests/shelf.json: 2 cases\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := newPinnedShop(t)
			write(t, filepath.Join(from, "source", filepath.FromSlash(tillPath)), tillTests)
			write(t, filepath.Join(specs, testPins), "")
			pin(t, options{from: from, specs: specs, agree: true})
			for name, text := range c.files {
				name = filepath.Join(from, "source", filepath.FromSlash(name))
				if write(t, name, text); text == "" {
					if err := os.Remove(name); err != nil {
						t.Fatal(err)
					}
				}
			}
			report, behind := pin(t, options{from: from, specs: specs})
			if report != c.report || behind != (c.report != "") {
				t.Errorf("the report is\n%swant\n%s", report, c.report)
			}
			if !behind {
				return
			}
			name := "till"
			if strings.Contains(c.report, "shelf") {
				name = "shelf"
			}
			list, err := parseAcknowledgements([]string{name + ", " + allTests}, "they pass")
			if err != nil {
				t.Fatal(err)
			}
			if report, behind := pin(t, options{from: from, specs: specs, acknowledge: list}); behind {
				t.Errorf("the acknowledgement leaves\n%s", report)
			}
			if report, behind := pin(t, options{from: from, specs: specs, check: true}); behind {
				t.Errorf("after the acknowledgement:\n%s", report)
			}
		})
	}
}
