package main

import (
	"sync"
	"sync/atomic"
)

// crew is a group of goroutines that stay for many turns. Those of share begin with a small stack each time, and growing it takes
// longer than an operation.
type crew struct {
	begin []chan int64
	next  atomic.Int64
	busy  sync.WaitGroup
}

// newCrew starts a goroutine for each function.
func newCrew(each []func() error) *crew {
	c := &crew{begin: make([]chan int64, len(each))}
	for i, do := range each {
		begin := make(chan int64)
		c.begin[i] = begin
		go func() {
			for n := range begin {
				for c.next.Add(1) <= n {
					if err := do(); err != nil {
						panic(err)
					}
				}
				c.busy.Done()
			}
		}()
	}
	return c
}

// crewOf returns a crew whose goroutines all do the same.
func crewOf(goroutines int, do func() error) *crew {
	each := make([]func() error, goroutines)
	for i := range each {
		each[i] = do
	}
	return newCrew(each)
}

// run lets the goroutines work n times in all.
func (c *crew) run(n int) {
	c.next.Store(0)
	c.busy.Add(len(c.begin))
	for _, begin := range c.begin {
		begin <- int64(n)
	}
	c.busy.Wait()
}

// close ends the goroutines.
func (c *crew) close() {
	for _, begin := range c.begin {
		close(begin)
	}
}
