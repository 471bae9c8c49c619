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

// result is what a side needs for one run of its task: the lower quartile of the rounds, since what else the machine does can
// only add to a time. Ratio compares it with the first side.
type result struct {
	Side        string  `json:"side"`
	Nanoseconds float64 `json:"ns"`
	CPU         float64 `json:"cpuNs"` // of this process, all threads together
	Allocations float64 `json:"allocations"`
	Bytes       float64 `json:"bytes"`
	Ratio       float64 `json:"ratio"`    // the median over the rounds of the first side's time, divided by this one's
	CPURatio    float64 `json:"cpuRatio"` // the same for processor time
}

// measure runs the sides by turns for the given number of rounds. Rounds are short, so that what slows the machine down for
// a while slows all sides of a round, and ratios are taken within a round.
func measure(sides []side, rounds int, roundTime time.Duration) []result {
	counts := make([]int, len(sides))
	for i, s := range sides {
		counts[i] = calibrate(s, roundTime)
	}
	times, cpu := make([][]float64, len(sides)), make([][]float64, len(sides))
	for round := range rounds {
		for turn := range sides {
			i := (turn + round) % len(sides) // who goes first alternates
			runtime.GC()
			start, used := time.Now(), cpuTime()
			sides[i].run(counts[i])
			times[i] = append(times[i], float64(time.Since(start))/float64(counts[i]))
			cpu[i] = append(cpu[i], float64(cpuTime()-used)/float64(counts[i]))
		}
	}
	results := make([]result, len(sides))
	for i, s := range sides {
		results[i] = result{
			Side: s.name, Nanoseconds: quantile(times[i], 0.25), CPU: quantile(cpu[i], 0.25),
			Ratio: quantile(ratios(times[0], times[i]), 0.5), CPURatio: quantile(ratios(cpu[0], cpu[i]), 0.5),
		}
		results[i].Allocations, results[i].Bytes = allocations(s)
	}
	return results
}

// ratios divides by rounds.
func ratios(numerators, denominators []float64) []float64 {
	out := make([]float64, len(numerators))
	for i := range out {
		out[i] = numerators[i] / max(denominators[i], 1e-3) // a side may have used no processor time that can be measured
	}
	return out
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

// quantile returns the value below which the given part of the values is.
func quantile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(part*float64(len(sorted)-1))]
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
