package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
)

// group is a group of exceptions, as exceptions holds it.
type group = struct {
	Table string   `yaml:"table"`
	Suite string   `yaml:"suite"`
	Rows  []string `yaml:"rows"`
}

func TestJudgeCoverage(t *testing.T) {
	all := []tableRow{{table: "soup", row: "hot"}, {table: "soup", row: "cold"},
		{table: "salad", row: "a {b}", pattern: regexp.MustCompile("^a .*$")},
		{table: "sauce", row: "pesto", names: []string{"pesto", "Pesto"}}}
	hot, cold, salad := "soup\thot", "soup\tcold", "salad\ta carrot"
	except := func(table string, rows ...string) []group { return []group{{table, "x", rows}} }
	tests := map[string]struct {
		notes  []string
		words  []string
		except []group
		most   int
		want   string
	}{
		"all touched":            {[]string{hot, cold, salad}, []string{"Pesto"}, nil, 0, ""},
		"one untouched":          {[]string{hot, salad}, []string{"pesto"}, nil, 0, "no case or test touches soup: cold"},
		"one not named":          {[]string{hot, cold, salad}, []string{"ketchup"}, nil, 0, "no case or test touches sauce: pesto"},
		"no case for a table":    {[]string{hot, cold}, []string{"pesto"}, nil, 0, "no case or test touches salad"},
		"excepted":               {[]string{hot, salad}, []string{"pesto"}, except("soup", "cold"), 1, ""},
		"excepted and touched":   {[]string{hot, cold, salad}, []string{"pesto"}, except("soup", "cold"), 1, "excepts soup: cold, which a case touches"},
		"excepted and named":     {[]string{hot, cold, salad}, []string{"pesto"}, except("sauce", "pesto"), 1, ""},
		"excepts nothing":        {[]string{hot, cold, salad}, []string{"pesto"}, except("soup", "warm"), 1, "excepts a row that is not there"},
		"more exceptions pinned": {[]string{hot, salad}, []string{"pesto"}, except("soup", "cold"), 0, "has 1 rows and says 0"},
		"fewer than pinned":      {[]string{hot, salad}, []string{"pesto"}, except("soup", "cold"), 2, "has 1 rows and says 2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			words := map[string]bool{}
			for _, w := range tt.words {
				words[w] = true
			}
			var out bytes.Buffer
			ok, err := judgeCoverage(all, tt.notes, words, &exceptions{Most: tt.most, Groups: tt.except}, &out)
			if err != nil || ok != (tt.want == "") || !strings.Contains(out.String(), tt.want) {
				t.Errorf("%v, %v: %s; want %q", ok, err, out.String(), tt.want)
			}
		})
	}
}

// TestEveryRowIsCovered does what make rows does, without the cases: one row in twelve is covered by them alone.
func TestEveryRowIsCovered(t *testing.T) {
	var out bytes.Buffer
	ok, err := reportCoverage("../..", nil, &out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out.String())
	if !ok {
		t.Error("rows are not covered, or specs/coverage.yaml is out of date")
	}
}

// TestExpectedRows: without cases, an exception stays to be judged, and one that nothing is like is refused.
func TestExpectedRows(t *testing.T) {
	except := &exceptions{Most: 2, Groups: []group{{"soup", "x", []string{"hot", "warm"}}}}
	all := []tableRow{{table: "soup", row: "hot"}, {table: "soup", row: "cold"}}
	notes := expected(all, except)
	var out bytes.Buffer
	ok, err := judgeCoverage(all, notes, nil, except, &out)
	want := "specs/coverage.yaml excepts a row that is not there: soup\twarm\n2 rows: our own cases touch 1, our tests name 0, only upstream suites exercise 2\n"
	if ok || err != nil || out.String() != want || !slices.Equal(notes, []string{"soup\tcold"}) {
		t.Errorf("%v, %v: %q, %q", ok, err, notes, &out)
	}
}

func TestNamedRowsReadEveryTable(t *testing.T) {
	specs := os.DirFS("../../specs")
	all, err := namedRows(specs)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.table] = true
	}
	files, err := fs.Glob(specs, "*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		table := strings.TrimSuffix(file, ".yaml")
		if table == "encryption/folding" {
			continue // code points, which package text compares with package unicode one by one
		}
		if !seen[table] && !slices.Contains(notedTables, table) && !isExplored(file) && !slices.Contains(load.FilesWithoutBehaviour(), path.Dir(file)) {
			t.Errorf("no rows of %s", file)
		}
	}
}

func TestWords(t *testing.T) {
	words := map[string]bool{}
	addWords(words, []byte("package p // comment\nvar a = F(\"$set of keys\", 91, `raw`)"))
	for _, want := range []string{"F", "a", "$set", "keys", "91", "raw", "$set of keys"} {
		if !words[want] {
			t.Errorf("%q is missing", want)
		}
	}
	if words["comment"] {
		t.Error("comments name nothing")
	}
}

func TestRowsReadEveryTable(t *testing.T) {
	tables := load.NewTables(os.DirFS("../../specs"))
	seen := map[string]int{}
	for _, r := range rows(tables) {
		seen[r.table]++
	}
	for _, p := range tables.Problems() {
		t.Error(p)
	}
	for _, table := range []string{"bson-types", "hello", "transitions", "server-errors", "selection-rules", "pool-states",
		"auth-mechanisms", "auth-properties", "uri", "uri rules", "uri warnings"} {
		if seen[table] == 0 {
			t.Errorf("no rows of %s", table)
		}
	}
}

// A package that notes nothing would make -rows slow, and a missing one would leave its rows untouched.
func TestTouchingFollowsImports(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tools/suite/soup/soup.go", "package soup\nfunc Run() { suite.Touch(\"soup\", \"hot\") }\n")
	write("tools/suite/menu/menu.go", "package menu\nimport \"github.com/specdrivers/onion/tools/suite/soup\"\n")
	write("tools/suite/table/table.go", "package table\nimport \"github.com/specdrivers/onion/tools/suite\"\n")
	for _, name := range []string{"soup", "menu", "table"} {
		write("generated/conformance/"+name+"/a_test.go", "package cases\nimport \"github.com/specdrivers/onion/tools/suite/"+name+"\"\n")
	}
	got, err := touchingPackages(root)
	if want := []string{"./generated/conformance/menu", "./generated/conformance/soup"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
