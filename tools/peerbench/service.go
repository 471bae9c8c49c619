package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
)

// measureHeap returns the heap that a collection leaves. It leaves out stacks, because what ended goroutines leave behind would
// hide what a connection takes.
func measureHeap() float64 {
	debug.FreeOSMemory()
	debug.FreeOSMemory() // finalizers and pools need a second collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// service is a driver, or bare sockets, to measure: find does one findOne.
type service struct {
	find  func() error
	close func()
}

// openService opens a client with a pool. "bare" stands for sockets behind a channel.
func openService(driver, uri string) (service, error) {
	if driver == "bare" {
		return openBareService(uri)
	}
	c, err := openOne(driver, uri, nil)
	if err != nil {
		return service{}, err
	}
	p := new(peers)
	find := operationNamed("findOne")
	switch c := c.(type) {
	case officialClient:
		p.official = c.Client
		return service{func() error { return find.official(p) }, c.close}, nil
	case onionClient:
		p.onion = c.Client
		return service{func() error { return find.onion(p) }, c.close}, nil
	}
	return service{}, fmt.Errorf("%T is no driver's client", c)
}

func openBareService(uri string) (service, error) {
	request := encodeMessage(bson.D{{Key: "find", Value: "users"}, {Key: "filter", Value: bson.D{{Key: "_id", Value: int32(7)}}},
		{Key: "limit", Value: 1}, {Key: "$db", Value: "bench"}})
	b, err := dialBare(hostOf(uri), memoryPool, [][]byte{request})
	if err != nil {
		return service{}, err
	}
	exchange := b.shareByChannel()
	return service{func() error { return exchange(0) }, b.close}, nil
}

// beService runs the program as a service against a server whose replies take a while, so operations overlap.
func beService(driver, uri string, load time.Duration) error {
	var f memoryFigures
	leaveGoroutines()
	before := measureHeap()
	s, err := openService(driver, fmt.Sprintf("%s&maxPoolSize=%d", uri, memoryPool))
	if err != nil {
		return err
	}
	defer s.close()
	if err := fillPool(s); err != nil {
		return err
	}
	if err := f.measureRest(s, before); err != nil {
		return err
	}
	if err := f.measureLoad(s, before, load); err != nil {
		return err
	}
	f.After = measureHeap() - before
	if err := f.measureClients(driver, uri); err != nil {
		return err
	}
	f.Connection = (f.Rest - f.Client) / (memoryPool - 1)
	return json.NewEncoder(os.Stdout).Encode(f)
}

// measureRest uses the pool: as many operations at once as it has connections.
func (f *memoryFigures) measureRest(s service, before float64) error {
	var failed atomic.Pointer[error]
	c := crewOf(memoryPool, func() error {
		if err := s.find(); err != nil {
			failed.Store(&err)
		}
		return nil
	})
	for range 4 {
		c.run(4 * memoryPool)
	}
	c.close()
	time.Sleep(memorySample) // the goroutines end
	if err := failed.Load(); err != nil {
		return *err
	}
	f.Rest = measureHeap() - before
	return nil
}

// leaveGoroutines starts as many goroutines as the service has, and lets them end. Go keeps about 450 bytes of each for good, which
// would otherwise count as memory of the first phase that needs so many.
func leaveGoroutines() {
	c := crewOf(memoryGoroutines, func() error { return nil })
	c.run(1)
	c.close()
	time.Sleep(memorySample)
}

// fillPool does many operations at once until the whole pool is open.
func fillPool(s service) error {
	const patience = 30 * time.Second
	c := crewOf(2*memoryPool, s.find)
	defer c.close()
	for began := time.Now(); ; {
		c.run(4 * memoryPool)
		n, err := countSockets()
		if err != nil || n >= memoryPool {
			return err
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%d sockets are open after %v, %d are wanted", n, patience, memoryPool)
		}
	}
}

// countSockets counts the sockets of this process.
func countSockets() (n int, err error) {
	files, err := os.ReadDir("/proc/self/fd")
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n, err
}

// measureClients opens more clients of the same kind, which share nothing, and takes the average.
func (f *memoryFigures) measureClients(driver, uri string) error {
	before := measureHeap()
	for range memoryClients {
		s, err := openService(driver, uri)
		if err != nil {
			return err
		}
		defer s.close()
		if err := s.find(); err != nil {
			return err
		}
	}
	f.Client = (measureHeap() - before) / memoryClients
	return nil
}

// measureLoad lets all goroutines do operations for a while, and samples what the process takes.
func (f *memoryFigures) measureLoad(s service, before float64, load time.Duration) error {
	var stop atomic.Bool
	var done atomic.Int64
	ended := make(chan error, memoryGoroutines)
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	for range memoryGoroutines {
		go func() {
			var err error
			for err == nil && !stop.Load() {
				err = s.find()
				done.Add(1)
			}
			ended <- err
		}()
	}
	var taken, alive []float64
	for began := time.Now(); time.Since(began) < load; time.Sleep(memorySample) {
		t, l := goMemory()
		taken, alive = append(taken, t), append(alive, l)
	}
	stop.Store(true)
	var failed error
	for range memoryGoroutines {
		if err := <-ended; err != nil {
			failed = err
		}
	}
	runtime.ReadMemStats(&end)
	later := len(taken) / 2 // the stacks have grown by then
	f.Load, f.LoadLive = median(taken[later:])-before, median(alive[later:])-before
	n := float64(max(1, done.Load()))
	f.Allocations, f.Bytes = float64(end.Mallocs-start.Mallocs)/n, float64(end.TotalAlloc-start.TotalAlloc)/n
	f.InFlight = (f.LoadLive - f.Rest) / memoryGoroutines
	return failed
}

// goMemory returns what Go has taken from the system and not returned, and what the last collection left, with the stacks.
func goMemory() (taken, alive float64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	of := func(i int) float64 { return float64(samples[i].Value.Uint64()) }
	return of(0) - of(1), of(2) + of(3)
}
