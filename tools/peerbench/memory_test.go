package main

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// The service keeps a known number of bytes, and the measurement must report about as many.
func TestAServiceIsMeasured(t *testing.T) {
	const kept = 64 << 10
	var held [][]byte
	var once sync.Once
	s := service{find: func() error {
		once.Do(func() { held = append(held, make([]byte, memoryPool*kept)) })
		time.Sleep(time.Millisecond)
		return nil
	}, close: func() {}}
	before := measureHeap()
	var f memoryFigures
	if err := f.measureRest(s, before); err != nil {
		t.Fatal(err)
	}
	if f.Rest < 0.9*memoryPool*kept || f.Rest > 2*memoryPool*kept {
		t.Errorf("%.0f bytes at rest", f.Rest)
	}
	if err := f.measureLoad(s, before, 10*memorySample); err != nil {
		t.Fatal(err)
	}
	if f.LoadLive < f.Rest+1000*memoryGoroutines || f.InFlight < 1000 {
		t.Errorf("%.0f bytes live at load, %.0f of each of %d goroutines", f.LoadLive, f.InFlight, memoryGoroutines)
	}
	if len(held) != 1 {
		t.Error("nothing is held")
	}
}

func TestServicesFind(t *testing.T) {
	address, err := openServer("canned")
	if err != nil {
		t.Fatal(err)
	}
	for _, driver := range []string{"bare", "official", "onion"} {
		s, err := openService(driver, (&server{address: address}).uri("maxPoolSize=3"))
		if err != nil {
			t.Fatalf("%s: %v", driver, err)
		}
		if err := s.find(); err != nil {
			t.Errorf("%s: %v", driver, err)
		}
		s.close()
	}
}

func TestMemoryIsCompared(t *testing.T) {
	list := memoryScenarios(map[string]memoryFigures{
		"official": {Rest: 8e6, Load: 80e6, Client: 50e3}, "onion": {Rest: 3e6, Load: 50e6, Client: 20e3},
		"onion again": {Rest: 3.5e6}, "bare": {Rest: 1e6},
	})
	var b strings.Builder
	err := runReport{Memory: list}.printRest(&b)
	for _, want := range []string{"at rest, live (bare sockets 1.00, Onion again 3.50) MB", "50.00      0.62  at most 0.5 of official, missed"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%v, %q is not in\n%s", err, want, &b)
		}
	}
}
