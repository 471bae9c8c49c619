package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A server that stops for a second makes every request wait that arrives meanwhile. A closed loop would count one.
func TestOpenLoopCountsFromTheSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var schedule []time.Duration
		for i := range 2000 {
			schedule = append(schedule, time.Duration(i)*time.Millisecond)
		}
		server := make(chan struct{}, 1)
		got, err := openLoop(schedule, time.Sleep, func(i int) error {
			server <- struct{}{}
			defer func() { <-server }()
			if i == 500 {
				time.Sleep(time.Second)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		waited := 0
		for _, l := range got.latency {
			if l > 0 {
				waited++
			}
		}
		if waited < 999 || slices.Max(got.latency) != 1e6 || quantile(got.latency, 0.75) < 450e3 {
			t.Errorf("%d requests waited, at most %g us", waited, slices.Max(got.latency))
		}
	})
}

// If the clock starts requests late, their latency includes the delay.
func TestOpenLoopCountsItsOwnDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oversleep := func(d time.Duration) { time.Sleep(d + time.Millisecond) }
		bad := errors.New("bad")
		got, err := openLoop([]time.Duration{0, time.Second}, oversleep, func(i int) error {
			if i == 1 {
				return bad
			}
			return nil
		})
		if !errors.Is(err, bad) || got.latency[1] < 1000 || got.late[1] < 1000 {
			t.Errorf("%v, %+v", err, got)
		}
	})
}

func TestArrivalsHaveTheirRate(t *testing.T) {
	at := drawArrivals(10_000, 2*time.Second)
	if n := len(at); n < 19_500 || n > 20_500 || !slices.IsSorted(at) {
		t.Errorf("%d arrivals in two seconds, sorted %v", n, slices.IsSorted(at))
	}
	var close int
	for i := range at[1:] {
		if at[i+1]-at[i] < 10*time.Microsecond {
			close++
		}
	}
	if close < 1500 { // a tenth of them, if they are independent
		t.Errorf("%d of %d requests come right behind another", close, len(at))
	}
}

func TestGoalsOfLatency(t *testing.T) {
	of := func(load, theirs, ours, null float64) latency {
		return latency{Load: load, Official: loopFigures{P999: theirs}, Onion: loopFigures{P999: ours}, Null: null}
	}
	for want, l := range map[string]latency{
		"":                                 of(0.5, 100, 90, 1),
		"p99.9 at most 0.5 of official":    of(0.8, 100, 50, 1),
		"p99.9 at most 0.5 of official, m": of(0.8, 100, 51, 1),
		"void":                             of(0.8, 100, 50, 3),
	} {
		if got := l.goal(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
	for want, k := range map[string]knee{
		"no knee before 1.8x":         {Official: 10, Bare: 30, Reached: 1.8},
		"no knee before 1.8x, missed": {Official: 10, Bare: 30, Reached: 1.6, BareEnds: 2},
		"no knee before 1.8x, missed: bare sockets end at 1.5x on this machine":            {Official: 10, Bare: 15, Reached: 1.4},
		"no knee before 1.8x, missed: bare sockets have theirs after 1.4x on this machine": {Official: 10, Bare: 30, Reached: 1.2, BareEnds: 1.4},
	} {
		if got := k.goal(); got != want {
			t.Errorf("%+v: %q, want %q", k, got, want)
		}
	}
}

// The requests get slower with the load: the knee lies where the quantile leaves what it was at the lowest load.
func TestTheKneeIsFound(t *testing.T) {
	server := make(chan struct{}, 1)
	request := func(int) error {
		server <- struct{}{}
		wait(time.Millisecond)
		<-server
		return nil
	}
	if reached, err := findKnee(100, 1e6, 100*time.Millisecond, request); err != nil || reached != 2 {
		t.Errorf("a fifth of the capacity: no knee up to %g, %v", reached, err)
	}
	if reached, err := findKnee(3000, 20e3, 100*time.Millisecond, request); err != nil || reached != goalLoad {
		t.Errorf("three times the capacity: no knee up to %g, %v", reached, err)
	}
}

func TestLatencyIsPrinted(t *testing.T) {
	var b strings.Builder
	r := &latencyReport{
		Loads: []latency{{Task: "findOne", Pool: 10, Load: 0.8, Rate: 5000, Official: loopFigures{P999: 400}, Onion: loopFigures{P999: 120}}},
		Knees: []knee{{Task: "findOne", Pool: 10, Official: 9000, Onion: 17000, Bare: 30000, Reached: 2}},
	}
	err := runReport{Latency: r}.printRest(&b)
	for _, want := range []string{"findOne", "80 %", "400", "120", "17000", "2.0x"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%v, %q is not in\n%s", err, want, &b)
		}
	}
}
