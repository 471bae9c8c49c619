package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files in suites are complete: loading them checks every row.
func TestSuites(t *testing.T) {
	suites, err := loadSuites("suites")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		if s.Source.Npm != "" {
			name, version, _ := strings.Cut(s.Source.Version, " ")
			data, err := os.ReadFile(filepath.Join(s.Source.Npm, "package.json"))
			if want := `"` + name + `": "` + version + `"`; err != nil || !strings.Contains(string(data), want) {
				t.Errorf("%s: package.json has no %s: %v", s.Name, want, err)
			}
		}
		for _, name := range append(s.Run.Packages, s.Sample...) {
			if s.Source.Npm == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join("scripts/node", name)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

func TestLoadRefusesRowsThatAreNotWhole(t *testing.T) {
	const whole = `{name: n, title: t, source: {go: m, version: v1}, run: {kind: go, packages: [p]}, timeout: 1m,
  servers: [{topology: standalone, version: "8.0", passed: 1}]}`
	tests := []struct{ name, from, to, want string }{
		{"whole", "", "", ""},
		{"no version", ", version: v1", "", "a source has a version"},
		{"two sources", "go: m", "go: m, apt: p", "one of go, apt and npm"},
		{"a runner that is not known", "kind: go", "kind: rust", `"rust" is not known`},
		{"a column that is not known", "title: t", "title: t, colour: red", "colour"},
		{"no time", "timeout: 1m,", "", "a timeout"},
		{"no numbers", "passed: 1", "passed: 0", "either tests have passed"},
		{"numbers of a suite that never ran", "title: t", "title: t, unrun: why", "either tests have passed"},
		{"left out without a reason", "title: t", "title: t, leftOut: [{tests: x}]", "an expression and a reason"},
		{"failing without a reason", "title: t", "title: t, failing: [{test: x, kind: ours}]", "a kind"},
		{"failing for no known kind", "title: t", "title: t, failing: [{test: x, kind: bad, why: y}]", "a kind"},
		{"failing twice", "title: t", "title: t, failing: [{test: x, kind: flaw, why: y}, {test: x, kind: ours, why: z}]", "listed twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			text := strings.Replace(whole, test.from, test.to, 1)
			if err := os.WriteFile(filepath.Join(folder, "x.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := loadSuites(folder)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
