package main

import (
	"runtime"
	"slices"
	"time"
)

// side is one way to do a task.
type side struct {
	name string
	run  func(n int) // does the task n times
}

// result is what a side needs for one run of its task.
type result struct {
	Side        string  `json:"side"`
	Nanoseconds float64 `json:"ns"`
	Allocations float64 `json:"allocations"`
	Bytes       float64 `json:"bytes"`
}

// measure runs the sides by turns for the given number of rounds, so that what slows the machine down for a while slows all
// of them, and returns the median of each.
func measure(sides []side, rounds int, roundTime time.Duration) []result {
	counts := make([]int, len(sides))
	for i, s := range sides {
		counts[i] = calibrate(s, roundTime)
	}
	times := make([][]float64, len(sides))
	for range rounds {
		for i, s := range sides {
			runtime.GC()
			start := time.Now()
			s.run(counts[i])
			times[i] = append(times[i], float64(time.Since(start))/float64(counts[i]))
		}
	}
	results := make([]result, len(sides))
	for i, s := range sides {
		slices.Sort(times[i])
		results[i] = result{Side: s.name, Nanoseconds: times[i][len(times[i])/2]}
		results[i].Allocations, results[i].Bytes = allocations(s)
	}
	return results
}

// calibrate returns how often the task fits into d.
func calibrate(s side, d time.Duration) int {
	for n := 1; ; n *= 4 {
		start := time.Now()
		s.run(n)
		if took := time.Since(start); took > d/8 {
			return max(1, int(float64(n)*float64(d)/float64(took)))
		}
	}
}

func allocations(s side) (count, bytes float64) {
	const runs = 200
	var before, after runtime.MemStats
	s.run(10)
	runtime.ReadMemStats(&before)
	s.run(runs)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / runs, float64(after.TotalAlloc-before.TotalAlloc) / runs
}
