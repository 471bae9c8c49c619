package main

import (
	"runtime"
	"slices"
	"time"
)

// rounds holds the times of each side's two turns in each round, in nanoseconds for one iteration.
type rounds struct {
	times, cpu [][][2]float64 // by side and round
}

func newRounds(sides int) *rounds {
	return &rounds{make([][][2]float64, sides), make([][][2]float64, sides)}
}

func (r *rounds) count() int { return len(r.times[0]) }

// runShort adds a round. It starts with a garbage collection, and most turns are too short for another one, so collecting
// does not count. The collection empties the caches, so each side runs for a while before its turns.
func (r *rounds) runShort(t task, n int) {
	round := r.count()
	runtime.GC()
	for i, s := range t.sides {
		s.run(max(1, t.least, n/8))
		r.times[i], r.cpu[i] = append(r.times[i], [2]float64{}), append(r.cpu[i], [2]float64{})
	}
	var turn [8]int // of each side
	for _, i := range turns(len(t.sides), round) {
		elapsed, used := measureTime(t.sides[i], n, t.computes)
		r.times[i][round][turn[i]], r.cpu[i][round][turn[i]] = elapsed/float64(n), used/float64(n)
		turn[i]++
	}
}

// longTurn is long enough for the collections that a turn causes.
const longTurn = 300 * time.Millisecond

// runLong adds a round of turns that are long enough for collections of their own. Each turn starts after a collection, so
// no side sweeps the garbage of another.
func (r *rounds) runLong(t task) {
	round := r.count()
	for i := range t.sides {
		r.times[i], r.cpu[i] = append(r.times[i], [2]float64{}), append(r.cpu[i], [2]float64{})
	}
	var turn [8]int // of each side
	for _, i := range turns(len(t.sides), round) {
		n, elapsed, used := 0.0, 0.0, 0.0
		for runtime.GC(); elapsed < float64(longTurn); n++ {
			once, cpu := measureTime(t.sides[i], 1, t.computes)
			elapsed, used = elapsed+once, used+cpu
		}
		r.times[i][round][turn[i]], r.cpu[i][round][turn[i]] = elapsed/n, used/n
		turn[i]++
	}
}

// isEnough reports whether the rounds will do: the effort's rounds at least, and then until the intervals of the last side
// are narrow or the task's time is over.
func (r *rounds) isEnough(t task, e effort, spent time.Duration) bool {
	n, limit := r.count(), taskTime
	switch {
	case t.collects:
		limit = longTime
	case t.null:
		limit *= 2
	}
	switch {
	case n >= longestRounds*e.rounds || n >= fastRounds && spent > limit:
		return true
	case n < e.rounds || n%max(1, e.rounds/4) != 0:
		return false
	}
	last := r.result(len(t.sides)-1, t.computes)
	return isNarrow(last.Ratio, last.Interval) && (t.cpuGoal == 0 && !t.null || isNarrow(last.CPURatio, last.CPUInterval))
}

func isNarrow(ratio float64, in interval) bool { return in.High-in.Low <= 2*narrowHalf*ratio }

// result computes the times and ratios of a side. A side that only computes is compared by its processor time, to which
// other load on the machine adds little.
func (r *rounds) result(side int, computes bool) (of result) {
	of.Rounds = r.count()
	of.Nanoseconds, of.CPU = quantile(sums(r.times[side]), 0.25)/2, quantile(sums(r.cpu[side]), 0.25)/2
	var cpu []float64
	cpu, of.Disturbed = calmRatios(r.cpu, side)
	of.CPURatio, of.CPUInterval = medianInterval(cpu)
	if computes {
		of.Samples, of.Ratio, of.Interval = cpu, of.CPURatio, of.CPUInterval
		return of
	}
	of.Samples, of.Disturbed = calmRatios(r.times, side)
	of.Ratio, of.Interval = medianInterval(of.Samples)
	return of
}

// unevenBy is how many times longer one turn of a side may take than its other turn in the same round.
const unevenBy = 1.25

// calmRatios returns the ratios of the rounds in which no side's two turns differ much. Something disturbed the other
// rounds. The choice compares each side with itself only, so it favours none. When more than half of the rounds are
// disturbed, the differences belong to the task, and all rounds count.
func calmRatios(turns [][][2]float64, side int) (calm []float64, disturbed int) {
	all := ratios(sums(turns[0]), sums(turns[side]))
	for _, round := range calmRounds(turns) {
		calm = append(calm, all[round])
	}
	return calm, len(all) - len(calm)
}

// calmRounds returns the numbers of the rounds that count.
func calmRounds(turns [][][2]float64) (calm []int) {
	var all []int
	for round := range turns[0] {
		all = append(all, round)
		if !slices.ContainsFunc(turns, func(s [][2]float64) bool { return isUneven(s[round]) }) {
			calm = append(calm, round)
		}
	}
	if 2*len(calm) < len(all) {
		return all
	}
	return calm
}

func isUneven(turns [2]float64) bool {
	return max(turns[0], turns[1]) > unevenBy*min(turns[0], turns[1])
}

func sums(turns [][2]float64) []float64 {
	out := make([]float64, len(turns))
	for i, t := range turns {
		out[i] = t[0] + t[1]
	}
	return out
}
