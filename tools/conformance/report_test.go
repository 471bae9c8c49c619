package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/suite"
)

// sample is a report of one suite with a case of each outcome.
func sample() *report {
	file := &suite.File{Suite: "soup", Path: "source/soup/tests/hot.json"}
	pass, fail := &suite.Case{File: file, Name: "p"}, &suite.Case{File: file, Name: "<f>"}
	compiled := &suite.Result{Cases: []*suite.Case{pass, fail, {File: file, Name: "s", Skip: "too hot"}}}
	return newReport(compiled, map[*suite.Case]*outcome{
		pass: {done: true, passed: true}, fail: {done: true, message: "<burnt>"}, compiled.Cases[2]: {},
	}, nil)
}

func TestJSONHasTheAgreedShape(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.json")
	if err := sample().writeJSON(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var compact strings.Builder
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	want := `{"deployments":[],"failures":[{"case":"<f>","file":"source/soup/tests/hot.json","message":"<burnt>","suite":"soup"}],` +
		`"skips":[{"case":"s","file":"source/soup/tests/hot.json","reason":"too hot","suite":"soup"}],` +
		`"suites":[{"cases":3,"failed":1,"files":1,"name":"soup","passed":1,"skipped":1}],` +
		`"totals":{"cases":3,"failed":1,"files":1,"passed":1,"skipped":1}}`
	if got := strings.TrimSpace(compact.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPageEscapesAndLinks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.html")
	if err := sample().writeHTML(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"33.3 % of 3 cases pass", "&lt;burnt&gt;", `data-id="0"`, `id="f0"`, "hsl(72", "too hot"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(string(data), "<burnt>") || regexp.MustCompile(`(src|href)=`).Match(data) {
		t.Error("the page is not safe, or not self-contained")
	}
}

func TestSkipsMustMatch(t *testing.T) {
	name := filepath.Join(t.TempDir(), "skips.yaml")
	text := "table: skips\nrows:\n  - {suite: soup, file: hot, case: s, reason: r}\n  - {suite: soup, file: hot, case: gone, reason: r}\n" +
		"  - {suite: soup, file: hot, case: part, on: [sharded], reason: r}\n" +
		"  - {suite: salad, file: x, case: y, reason: r}\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := readSkips(name)
	if err != nil {
		t.Fatal(err)
	}
	file := &suite.File{Suite: "soup", Base: "hot"}
	if reason := s.reason(file, "s"); reason != "r" {
		t.Errorf("reason %q", reason)
	}
	if reason := s.reason(file, "other"); reason != "" {
		t.Errorf("another case is skipped: %q", reason)
	}
	if reason, except := s.reason(file, "part"), s.except(file, "part"); reason != "" || !slices.Equal(except, []string{"sharded"}) {
		t.Errorf("a case that cannot run on one topology: reason %q, except %v", reason, except)
	}
	err = s.unused(&suite.Result{Cases: []*suite.Case{{File: file}}})
	if want := `specs/skips.yaml: no case soup/hot: "gone"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSkipsNeedReasons(t *testing.T) {
	name := filepath.Join(t.TempDir(), "skips.yaml")
	if err := os.WriteFile(name, []byte("rows: [{suite: a, file: b, case: c}]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readSkips(name); err == nil {
		t.Error("a row without a reason is accepted")
	}
}
