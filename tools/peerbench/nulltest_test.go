package main

import (
	"fmt"
	"slices"
	"testing"
)

func TestPassesNull(t *testing.T) {
	for ratio, want := range map[float64]bool{1: true, 1.049: true, 0.951: true, 1.051: false, 0.949: false, 3: false} {
		if got := passesNull(taskReport{Ratio: ratio}); got != want {
			t.Errorf("a null test of %g passes: %v", ratio, got)
		}
	}
}

func TestNullTestsCoverEveryFamily(t *testing.T) {
	sides := []side{{name: "official"}, {name: "onion"}}
	tasks := []task{
		{name: "a", family: "one", sides: sides}, {name: "b", family: "one", sides: sides}, {name: "c", family: "two", sides: sides},
	}
	var names []string
	for _, n := range nullTests(tasks, side{name: "bare"}) {
		names = append(names, n.name)
		if len(n.sides) != 2 || n.sides[1].name != n.sides[0].name+" again" {
			t.Errorf("%s compares %v", n.name, n.sides)
		}
	}
	want := []string{
		"null test: bare, bare", "null test: official, a", "null test: onion, a", "null test: official, c", "null test: onion, c",
	}
	if !slices.Equal(names, want) {
		t.Errorf("null tests %q, want %q", names, want)
	}
}

// The null tests run before and after the tasks. When one fails before them, the tasks are not measured, except in the last
// attempt: a void report still shows its figures.
func TestRunsAreRepeated(t *testing.T) {
	const nulls = 3
	tests := map[string]struct {
		bad      func(attempt, place int) bool // whether that comparison of a null test fails
		attempts int
		void     bool
		measured int // runs in which the task was measured
	}{
		"quiet":                  {func(int, int) bool { return false }, 1, false, 1},
		"busy at first":          {func(attempt, _ int) bool { return attempt == 0 }, 2, false, 1},
		"busy after the tasks":   {func(attempt, place int) bool { return attempt < 2 && place >= nulls }, 3, false, 3},
		"busy all the time":      {func(int, int) bool { return true }, 3, true, 1},
		"busy at the very end":   {func(_, place int) bool { return place == 2*nulls-1 }, 3, true, 3},
		"one bad null is enough": {func(attempt, place int) bool { return attempt == 0 && place == 1 }, 2, false, 1},
	}
	for name, tt := range tests {
		attempt, place, measured := 0, 0, 0
		compare := func(n task) []result {
			ratio := 1.0
			if n.name == "task" {
				measured++
				return []result{{Ratio: 1}, {Ratio: 7}}
			}
			if tt.bad(attempt, place) {
				ratio = 1.5
			}
			place++
			return []result{{Ratio: 1}, {Ratio: ratio}}
		}
		tasks := []task{{name: "task", family: "f", sides: []side{{name: "official"}, {name: "onion"}}}}
		failedBefore := false
		report := measureRun(tasks, side{name: "bare"}, compare, func(r taskReport) {
			failedBefore = failedBefore || place <= nulls && !passesNull(r) && r.Task != "task"
			if place == 2*nulls || place == nulls && failedBefore && attempt < attempts-1 {
				attempt, place, failedBefore = attempt+1, 0, false
			}
		}, func() bool { return false })
		if report.Attempts != tt.attempts || report.Void != tt.void || measured != tt.measured {
			t.Errorf("%s: %d attempts, void %v, measured %d times; want %d, %v, %d",
				name, report.Attempts, report.Void, measured, tt.attempts, tt.void, tt.measured)
		}
		if len(report.Tasks) != 1 || report.Tasks[0].Ratio != 7 {
			t.Errorf("%s: tasks %s", name, fmt.Sprint(report.Tasks))
		}
	}
}

func TestAnInterruptedReportIsVoid(t *testing.T) {
	tasks := []task{{name: "one", family: "f", sides: []side{{name: "official"}, {name: "onion"}}}, {name: "two", family: "f",
		sides: []side{{name: "official"}, {name: "onion"}}}}
	done := 0
	report := measureRun(tasks, side{name: "bare"}, func(task) []result { return []result{{Ratio: 1}, {Ratio: 1}} },
		func(r taskReport) {
			if r.Task == "one" {
				done++
			}
		}, func() bool { return done > 0 })
	if len(report.Tasks) != 1 || !report.Void {
		t.Errorf("%d tasks, void %v", len(report.Tasks), report.Void)
	}
}
