package main

import (
	"slices"
	"testing"
	"time"
)

// resultAround returns a ratio in the middle of an interval.
func resultAround(ratio, half float64) result {
	return result{
		Ratio: ratio, Interval: interval{ratio - half, ratio + half}, CPURatio: 1, CPUInterval: interval{0.99, 1.01},
	}
}

func TestNullVerdicts(t *testing.T) {
	cpu := resultAround(1, 0.01)
	cpu.CPURatio, cpu.CPUInterval = 1.1, interval{1.08, 1.12}
	tests := map[string]struct {
		last   result
		want   nullVerdict
		passes bool
	}{
		"equal":                             {resultAround(1, 0.01), nullOK, true},
		"within":                            {resultAround(1.03, 0.015), nullOK, true},
		"a side is favoured":                {resultAround(1.1, 0.02), nullFailed, false},
		"the other side is favoured":        {resultAround(0.9, 0.02), nullFailed, false},
		"wide":                              {resultAround(1, 0.2), nullWide, true},
		"wide, and too far away":            {resultAround(1.06, 0.2), nullWide, false},
		"the processor time favours a side": {cpu, nullFailed, false},
	}
	for name, tt := range tests {
		report := taskReport{Results: []result{{}, tt.last}}
		if got := report.nullVerdict(); got != tt.want || passesNull(report) != tt.passes {
			t.Errorf("%s: %s, passes %v; want %s, %v", name, got, passesNull(report), tt.want, tt.passes)
		}
	}
}

func TestNullTestsTakeTheFirstTask(t *testing.T) {
	sides := []side{{name: "official"}, {name: "onion"}}
	var names []string
	tasks := []task{{name: "a", family: "one", sides: sides, least: 7}, {name: "b", family: "one", sides: sides}}
	for i, n := range nullTests(tasks, side{name: "bare"}) {
		names = append(names, n.name)
		if len(n.sides) != 2 || n.sides[1].name != n.sides[0].name+" again" || !n.null || i > 0 && n.least != 7 {
			t.Errorf("%s: %+v", n.name, n)
		}
	}
	want := []string{"null test: bare, one", "null test: official, a", "null test: onion, a"}
	if !slices.Equal(names, want) {
		t.Errorf("null tests %q, want %q", names, want)
	}
}

// fakeRun measures two families whose null tests come out as verdict says. It counts how often each task was measured.
func fakeRun(verdict func(family string, nth int) result) (runReport, map[string]int) {
	sides := []side{{name: "official"}, {name: "onion"}}
	measured, nth := map[string]int{}, map[string]int{}
	family := ""
	m := runner{bare: side{name: "bare"}, progress: func(taskReport) {}, stopped: func() bool { return false },
		compare: func(n task) []result {
			if !n.null {
				measured[n.name]++
				return []result{{Ratio: 1}, {Ratio: 7}}
			}
			if n.sides[0].name == "bare" {
				family = n.name[len("null test: bare, "):]
			}
			nth[family]++
			return []result{{Ratio: 1}, verdict(family, nth[family])}
		}}
	r := m.measureRun([]task{{name: "a", family: "f", sides: sides}, {name: "b", family: "g", sides: sides}})
	return r, measured
}

// The null tests of a family run before and after its tasks. When one fails before them, the tasks are not measured, except
// in the last attempt: a void report still shows its figures.
func TestFamiliesAreRepeated(t *testing.T) {
	const nulls = 3
	bad, good, wide := resultAround(1.5, 0.1), resultAround(1, 0.01), resultAround(1, 0.2)
	tests := map[string]struct {
		verdict  func(family string, nth int) result
		attempts int
		void     []string
		measured int // runs in which the task of family f was measured
	}{
		"quiet":                 {func(string, int) result { return good }, 1, nil, 1},
		"busy at first":         {func(f string, n int) result { return pick(f == "f" && n <= nulls, bad, good) }, 2, nil, 1},
		"busy after the tasks":  {func(f string, n int) result { return pick(f == "f" && n > nulls && n <= 2*nulls, bad, good) }, 2, nil, 2},
		"busy in one family":    {func(f string, _ int) result { return pick(f == "f", bad, good) }, 3, []string{"f"}, 1},
		"busy all the time":     {func(string, int) result { return bad }, 3, []string{"f", "g"}, 1},
		"restless":              {func(string, int) result { return wide }, 1, nil, 1},
		"one is repeated alone": {func(_ string, n int) result { return pick(n == 2, wide, good) }, 1, nil, 1},
	}
	for name, tt := range tests {
		r, measured := fakeRun(tt.verdict)
		if r.Attempts != tt.attempts || r.Void != (tt.void != nil) || !slices.Equal(r.VoidFamilies, tt.void) {
			t.Errorf("%s: %d attempts, void %v %v; want %d, %v", name, r.Attempts, r.Void, r.VoidFamilies, tt.attempts, tt.void)
		}
		if measured["a"] != tt.measured || measured["b"] != 1 || len(r.Tasks) != 2 || r.Tasks[1].Ratio != 7 {
			t.Errorf("%s: measured %v, tasks %+v", name, measured, r.Tasks)
		}
	}
}

func pick(yes bool, a, b result) result {
	if yes {
		return a
	}
	return b
}

func TestAnInterruptedReportIsVoid(t *testing.T) {
	sides := []side{{name: "official"}, {name: "onion"}}
	done := 0
	m := runner{
		bare: side{name: "bare"}, compare: func(task) []result { return []result{{Ratio: 1}, resultAround(1, 0.01)} },
		progress: func(r taskReport) {
			if r.Task == "one" {
				done++
			}
		}, stopped: func() bool { return done > 0 },
	}
	report := m.measureRun([]task{{name: "one", family: "f", sides: sides}, {name: "two", family: "f", sides: sides}})
	if len(report.Tasks) != 1 || !report.Void {
		t.Errorf("%d tasks, void %v", len(report.Tasks), report.Void)
	}
}

func TestDisturbedRoundsDoNotCount(t *testing.T) {
	calm := [2]float64{10, 10}
	sides := [][][2]float64{{calm, calm, calm, {10, 30}}, {{5, 5}, {5, 6}, {5, 5}, {5, 5}}}
	if got, disturbed := calmRatios(sides, 1); disturbed != 1 || len(got) != 3 || got[0] != 2 {
		t.Errorf("%v, %d disturbed", got, disturbed)
	}
	sides[0][0], sides[0][1] = [2]float64{10, 20}, [2]float64{20, 10}
	if got, disturbed := calmRatios(sides, 1); disturbed != 0 || len(got) != 4 {
		t.Errorf("when most rounds are uneven: %v, %d disturbed", got, disturbed)
	}
}

func TestLoadOfProcesses(t *testing.T) {
	if got, want := busyOf("cpu  1 2 3 400 500 6 7 8 9 10"), 27*loadTick; got != want {
		t.Errorf("busy for %v, want %v", got, want)
	}
	if got, want := processTimeOf("12 (a b) c) S 1 2 3 4 5 6 7 8 9 10 30 12 0"), 42*loadTick; got != want {
		t.Errorf("a process used %v, want %v", got, want)
	}
	load := startOtherLoad()
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	if got := load(); got < 0 {
		t.Errorf("others took %v", got)
	}
}
