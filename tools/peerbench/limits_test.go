package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

func TestLimitsListWhatMissesItsGoal(t *testing.T) {
	docs := ownDocuments()
	run := runReport{
		Tasks: []taskReport{
			{Task: "flat walk", Goal: 9, Ratio: 6, Results: []result{{}, {Nanoseconds: 900}}},
			{Task: "flat to D", Goal: 7, Ratio: 6, Results: []result{{}, {Nanoseconds: 700, Allocations: 8, Bytes: 8000}}},
			{Task: "findOne, 1 goroutines, canned", CPUGoal: 3, Results: []result{{}, {CPU: 24000, CPURatio: 2.5, Writes: 1}}},
			{Task: "deep walk", Goal: 9, Ratio: 9.1, Results: []result{{}, {Nanoseconds: 900}}},
			{Task: "without a goal", Ratio: 0.5, Results: []result{{}, {Nanoseconds: 900}}},
		},
	}
	list := run.limits(docs, func(task string) (elapsed, cpu float64, ok bool) {
		return 20000, 10000, strings.HasPrefix(task, "findOne")
	})
	if len(list) != 3 {
		t.Fatalf("%d limits, want three: %+v", len(list), list)
	}
	for i, want := range []struct{ task, bound string }{
		{"flat walk", "a walk by hand"},
		{"flat to D", "as many allocations of the same sum"},
		{"findOne, 1 goroutines, canned (processor time)", "the same over bare sockets"},
	} {
		if l := list[i]; l.Task != want.task || l.Bound != want.bound || l.BoundTime <= 0 || l.Reason == "" {
			t.Errorf("got %+v, want %s, bounded by %s", l, want.task, want.bound)
		}
	}
	if got := list[2].BoundTime; got != 10000 {
		t.Errorf("processor time is bounded by %g ns, want the processor time of bare sockets", got)
	}
	if got := list[0].Missing; math.Abs(got-300) > 0.1 {
		t.Errorf("the walk is too long by %g ns, want 300", got)
	}
	var b strings.Builder
	if err := printLimits(&b, list); err != nil || !strings.Contains(b.String(), "6.00x") {
		t.Errorf("printed as %s, %v", &b, err)
	}
}

func TestWalkByHandSeesEveryElement(t *testing.T) {
	for _, doc := range ownDocuments() {
		if got, want := countByHand(append(slices.Clone(doc.raw), make([]byte, 8)...)), countElements(doc.raw); got != want {
			t.Errorf("%s: %d elements, want %d", doc.name, got, want)
		}
	}
}

func countElements(doc bson.Raw) (n int) {
	for _, v := range doc.All() {
		n++
		if v.Type == 0x03 || v.Type == 0x04 {
			n += countElements(v.Value)
		}
	}
	return n
}

// TestEveryGoalHasAReason holds the reasons to the names of the tasks.
func TestEveryGoalHasAReason(t *testing.T) {
	for _, task := range (settings{pattern: everything}).tasks(ownDocuments()) {
		exempt := strings.HasPrefix(task.name, "Decimal128") || strings.HasPrefix(task.name, "ObjectID to")
		if (task.goal > 0 || task.cpuGoal > 0) && !exempt && limitReasons.of(task.name) == "" {
			t.Errorf("%s has a goal, and no reason in case that it is missed", task.name)
		}
	}
}
