package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRunFindsWhatNoTestNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	for _, ask := range []string{"", "use"} {
		t.Run("ask "+ask, func(t *testing.T) { findWhatNoTestNotices(t, ask) })
	}
}

// findWhatNoTestNotices tries mutants one by one, or woven into one build.
func findWhatNoTestNotices(t *testing.T, ask string) {
	name := filepath.Join(t.TempDir(), "report.json")
	var out bytes.Buffer
	ok, err := run(t.Context(), &config{root: "testdata/mini", all: true, seed: 1, json: name, ask: ask}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		t.Error("half of the switches survived, and that was enough")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]verdict{}
	for _, f := range got.Mutants {
		verdicts[strings.Join([]string{f.Change, f.Was, f.Is}, "|")+" "+string(rune('0'+f.Line))] = f.Verdict
	}
	for change, want := range map[string]verdict{
		"the other|true|false 4":          killed,
		"the other|true|false 5":          survived,
		"another text|Watched|WatchedX 4": uncompiled,
	} {
		if verdicts[change] != want {
			t.Errorf("%s: %q, want %q; all: %v", change, verdicts[change], want, verdicts)
		}
	}
	if refusals := got.count("")[refused]; refusals != 2 {
		t.Errorf("gen refused %d mutants, want those of the two rows", refusals)
	}
	if text := out.String(); !strings.Contains(text, "survived: specs/flags.yaml:5: the other: true -> false\n") {
		t.Errorf("the survivor is not printed:\n%s", text)
	}
}

