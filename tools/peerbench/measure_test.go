package main

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// newWaitingSide returns a side that takes exactly as long as it says, in a bubble.
func newWaitingSide(name string, d time.Duration) side {
	return side{name: name, run: func(n int) { time.Sleep(time.Duration(n) * d) }}
}

func TestMeasureComparesWithinRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sides := []side{newWaitingSide("slow", 4*time.Millisecond), newWaitingSide("fast", time.Millisecond)}
		results := measure(task{sides: sides}, effort{3, 8 * time.Millisecond})
		if results[0].Ratio != 1 || results[1].Ratio != 4 {
			t.Errorf("ratios %g and %g", results[0].Ratio, results[1].Ratio)
		}
		if want := (interval{4, 4}); results[1].Interval != want {
			t.Errorf("the interval is %v", results[1].Interval)
		}
	})
}

// The first run of a side opens connections. If it counted, the side that comes first would get fewer iterations.
func TestFirstRunDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var counts [2][]int
		newSide := func(i int) side {
			connected := false
			return side{run: func(n int) {
				if !connected {
					connected = true
					time.Sleep(time.Second)
				}
				counts[i] = append(counts[i], n)
				time.Sleep(time.Duration(n) * time.Millisecond)
			}}
		}
		results := measure(task{sides: []side{newSide(0), newSide(1)}}, effort{2, 32 * time.Millisecond})
		if results[1].Ratio != 1 {
			t.Errorf("a side is %g times itself", results[1].Ratio)
		}
		for i := range counts {
			if !slices.Contains(counts[i], 32) {
				t.Errorf("side %d ran %v times, want 32 per measurement", i, counts[i])
			}
		}
		if !slices.Equal(counts[0], counts[1]) {
			t.Errorf("the sides ran %v and %v times", counts[0], counts[1])
		}
	})
}

func TestDriftDoesNotShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := time.Millisecond // each iteration takes a little longer than the one before
		run := func(n int) {
			for range n {
				time.Sleep(step)
				step += time.Microsecond
			}
		}
		results := measure(task{sides: []side{{name: "a", run: run}, {name: "b", run: run}}}, effort{20, 20 * time.Millisecond})
		if math.Abs(results[1].Ratio-1) > 0.001 {
			t.Errorf("under a drift, a side is %g times itself", results[1].Ratio)
		}
	})
}

func TestTurns(t *testing.T) {
	for round, want := range [][]int{{0, 1, 1, 0}, {1, 0, 0, 1}, {0, 1, 1, 0}} {
		if got := turns(2, round); !slices.Equal(got, want) {
			t.Errorf("round %d runs %v, want %v", round, got, want)
		}
	}
}

func TestLeastIterations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := map[string]struct {
			least, want int
		}{"by time": {1, 8}, "at least": {100, 100}, "unset": {0, 8}}
		for name, tt := range tests {
			sides := []side{newWaitingSide("a", time.Millisecond), newWaitingSide("b", time.Millisecond)}
			if got := iterations(task{sides: sides, least: tt.least}, 8*time.Millisecond); got != tt.want {
				t.Errorf("%s: %d iterations, want %d", name, got, tt.want)
			}
		}
	})
}
