package main

import (
	"bufio"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/upstream"
)

// seedRules reads the table from the checkout.
func seedRules(t *testing.T) []load.SeedRule {
	t.Helper()
	tables := load.NewTables(os.DirFS("../specs"))
	rules := tables.SeedRules().Rows
	for _, p := range tables.Problems() {
		t.Error(p)
	}
	if len(rules) == 0 {
		t.Fatal("the table has no rules")
	}
	return rules
}

func TestSeedRulesNameWhatShowsThem(t *testing.T) {
	tests := map[string][]string{}
	for _, r := range seedRules(t) {
		given := 0
		for _, column := range []string{r.Test, r.Upstream, r.Superseded, r.Layer} {
			if column != "" {
				given++
			}
		}
		if given != 1 {
			t.Errorf("%s: one of test, upstream, superseded and layer is expected", r.At)
		}
		if r.Test == "" {
			continue
		}
		dir, name, ok := cutLast(r.Test, ".")
		if tests[dir] == nil {
			tests[dir] = testNames(t, "../"+dir)
		}
		if !ok || !slices.Contains(tests[dir], name) {
			t.Errorf("%s: %s has no test called %s", r.At, dir, name)
		}
	}
}

func TestSeedRulesNameUpstreamFiles(t *testing.T) {
	source := upstream.Path(t, "source")
	for _, r := range seedRules(t) {
		if r.Upstream == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(source, filepath.FromSlash(r.Upstream))); err != nil {
			t.Errorf("%s: %v", r.At, err)
		}
	}
}

// Every line of a seed that obliges a driver has a row. The oldest seed has no such words. SEEDS names the directory of
// the seed documents; by default the test looks next to the checkout.
func TestSeedRulesAreComplete(t *testing.T) {
	seeds := cmp.Or(os.Getenv("SEEDS"), upstream.Path(t, "..", "seeds"))
	rules := seedRules(t)
	for _, seed := range []string{"000", "001", "003"} {
		files, _ := filepath.Glob(filepath.Join(seeds, seed+"_*.txt"))
		if len(files) != 1 {
			t.Skipf("no seed documents in %s", seeds)
		}
		have := map[int]bool{}
		for _, r := range rules {
			for _, line := range r.Lines {
				have[line] = have[line] || r.Seed == seed
			}
		}
		for _, line := range findObligations(t, files[0]) {
			if !have[line] {
				t.Errorf("%s:%d: no row of specs/seed-rules.yaml has the rule", files[0], line)
			}
		}
	}
}

var must = regexp.MustCompile(`\bMUST\b`)

func findObligations(t *testing.T, file string) []int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []int
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if must.MatchString(s.Text()) {
			lines = append(lines, n)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// testNames lists the test functions of a directory.
func testNames(t *testing.T, dir string) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	names := []string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
