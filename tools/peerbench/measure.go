package main

import (
	"runtime"
	"slices"
	"syscall"
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
	CPU         float64 `json:"cpuNs"` // of this process, all threads together
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
	times, cpu := make([][]float64, len(sides)), make([][]float64, len(sides))
	for range rounds {
		for i, s := range sides {
			runtime.GC()
			start, used := time.Now(), cpuTime()
			s.run(counts[i])
			times[i] = append(times[i], float64(time.Since(start))/float64(counts[i]))
			cpu[i] = append(cpu[i], float64(cpuTime()-used)/float64(counts[i]))
		}
	}
	results := make([]result, len(sides))
	for i, s := range sides {
		results[i] = result{Side: s.name, Nanoseconds: median(times[i]), CPU: median(cpu[i])}
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

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
