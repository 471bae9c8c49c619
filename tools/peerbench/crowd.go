package main

import (
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// How many goroutines share a pool of 100 connections, and how often they do something in one turn.
const (
	crowdFew    = 100
	crowdMany   = 10_000
	crowdEach   = 30_000
	crowdRounds = 3

	// crowdGoal is how much more an operation of many goroutines may cost than one of a few.
	crowdGoal = 1.2
)

// measureCrowd compares an operation of 10,000 goroutines with one of 100. They take turns on the same client, so
// whatever the machine does meanwhile concerns both.
func measureCrowd() ([]scenario, error) {
	p, err := connectWith("canned", "maxPoolSize=100")
	if err != nil {
		return nil, err
	}
	defer p.close()
	find := operationNamed("findOne")
	theirs, theirCPU := crowdQuotients(func() error { return find.official(p) })
	ours, ourCPU := crowdQuotients(func() error { return find.onion(p) })
	bare, bareCPU, err := measureBareCrowd(p.server.address)
	const of = "findOne of 10,000 goroutines against 100 (bare sockets behind a channel: %.2f): "
	return []scenario{
		{Name: fmt.Sprintf(of, bare) + "time", Unit: "times", Official: theirs, Onion: ours, Most: crowdGoal},
		{Name: fmt.Sprintf(of, bareCPU) + "processor", Unit: "times", Official: theirCPU, Onion: ourCPU, Most: crowdGoal},
	}, err
}

// measureBareCrowd measures what no driver can avoid: goroutines that wait for one of 100 sockets, with their stacks out of
// the caches.
func measureBareCrowd(address string) (times, cpu float64, err error) {
	free := make(chan net.Conn, crowdFew)
	for range crowdFew {
		nc, err := net.Dial("tcp", address)
		if err != nil {
			return 0, 0, err
		}
		defer nc.Close()
		free <- nc
	}
	request := pingMessage()
	times, cpu = crowdQuotients(func() error {
		var reply [4 << 10]byte
		nc := <-free
		defer func() { free <- nc }()
		return exchange(nc, request, reply[:])
	})
	return times, cpu, nil
}

// crowdQuotients returns how much more many goroutines take than few, in time and in processor time.
func crowdQuotients(use func() error) (times, cpu float64) {
	r := newRounds(2)
	for round := range crowdRounds {
		runtime.GC()
		var of [2][2][2]float64 // by clock, number of goroutines and turn
		for turn, i := range turns(2, round) {
			elapsed, used := runCrowd(crowdEach, []int{crowdMany, crowdFew}[i], use)
			of[0][i][turn/2], of[1][i][turn/2] = float64(elapsed), float64(used)
		}
		for i := range 2 {
			r.times[i], r.cpu[i] = append(r.times[i], of[0][i]), append(r.cpu[i], of[1][i])
		}
	}
	got := r.result(1, false)
	return got.Ratio, got.CPURatio
}

// runCrowd does something n times in all from many goroutines and returns how long that took, and the
// processor time. Each goroutine does it once before the measurement, so that its stack has grown: that takes longer than an
// operation.
func runCrowd(n, goroutines int, use func() error) (elapsed, used time.Duration) {
	var next atomic.Int64
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(goroutines)
	for range goroutines {
		done.Go(func() {
			err := use()
			ready.Done()
			<-begin
			for err == nil && next.Add(1) <= int64(n) {
				err = use()
			}
			if err != nil {
				panic(err)
			}
		})
	}
	ready.Wait()
	began, before := time.Now(), cpuTime()
	close(begin)
	done.Wait()
	return time.Since(began), cpuTime() - before
}
