package main

import (
	"strings"
	"testing"
)

func TestNearestRank(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3, 10, 9, 8, 7, 6}
	for _, tt := range []struct {
		percent int
		want    float64
	}{{10, 1}, {50, 5}, {75, 7}, {90, 9}, {99, 9}, {1, 1}} {
		if got := nearestRank(values, tt.percent); got != tt.want {
			t.Errorf("percentile %d is %v, want %v", tt.percent, got, tt.want)
		}
	}
}

func TestCompositesAreAveragesByServer(t *testing.T) {
	score := func(server string, official, onion float64, composites ...string) specScore {
		return specScore{Server: server, Scores: map[string]float64{"official": official, "onion": onion}, Composites: composites}
	}
	got := map[string]specScore{}
	for _, c := range composites([]specScore{
		score("", 10, 20, bsonBench), score("", 20, 30, bsonBench),
		score("mongotest", 2, 4, singleBench, readBench), score("mongotest", 4, 4, multiBench, writeBench),
		score("mongotest", 100, 100, "none"),
	}) {
		got[c.Task] = c
	}
	for name, want := range map[string][2]float64{
		bsonBench: {15, 25}, singleBench: {2, 4}, multiBench: {4, 4}, readBench: {2, 4}, writeBench: {4, 4}, driverBench: {3, 4},
	} {
		if s := got[name].Scores; s["official"] != want[0] || s["onion"] != want[1] {
			t.Errorf("%s: got %v, want %v", name, s, want)
		}
	}
	if _, ok := got[parallelBench]; ok {
		t.Error("a composite of no task")
	}
}

// There is code for every benchmark of the specification, and for no other. Each has the composites that its section
// names.
func TestTasksOfTheSpecification(t *testing.T) {
	if code := len(specBSONTasks()) + len(singleTasks()) + len(multiTasks()) + len(parallelTasks()); code != len(benchmarks()) {
		t.Errorf("there is code for %d benchmarks, the specification has %d", code, len(benchmarks()))
	}
	counts := map[string]int{}
	for _, task := range specTasks() {
		if task.Bytes == 0 || task.do == nil {
			t.Errorf("%q has %d bytes, or no code", task.Name, task.Bytes)
		}
		for _, c := range task.Composites {
			counts[c]++
		}
	}
	for composite, want := range map[string]int{
		bsonBench: 6, singleBench: 3, multiBench: 11, parallelBench: 4, readBench: 5, writeBench: 13,
	} {
		if counts[composite] != want {
			t.Errorf("%s has %d tasks, want %d", composite, counts[composite], want)
		}
	}
}

func TestPlaceOfASample(t *testing.T) {
	for _, tt := range []struct {
		name   string
		frames []string // the innermost first
		want   place
	}{
		{"a read", []string{"internal/runtime/syscall/linux.Syscall6", "syscall.Read", "internal/poll.(*FD).Read", "main.main"}, systemCalls},
		{"the network poller", []string{"internal/runtime/syscall/linux.Syscall6", "runtime.netpoll", "runtime.findRunnable", "runtime.mcall"}, scheduler},
		{"marking", []string{"runtime.scanObject", "runtime.gcDrain", "runtime.gcBgMarkWorker"}, collector},
		{"help with marking", []string{"runtime.scanObject", "runtime.gcAssistAlloc", "runtime.mallocgc"}, collector},
		{"an allocation of the codec", []string{"runtime.mallocgc", "github.com/specdrivers/onion/bson.Marshal"}, allocator},
		{"copying in the codec", []string{"runtime.memmove", "github.com/specdrivers/onion/bson.appendAny"}, codec},
		{"the driver", []string{"github.com/specdrivers/onion/runtime/pool.(*Pool).CheckOut"}, driver},
		{"something else", []string{"main.share"}, other},
	} {
		if got := placeOf(tt.frames); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestGrowthIsDrawn(t *testing.T) {
	var b strings.Builder
	g := growth{Name: "cost <of> one", At: []float64{1, 1000}, Official: []float64{1e4, 1e6}, Onion: []float64{1e3, 1e5}}
	plotGrowth(&b, g)
	if s := b.String(); strings.Count(s, "<polyline") != 2 || !strings.Contains(s, "cost &lt;of&gt; one") || strings.Contains(s, "NaN") {
		t.Error(s)
	}
}

// TestLibmongocKnowsTheTasks holds the names of its tasks to those of the specification and of peer.c.
func TestLibmongocKnowsTheTasks(t *testing.T) {
	found := 0
	for _, task := range specTasks() {
		if peer, ok := peerTaskOf(task.Name); ok {
			found++
			if !strings.Contains(string(peerSource), `{"`+peer.name+`", `) {
				t.Errorf("peer.c has no task %q", peer.name)
			}
		}
	}
	if found != 18 {
		t.Errorf("libmongoc does %d tasks, want 18", found)
	}
}

func TestCompositesNeedEveryTask(t *testing.T) {
	scores := []specScore{
		{Scores: map[string]float64{"onion": 1, "libmongoc": 8}, Composites: []string{bsonBench}},
		{Scores: map[string]float64{"onion": 3}, Composites: []string{bsonBench}},
	}
	if got := composites(scores)[0].Scores; got["onion"] != 2 || len(got) != 1 {
		t.Errorf("%v", got)
	}
}
