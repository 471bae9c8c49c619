package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wholeRun has every task that the README shows.
func wholeRun(t *testing.T) runReport {
	t.Helper()
	r := runReport{Revision: "abc", Nulls: []taskReport{{Results: []result{{Side: "bare", Nanoseconds: 20000}, {}}}}}
	known := map[string]bool{}
	for _, task := range (settings{pattern: everything}).tasks(ownDocuments()) {
		known[task.name] = true
	}
	for _, row := range readmeRows() {
		for _, name := range row.tasks {
			if !known[name] {
				t.Errorf("there is no task %q", name)
			}
			r.Tasks = append(r.Tasks, taskReport{Task: name, Ratio: 2.54, Results: []result{
				{Allocations: 7}, {Allocations: 1, Nanoseconds: 22000},
			}})
		}
	}
	return r
}

func TestREADMETakesItsFiguresFromAReport(t *testing.T) {
	dir := t.TempDir()
	readme, report := filepath.Join(dir, "README.md"), filepath.Join(dir, "report.json")
	if err := wholeRun(t).writeJSON(report); err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"", "old figures\n"} {
		if err := os.WriteFile(readme, []byte("before\n"+figuresStart+old+figuresEnd+"after\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := writeREADME(readme, report); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(readme)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"before\n" + figuresStart, figuresEnd + "after\n", "Revision abc",
			"| struct to BSON: by reflection, by generated code | 2.5, 2.5 | 7; 1 |\n",
			"took 22.0 us, a bare socket ping-pong 20.0 us.",
		} {
			if !strings.Contains(string(got), want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
		if strings.Contains(string(got), "old figures") {
			t.Errorf("the old figures are still there:\n%s", got)
		}
	}
}

func TestREADMERefusesAReport(t *testing.T) {
	void, short := wholeRun(t), wholeRun(t)
	void.Void = true
	short.Tasks = short.Tasks[1:]
	for name, r := range map[string]runReport{"void": void, "without a task": short} {
		if text, err := r.figures(); err == nil {
			t.Errorf("a report that is %s: %s", name, text)
		}
	}
}

// TestTheREADMEHasAPlaceForFigures reads the README of the repository.
func TestTheREADMEHasAPlaceForFigures(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), figuresStart)
	if !ok || !strings.Contains(rest, figuresEnd) {
		t.Errorf("the README has no lines %q and %q", figuresStart, figuresEnd)
	}
}

// The first rows say what the drivers take above a bare socket, except where the null test hides it.
func TestREADMEBeginsWithTheTimeAboveABareSocket(t *testing.T) {
	r := wholeRun(t)
	r.Above = []above{
		{Task: "ping", Goroutines: 1, Ratio: 8.12, Bare: 20, Onion: 23}, {Task: "findOne", Goroutines: 1, Ratio: 9, Bare: 20, Onion: 23, Spread: 2},
		{Task: "ping", Goroutines: 16, Ratio: 5, Bare: 20, Onion: 23},
	}
	got, err := r.figures()
	if want := "|---|---|---|\n| processor time above a bare socket (goroutines: 1): ping, findOne | 8.1, - | |\n" +
		"| processor time above a bare socket (goroutines: 16): ping | 5.0 | |\n"; err != nil || !strings.Contains(got, want) {
		t.Errorf("%v, %q is missing in\n%s", err, want, got)
	}
}
