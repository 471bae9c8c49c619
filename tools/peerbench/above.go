package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"
)

// above is the processor time of an operation beyond what a bare socket takes, in microseconds. The bare socket
// exchanges the bytes that Onion writes, in as many round trips.
type above struct {
	Task       string  `json:"task"`
	Goroutines int     `json:"goroutines"`
	Goal       float64 `json:"goal,omitempty"`
	RoundTrips [2]int  `json:"roundTrips"` // of the official driver and of Onion
	Bytes      [2]int  `json:"bytes"`      // that they write

	Bare     float64  `json:"bareMicros"`
	Official float64  `json:"officialMicros"`
	Onion    float64  `json:"onionMicros"`
	Ratio    float64  `json:"ratio"` // (Official-Bare) / (Onion-Bare)
	Interval interval `json:"interval"`
	Spread   float64  `json:"spreadMicros"` // of the null test: how far Onion may lie from itself
	Rounds   int      `json:"rounds"`
}

// The sides of a measurement, in their order.
const (
	bareSide = iota
	officialSide
	onionSide
	againSide // Onion once more: the null test
)

// aboveTurn is how long a turn takes. The processor time of a thread is brought up to date every 4 ms while it runs.
const aboveTurn = 20 * time.Millisecond

// aboveEach is the least number of times that each goroutine does the operation in a turn.
const aboveEach = 4

// gainSpreads is how many times the null test's spread a gain has to exceed to count.
const gainSpreads = 3

// overBare returns what the official driver and this one take above the bare socket.
func (a above) overBare() (theirs, ours float64) { return a.Official - a.Bare, a.Onion - a.Bare }

// isRestless reports whether the null test's spread hides what this driver takes.
func (a above) isRestless() bool {
	_, ours := a.overBare()
	return math.IsNaN(a.Ratio) || gainSpreads*a.Spread > ours
}

// verdict says whether the goal is met. A restless machine says nothing, unless the goal is met at the worst end.
func (a above) verdict() string {
	switch {
	case a.Goal > 0 && a.Interval.Low >= a.Goal && a.Ratio > 0:
		return verdictOf(a.Goal, a.Ratio, a.Interval)
	case a.isRestless():
		return "void: the null test spreads too far"
	}
	return verdictOf(a.Goal, a.Ratio, a.Interval)
}

// compute fills in what the rounds say: medians of the rounds that were not disturbed. Differences are taken within a round,
// so that whatever slows a whole round cancels out.
func (a *above) compute(r *rounds) {
	calm := calmRounds(r.cpu)
	of := func(side int) []float64 {
		all := sums(r.cpu[side])
		out := make([]float64, len(calm))
		for i, round := range calm {
			out[i] = all[round] / 2e3
		}
		return out
	}
	bare, theirs, ours, again := of(bareSide), of(officialSide), of(onionSide), of(againSide)
	a.Rounds = len(calm)
	a.Bare, a.Official, a.Onion = median(bare), median(theirs), median(ours)
	a.Ratio, a.Interval = quotientOfPairs(differences(theirs, bare), differences(ours, bare))
	_, null := medianInterval(differences(again, ours))
	a.Spread = max(math.Abs(null.Low), math.Abs(null.High))
}

func differences(a, b []float64) []float64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] -= b[i]
	}
	return out
}

// measureAbove measures every operation that the pattern selects, with each number of goroutines.
func measureAbove(s settings, progress func(above)) (list []above, err error) {
	for _, op := range aboveOperations() {
		for _, goroutines := range fewAndMany {
			if !s.pattern.MatchString(aboveName(op.name, goroutines)) {
				continue
			}
			a, err := measureOneAbove(op, goroutines, s.rounds)
			if err != nil {
				return list, fmt.Errorf("%s: %w", op.name, err)
			}
			list = append(list, a)
			progress(a)
		}
	}
	return list, nil
}

func aboveName(op string, goroutines int) string {
	return fmt.Sprintf("%s, %d goroutines, above", op, goroutines)
}

func measureOneAbove(op aboveOperation, goroutines, count int) (a above, err error) {
	err = withAboveSides(op, goroutines, func(t task, theirs, ours [][]byte) error {
		a = above{Task: op.name, Goroutines: goroutines, Goal: op.goal,
			RoundTrips: [2]int{len(theirs), len(ours)}, Bytes: [2]int{totalSize(theirs), totalSize(ours)}}
		n, r := iterations(t, aboveTurn), newRounds(len(t.sides))
		for range count {
			r.runShort(t, n)
		}
		a.compute(r)
		return nil
	})
	return a, err
}

// withAboveSides opens the server, both clients and the bare sockets for an operation.
func withAboveSides(op aboveOperation, goroutines int, use func(t task, theirs, ours [][]byte) error) error {
	s, err := startServer("primary")
	if err != nil {
		return err
	}
	p := &peers{server: s}
	if err := p.connect(nil, nil); err != nil {
		return err
	}
	defer p.close()
	theirs, ours, err := tappedMessages(s, op)
	if err != nil {
		return err
	}
	bare, err := dialBare(hostOf(s.address), min(goroutines, mostSockets), ours)
	if err != nil {
		return err
	}
	defer bare.close()
	official, onion := crewOf(goroutines, op.official(p)), crewOf(goroutines, op.onion(p))
	defer official.close()
	defer onion.close()
	return use(task{name: aboveName(op.name, goroutines), least: aboveEach * goroutines, sides: []side{
		{name: "bare", run: bare.run}, {name: "official", run: official.run},
		{name: "onion", run: onion.run}, {name: "onion again", run: onion.run},
	}}, theirs, ours)
}

// hostOf returns the address in the URI of a server with one member.
func hostOf(uri string) string { return hostPattern.ReplaceAllString(uri, "$1") }

var hostPattern = regexp.MustCompile(`^mongodb://([^/]*)/.*$`)

func totalSize(messages [][]byte) (n int) {
	for _, m := range messages {
		n += len(m)
	}
	return n
}