func TestMutants(t *testing.T) {
	tests := []struct {
		name, table string
		want        []string // the changes, without the file
	}{
		{"switch", "on: true", []string{"1: the other: true -> false"}},
		{"number", "n: 3\nd: 15ms\nh: 0x0f", []string{"1: one more: 3 -> 4", "2: one more: 15ms -> 16ms", "3: one more: 0x0f -> 0x10"}},
		{"negative number", "n: -1", []string{"1: one more: -1 -> 0"}},
		{"prose", "doc: true\nspec: [a, b]\noverride: {a: b}", nil},
		{"go name", "go: Name", nil},
		{"quoted text", `t: "é\"b"`, []string{`1: another text: "é\"b" -> "é\"bX"`}},
		{"behind letters of several bytes", `r: {a: "éé", b: true}`, []string{
			`1: without an entry: {a: "éé", b: true} -> {b: true}`, `1: without an entry: {a: "éé", b: true} -> {a: "éé"}`,
			`1: another text: "éé" -> "ééX"`, "1: the other: true -> false",
		}},
		{"list", "l: [a, b]\nm: []", []string{
			"1: without an element: [a, b] -> [b]", "1: without an element: [a, b] -> [a]",
			"1: another text: a -> aX", "1: another text: b -> bX",
		}},
		{"rows", "r:\n  - {k: 1}\n  # note\n  - {k: 2, x: true}\nn: 1", []string{
			"2: without the row: - {k: 1} -> nothing", "4: without the row: - {k: 2, x: true} -> nothing",
			"2: one more: 1 -> 2", "4: one more: 2 -> 3", "4: the other: true -> false",
			"2: with a column: nothing -> x: true,", "5: one more: 1 -> 2",
		}},
		{"word of a few", "r:\n  - k: a\n  - k: b\n  - k: a\n  - k: b\n", []string{
			"2: without the row: - k: a -> nothing", "3: without the row: - k: b -> nothing",
			"4: without the row: - k: a -> nothing", "5: without the row: - k: b -> nothing",
			"2: another word: a -> b", "3: another word: b -> a", "4: another word: a -> b", "5: another word: b -> a",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, err := newTable("f.yaml", tt.table)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range table.mutants {
				got = append(got, strings.TrimPrefix(m.String(), "specs/f.yaml:"))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// The rows of decisions have names for people, those of other tables have names for programs.
func TestNamesOfDecisionsAreKept(t *testing.T) {
	for file, want := range map[string]int{"lamp/decisions/light.yaml": 0, "lamp/lights.yaml": 2} {
		table, err := newTable(file, "rows:\n  - {name: On, when: {Bulb: Whole}}\n  - {name: Off, when: {Bulb: Broken}}\n")
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, m := range table.mutants {
			if m.what == "another text" && (m.with == "OnX" || m.with == "OffX") {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d names are changed, want %d", file, got, want)
		}
	}
}

func TestMutantKeepsTheRestOfTheTable(t *testing.T) {
	table, err := newTable("f.yaml", "a: 1\nb: true\nc: \"2\"\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range table.mutants {
		got = append(got, m.text())
	}
	want := []string{"a: 2\nb: true\nc: \"2\"\n", "a: 1\nb: false\nc: \"2\"\n", "a: 1\nb: true\nc: \"2X\"\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSampleTakesTablesInTurn(t *testing.T) {
	small, err := newTable("small.yaml", "a: 1")
	if err != nil {
		t.Fatal(err)
	}
	large, err := newTable("large.yaml", "a: 1\nb: 2\nc: 3")
	if err != nil {
		t.Fatal(err)
	}
	order := sample([]*table{small, large}, 7)
	if len(order) != 4 || order[0].table == order[1].table {
		t.Errorf("%v", order)
	}
	if again := sample([]*table{small, large}, 7); !slices.Equal(order, again) {
		t.Errorf("the same seed gives %v and %v", order, again)
	}
}

func TestTokensLeaveCommentsOut(t *testing.T) {
	a, b := tokensOf([]byte("// A.\npackage p\n\nvar x = 1 // one\n")), tokensOf([]byte("package p\n\n\nvar x = 1\n"))
	if !slices.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
	if slices.Equal(a, tokensOf([]byte("package p\n\nvar x = 2\n"))) {
		t.Error("another number is the same")
	}
}

// A second run continues where the first one stopped. It tries the survivors again, one of which has a row among the equivalents
// by now.
func TestContinueKnowsWhatWasKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/mini")); err != nil {
		t.Fatal(err)
	}
	cfg := &config{root: root, all: true, seed: 1, json: filepath.Join(root, "report.json"), goOn: true, trust: true}
	read := func() *report {
		var out bytes.Buffer
		if _, err := run(t.Context(), cfg, &out); err != nil {
			t.Fatal(err)
		}
		r, err := newReport(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := read()
	i := slices.IndexFunc(first.Mutants, func(f *fate) bool { return f.Verdict == survived })
	if i < 0 {
		t.Fatal("nothing survived")
	}
	f := first.Mutants[i]
	rows, err := json.Marshal(map[string]any{"rows": []map[string]string{
		{"file": f.File, "row": f.Row, "change": f.Change, "was": f.Was, "is": f.Is, "because": "nobody asks"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(equivalentsFile)), rows, 0o644); err != nil {
		t.Fatal(err)
	}
	second := read()
	if len(second.Mutants) != len(first.Mutants) || second.count("")[killed] != first.count("")[killed] {
		t.Errorf("%v, then %v", first.count(""), second.count(""))
	}
	if n := second.count("")[equivalent]; n != 1 {
		t.Errorf("%d are equivalent", n)
	}
}

func TestShareBoundsEquivalents(t *testing.T) {
	for want, counts := range map[float64]map[verdict]int{
		100: {killed: 97, equivalent: 3},
		93:  {killed: 90, equivalent: 10},
		95:  {killed: 94, equivalent: 1, survived: 5},
	} {
		if got := share(counts); got != want {
			t.Errorf("%v: %v, want %v", counts, got, want)
		}
	}
}

func TestOrderPutsTheBestKillerFirst(t *testing.T) {
	names := []string{"m/runtime/mongo", "m/runtime/exec", "m/generated/crud", "m/generated/index", "m/generated/sessions"}
	sizes := map[string]int{"m/runtime/mongo": 90, "m/generated/sessions": 60, "m/generated/crud": 60}
	k := kills{}
	for _, f := range []*fate{
		{File: "find", By: "m/generated/crud", Verdict: killed},
		{File: "find", By: "m/generated/crud", Verdict: killed},
		{File: "drop", By: "m/generated/index", Verdict: killed},
		{File: "drop", By: "m/runtime/exec", Verdict: killed},
		{File: "drop", By: "m/runtime/exec", Verdict: killed},
		{File: "find", By: "m/generated/sessions", Verdict: uncompiled},
	} {
		k.add(f)
	}
	for table, want := range map[string][]string{
		"find": {"m/generated/crud", "m/runtime/exec", "m/generated/index", "m/generated/sessions", "m/runtime/mongo"},
		"drop": {"m/runtime/exec", "m/generated/index", "m/generated/crud", "m/generated/sessions", "m/runtime/mongo"},
	} {
		size := func(name string) int { return sizes[name] }
		if got := k.order(names, table, size); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", table, got, want)
		}
	}
}

// A test that fails once and then passes has not noticed the mutant. The packages after it are still asked, and one that
// fails without any mutant ends the run.
func TestJudgeWantsAFailureTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	root := t.TempDir()
	mark := filepath.ToSlash(filepath.Join(root, "mark"))
	for name, text := range map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a/a_test.go": "package a\n\nimport (\"os\"; \"testing\")\n\nfunc TestOnce(t *testing.T) {\n\tif os.Mkdir(`" + mark + "`, 0o755) == nil { t.Error(\"busy\") }\n}\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestPasses(t *testing.T) {}\n",
		"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"wrong\") }\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		names []string
		want  verdict
		by    string
	}{
		{[]string{"m/b", "m/a"}, survived, ""},
	} {
		if err := os.RemoveAll(mark); err != nil {
			t.Fatal(err)
		}
		b, f := &bench{root: root, scratch: t.TempDir(), kills: kills{}, trusted: map[string]bool{}}, &fate{}
		if err := b.judge(t.Context(), f, "", tt.names); err != nil {
			t.Fatal(err)
		}
		if f.Verdict != tt.want || f.By != tt.by {
			t.Errorf("%q: %s by %q, want %s by %q", tt.names, f.Verdict, f.By, tt.want, tt.by)
		}
	}
	if err := os.RemoveAll(mark); err != nil {
		t.Fatal(err)
	}
	b := &bench{root: root, scratch: t.TempDir(), kills: kills{}, trusted: map[string]bool{}}
	err := b.judge(t.Context(), &fate{}, "", []string{"m/a", "m/b", "m/c"})
	if err == nil || !strings.Contains(err.Error(), "tests fail without any mutant: m/c") {
		t.Errorf("a package that fails anyway: %v", err)
	}
}
