package main

import (
	"runtime"
	"syscall"
	"time"
)

// effort says how much work goes into measuring one task.
type effort struct {
	rounds int
	time   time.Duration // of one measurement, averaged over the sides
}

// result is what one side needs to do its task once. The times are the lower quartile of the rounds, because other load on
// the machine can only add to a time. The ratios compare the side with the first one.
type result struct {
	Side        string    `json:"side"`
	Nanoseconds float64   `json:"ns"`
	CPU         float64   `json:"cpuNs"` // of this process, all threads together
	Allocations float64   `json:"allocations"`
	Bytes       float64   `json:"bytes"`
	Writes      float64   `json:"writes,omitempty"` // calls of Write on the net.Conn
	Reads       float64   `json:"reads,omitempty"`  // calls of Read on the net.Conn
	Ratio       float64   `json:"ratio"`            // the first side's time divided by this side's: the median of the rounds
	Interval    interval  `json:"interval"`         // the 95 % confidence interval of Ratio
	CPURatio    float64   `json:"cpuRatio"`
	CPUInterval interval  `json:"cpuInterval"`
	Samples     []float64 `json:"samples,omitempty"` // the ratio of each round that counts
	Rounds      int       `json:"rounds,omitempty"`
	Disturbed   int       `json:"disturbed,omitempty"` // rounds that do not count for Ratio
}

// The rounds of a task end when its intervals are narrow or its time is over.
const (
	longestRounds = 8               // times the rounds of the effort, at most
	taskTime      = 4 * time.Second // ends a task that has fastRounds; a null test has twice as long
	longerTurns   = 10              // times the time of the effort, for a task whose turns pay for their collections
	longTime      = 4 * taskTime    // ends such a task
	fastRounds    = 8
	narrowHalf    = 0.015 // half of an interval, as a part of the ratio
)

// measure compares the sides of a task.
//
// All sides do the same number of iterations, so longer runs favour none. Within a round they run in the order A B
// B A, and every second round starts with the last side. A slow phase of the machine then slows all sides, and neither
// a steady drift nor the place in the order shows in the ratio. A task gets more rounds until its interval is narrow.
func measure(t task, e effort) []result {
	turn := e.time
	if t.collects {
		turn *= longerTurns
	}
	n := iterations(t, turn)
	r := newRounds(len(t.sides))
	for began := time.Now(); !r.isEnough(t, e, time.Since(began)); {
		r.runShort(t, n)
	}
	results := make([]result, len(t.sides))
	for i, s := range t.sides {
		results[i] = r.result(i, t.computes)
		results[i].Side = s.name
		results[i].Allocations, results[i].Bytes = measureAllocations(s)
		if s.calls != nil {
			c := s.calls(callRuns)
			results[i].Writes, results[i].Reads = c.writes, c.reads
		}
	}
	return results
}

// turns returns the order in which the sides run within a round.
func turns(sides, round int) []int {
	order := make([]int, 0, 2*sides)
	for i := range sides {
		order = append(order, i)
	}
	for i := range sides {
		order = append(order, sides-1-i)
	}
	if round%2 == 1 {
		for i := range order {
			order[i] = sides - 1 - order[i]
		}
	}
	return order
}

// settleTime is how long the process rests before its processor time is read. Threads that still look for work go to sleep
// meanwhile: Linux brings a thread's processor time up to date when it stops, and else at its ticks, 4 ms apart.
const settleTime = 100 * time.Microsecond

// measureTime runs a side n times. A side that only computes needs no rest: its own thread's time is always up to date.
func measureTime(s side, n int, computes bool) (elapsed, cpu float64) {
	rest := func() {
		if !computes {
			time.Sleep(settleTime)
		}
	}
	rest()
	used, start := cpuTime(), time.Now()
	s.run(n)
	elapsed = float64(time.Since(start))
	rest()
	return elapsed, float64(cpuTime() - used)
}

// iterations returns how often the sides of a task have to run so that a measurement takes d on average. The first run of
// each side does not count: it opens connections and compiles plans.
func iterations(t task, d time.Duration) int {
	var sum float64
	for _, s := range t.sides {
		sum += warmTime(s, d)
	}
	return max(1, t.least, int(float64(d)*float64(len(t.sides))/sum))
}

// warmTime runs a side until it is warm and returns how long one iteration takes.
func warmTime(s side, d time.Duration) float64 {
	s.run(1)
	for n := 1; ; n *= 4 {
		start := time.Now()
		s.run(n)
		if took := time.Since(start); took > d/2 {
			return float64(took) / float64(n)
		}
	}
}

// measureAllocations returns how often and how many bytes one iteration allocates.
func measureAllocations(s side) (count, bytes float64) {
	const runs = 200
	var before, after runtime.MemStats
	s.run(10)
	runtime.ReadMemStats(&before)
	s.run(runs)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / runs, float64(after.TotalAlloc-before.TotalAlloc) / runs
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
