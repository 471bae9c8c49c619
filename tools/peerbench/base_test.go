package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// passesOf are passes in which this revision and the null test take these multiples of the base's time.
func passesOf(now, null []float64) (list []basePass) {
	for i := range now {
		list = append(list, basePass{now: now[i], null: null[i], allocations: [members]float64{3, 3, 3}})
	}
	return list
}

func TestComparisonOfRevisions(t *testing.T) {
	same := []float64{1, 1.004, 0.996, 1.002, 0.998, 1.001}
	times := func(f float64) (out []float64) {
		for _, v := range same {
			out = append(out, f*v)
		}
		return out
	}
	wide := []float64{0.9, 1.1, 0.92, 1.08, 0.95, 1.07}
	more, once := passesOf(same, same), passesOf(same, same)
	for i := range more {
		more[i].allocations[nowMember]++
	}
	once[0].allocations[nowMember]++
	tests := map[string]struct {
		passes  []basePass
		verdict string
		want    error
	}{
		"equal":                   {passesOf(same, same), "", nil},
		"one slow pass":           {passesOf([]float64{1, 1.2, 1, 1, 1, 1}, same), "", nil},
		"faster":                  {passesOf(times(0.9), same), isFaster, nil},
		"a little slower":         {passesOf(times(1.03), same), isSlower, nil},
		"slower":                  {passesOf(times(1.1), same), isWorse, errSlower},
		"slower within the noise": {passesOf(times(1.1), []float64{0.96, 1.04, 0.96, 1.04, 1, 1}), "", nil},
		"a restless machine":      {passesOf(times(1.1), wide), isVoid, errVoid},
		"allocates more":          {more, isWorse, errSlower},
		"allocates more once":     {once, "", nil},
	}
	for name, tt := range tests {
		v := &versus{task: task{name: "findOne"}, passes: tt.passes}
		var b strings.Builder
		if err := printComparison(&b, []*versus{v}); !errors.Is(err, tt.want) || v.verdict() != tt.verdict {
			t.Errorf("%s: %q, %v; want %q, %v\n%s", name, v.verdict(), err, tt.verdict, tt.want, &b)
		}
	}
	if err := printComparison(io.Discard, nil); err == nil {
		t.Error("a comparison of nothing succeeds")
	}
}

// A void task does not hide the others: every one is printed with what it says about the base.
func TestAVoidComparisonPrintsTheBase(t *testing.T) {
	var b strings.Builder
	list := []*versus{
		{task: task{name: "restless"}, passes: passesOf([]float64{1.5, 1.5}, []float64{0.5, 2})},
		{task: task{name: "calm"}, passes: passesOf([]float64{0.5, 0.5}, []float64{1, 1})},
	}
	err := printComparison(&b, list)
	if got := b.String(); !errors.Is(err, errVoid) || !strings.Contains(got, "1.500") || !strings.Contains(got, "faster") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestATaskEndsWhenItIsKnown(t *testing.T) {
	calm, wild := []float64{1, 1, 1, 1, 1, 1}, []float64{0.8, 1.2, 0.8, 1.2, 0.8, 1.2}
	for name, tt := range map[string]struct {
		v    versus
		want bool
	}{
		"few passes":         {versus{passes: passesOf(calm[1:], calm[1:])}, false},
		"narrow":             {versus{passes: passesOf(calm, calm)}, true},
		"wide":               {versus{passes: passesOf(wild, calm)}, false},
		"a wide null test":   {versus{passes: passesOf(calm, wild)}, false},
		"wide for long":      {versus{passes: passesOf(wild, wild), spent: baseTime + time.Second}, true},
		"few, but very long": {versus{passes: passesOf(wild[1:], wild[1:]), spent: time.Hour}, false},
	} {
		if got := tt.v.settled(); got != tt.want {
			t.Errorf("%s: settled is %v", name, got)
		}
	}
}

// spin takes the processor for a while.
func spin(d time.Duration) {
	for used := cpuTime(); cpuTime()-used < d; {
	}
}

// A team of workers that talk through pipes finds out that a member takes twice as long, and that the null test is even.
func TestATeamComparesProcessorTime(t *testing.T) {
	var members team
	for i, cost := range []time.Duration{baseMember: 50 * time.Microsecond, nowMember: 100 * time.Microsecond, nullMember: 50 * time.Microsecond} {
		in, say := io.Pipe()
		hear, out := io.Pipe()
		run := side{name: "onion", run: func(n int) {
			for range n {
				spin(cost)
			}
		}}
		go work([]task{{name: "spin", sides: []side{run}, computes: true}}, in, out)
		w, err := meet(say, hear, say.Close)
		if err != nil || !slices.Equal(w.tasks, []string{"spin"}) {
			t.Fatalf("%v, %v", w.tasks, err)
		}
		members[i] = w
	}
	p, err := members.pass(task{name: "spin"}, 3)
	if err != nil || p.now < 1.5 || p.now > 2.7 || p.null < 0.7 || p.null > 1.4 || p.cpu[baseMember] < 50e3 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := members.pass(task{name: "else"}, 1); err == nil || !strings.Contains(err.Error(), "else") {
		t.Errorf("an unknown task: %v", err)
	}
	if err := members.dismiss(); err != nil {
		t.Error(err)
	}
}

// The base gets today's benchmarks, except for what bsongen wrote for its own driver.
func TestTheBaseGetsTheseBenchmarks(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"both.go", "order_bson.go", "go.mod"} {
		write(from, name, "new")
		write(to, name, "old")
	}
	write(to, "gone.go", "old")
	write(from, "added.go", "new")
	if err := overlay(to, from); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"both.go": "new", "added.go": "new", "gone.go": "", "order_bson.go": "old", "go.mod": "old"} {
		if got, _ := os.ReadFile(filepath.Join(to, name)); string(got) != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
