package main

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// drawArrivals draws the times at which requests arrive, counted from the beginning: independently of each other, at a rate per
// second. They are the same in every run.
func drawArrivals(rate float64, d time.Duration) (at []time.Duration) {
	random := rand.New(rand.NewPCG(5, 6))
	for next := 0.0; ; {
		next += random.ExpFloat64() / rate
		if next >= d.Seconds() {
			return at
		}
		at = append(at, time.Duration(next*float64(time.Second)))
	}
}

// loopFigures are what an open loop saw: latencies in microseconds, and what the collector did.
type loopFigures struct {
	P50         float64 `json:"p50"`
	P99         float64 `json:"p99"`
	P999        float64 `json:"p999"`
	Worst       float64 `json:"worst"`
	Late        float64 `json:"late"` // how late the clock itself started a request: the 99.9 % quantile
	Collections int     `json:"collections"`
	Pauses      float64 `json:"pauses"` // of the collections, all together
}

// loopSamples are the latencies of an open loop's requests, and how late each was started, in microseconds.
type loopSamples struct{ latency, late []float64 }

// openLoop starts a request whenever the schedule says so, whether or not the ones before have ended. Latency counts from the
// time of the schedule, so a request which waits behind a slow one, or is started late, counts as the user would see it.
func openLoop(schedule []time.Duration, wait func(time.Duration), do func(i int) error) (s loopSamples, err error) {
	s = loopSamples{make([]float64, len(schedule)), make([]float64, len(schedule))}
	var requests sync.WaitGroup
	var failed atomic.Pointer[error]
	began := time.Now()
	since := func(at time.Duration) float64 { return float64(time.Since(began)-at) / 1e3 }
	for i, at := range schedule {
		wait(at - time.Since(began))
		s.late[i] = since(at)
		requests.Go(func() {
			if err := do(i); err != nil {
				failed.Store(&err)
			}
			s.latency[i] = since(at)
		})
	}
	requests.Wait()
	if e := failed.Load(); e != nil {
		err = *e
	}
	return s, err
}

// runLoop runs an open loop and counts collections.
func runLoop(schedule []time.Duration, do func(i int) error) (s loopSamples, f loopFigures, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err = openLoop(schedule, wait, do)
	runtime.ReadMemStats(&after)
	f.Collections = int(after.NumGC - before.NumGC)
	f.Pauses = float64(after.PauseTotalNs-before.PauseTotalNs) / 1e3
	return s, f, err
}

// addQuantiles fills in the quantiles.
func (f loopFigures) addQuantiles(s loopSamples) loopFigures {
	f.P50, f.P99, f.P999 = quantile(s.latency, 0.5), quantile(s.latency, 0.99), quantile(s.latency, 0.999)
	f.Worst, f.Late = quantile(s.latency, 1), quantile(s.late, 0.999)
	return f
}
