package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/gen/suite"
)

// newSample returns a report of one suite with a case of each outcome.
func newSample() *report {
	file := &suite.File{Suite: "soup", Path: "source/soup/tests/hot.json"}
	pass, fail := &suite.Case{File: file, Name: "p"}, &suite.Case{File: file, Name: "<f>"}
	compiled := &suite.Result{Cases: []*suite.Case{pass, fail, {File: file, Name: "s", Skip: "too hot"}}}
	return newReport(compiled, map[*suite.Case]*outcome{
		pass: {done: true, passed: true, elapsed: 2 * time.Second, runs: map[string]*caseRun{"single-10.0": {passed: true}}},
		fail: {done: true, message: "<burnt>", runs: map[string]*caseRun{"single-9.0": {message: "<burnt>"}}}, compiled.Cases[2]: {},
	}, nil)
}

func TestJSONHasTheAgreedShape(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.json")
	if err := newSample().writeJSON(name); err != nil {
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
	want := `{"deployments":[{"deployment":"single-9.0","failed":1,"passed":0,"suite":"soup","topology":"single","version":"9.0"},` +
		`{"deployment":"single-10.0","failed":0,"passed":1,"suite":"soup","topology":"single","version":"10.0"}],` +
		`"failures":[{"case":"<f>","deployments":["single-9.0"],"file":"source/soup/tests/hot.json","message":"<burnt>","suite":"soup"}],` +
		`"skips":[{"case":"s","file":"source/soup/tests/hot.json","reason":"too hot","suite":"soup"}],` +
		`"slowest":[{"case":"p","file":"source/soup/tests/hot.json","seconds":2,"suite":"soup"}],` +
		`"suites":[{"cases":3,"failed":1,"files":1,"name":"soup","passed":1,"skipped":1}],` +
		`"totals":{"cases":3,"failed":1,"files":1,"passed":1,"skipped":1}}`
	if got := strings.TrimSpace(compact.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPageEscapesAndLinks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.html")
	if err := newSample().writeHTML(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"33.3 % of 3 cases pass", "&lt;burnt&gt;", `data-id="0"`, `id="f0"`, "hsl(72", "too hot", `data-id="d0" data-fails`, `id="fd0"`, "soup on single-9.0", "2.0 s<td>"} {
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
	if reason, except := s.reason(file, "part"), s.topologiesToSkip(file, "part"); reason != "" || !slices.Equal(except, []string{"sharded"}) {
		t.Errorf("a case that cannot run on one topology: reason %q, except %v", reason, except)
	}
	err = s.checkUnused(&suite.Result{Cases: []*suite.Case{{File: file}}})
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

func TestREADMEShowsBadgeAndTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	results := filepath.Join(filepath.Dir(name), filepath.FromSlash(resultsFile))
	if err := os.MkdirAll(filepath.Dir(results), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("# before\nOf them 1 of 2\n  cases pass.\n"+readmeBegin+"old\n"+readmeEnd+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newSample()
	r.Totals.Passed, r.Totals.Cases = 3918, 4473
	if err := r.writeREADME(name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "# before\nOf them 3,918 of 4,473\n  cases pass.\n" + readmeBegin + "![conformance: 3,918 of 4,473 cases pass](https://img.shields.io/badge/conformance-3%2C918%20of%204%2C473%20cases-orange)\n\n" +
		"| suite | cases | passed | failed | skipped |\n|---|---|---|---|---|\n| soup | 3 | 1 | 1 | 1 |\n| all | 4,473 | 3,918 | 1 | 1 |\n" + readmeEnd + "after\n"
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
	kept, err := os.ReadFile(results)
	if want := "[\n  {\"name\": \"soup\", \"cases\": 3, \"passed\": 1, \"failed\": 1, \"skipped\": 1}\n]\n"; err != nil || string(kept) != want {
		t.Errorf("the results are %s, %v", kept, err)
	}
	if err := os.WriteFile(name, []byte("no lines\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r.writeREADME(name) == nil {
		t.Error("a README without the lines is accepted")
	}
}

func TestMessagesNameTheirDeployments(t *testing.T) {
	o := &outcome{runs: map[string]*caseRun{
		"single-9.0": {message: "a_test.go:1: no\n\tdetails of one"}, "sharded-9.0": {message: "a_test.go:1: no\n\tdetails of another"},
		"single-8.0": {message: "a_test.go:2: other"}, "single-4.2": {passed: true, elapsed: time.Second},
	}}
	o.finish(time.Hour)
	want := "on sharded-9.0, single-9.0:\na_test.go:1: no\n\tdetails of another\non single-8.0:\na_test.go:2: other"
	if o.message != want || o.elapsed != time.Second {
		t.Errorf("got %q after %v, want %q", o.message, o.elapsed, want)
	}
}

// A case that waits for an account runs on a real deployment once the environment has its credentials.
func TestAccountsLiftSkips(t *testing.T) {
	s := &skips{Rows: []skipRow{
		{Suite: "s", File: "f", Case: "both", Reason: "needs accounts", Needs: []string{"A", "B"}},
		{Suite: "s", File: "f", Case: "other", Reason: "never"},
	}}
	f := &suite.File{Suite: "s", Base: "f"}
	for _, tt := range []struct {
		name     string
		accounts func(string) bool
		want     string
	}{
		{"in memory", nil, "needs accounts"},
		{"one of two", func(v string) bool { return v == "A" }, "needs accounts"},
		{"both", func(v string) bool { return v == "A" || v == "B" }, ""},
	} {
		s.accounts = tt.accounts
		if got := s.reason(f, "both"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if got := s.reason(f, "other"); got != "never" {
			t.Errorf("%s: the other case has the reason %q", tt.name, got)
		}
	}
}

// The README's picture is drawn from the results, so they must match its table.
func TestREADMEAndResultsAgree(t *testing.T) {
	data, err := os.ReadFile("results.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &report{}
	if err := json.Unmarshal(data, &r.Suites); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Suites {
		r.Totals.Cases += s.Cases
		r.Totals.Passed += s.Passed
		r.Totals.Failed += s.Failed
		r.Totals.Skipped += s.Skipped
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), r.badge()+"\n\n"+r.table()) {
		t.Errorf("the README shows other results than\n%s", r.table())
	}
	if got := casesPass.Find(readme); !strings.HasPrefix(string(got), thousands(r.Totals.Passed)+" of "+thousands(r.Totals.Cases)) {
		t.Errorf("the README's reasons say %q", got)
	}
	if !bytes.Equal(data, r.results()) {
		t.Error("results.json is not written as -readme writes it")
	}
}
