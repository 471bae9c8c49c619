package mongodebug

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of a histogram's classes. Longer durations have a class of their own.
var bounds = [...]time.Duration{
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// histogram counts durations by their class.
type histogram struct {
	classes [len(bounds) + 1]atomic.Int64
	sum     atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	class, _ := slices.BinarySearch(bounds[:], d)
	h.classes[class].Add(1)
	h.sum.Add(int64(d))
}

// maxNames is how many command names have durations of their own. RunCommand lets a program use any name.
const maxNames = 64

// durations records how long commands took, by their name.
type durations struct {
	mu     sync.RWMutex
	byName map[string]*commandTimes
}

type commandTimes struct {
	histogram
	mu     sync.Mutex
	failed map[string]int64 // by the kind of problem
}

func (d *durations) add(name string, took time.Duration, failure string) {
	d.mu.RLock()
	c := d.byName[name]
	d.mu.RUnlock()
	if c == nil {
		c = d.create(name)
	}
	c.histogram.add(took)
	if failure != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed[failure]++
	}
}

func (d *durations) create(name string) *commandTimes {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byName == nil {
		d.byName = map[string]*commandTimes{}
	}
	if len(d.byName) >= maxNames {
		name = "others"
	}
	if d.byName[name] == nil {
		d.byName[name] = &commandTimes{failed: map[string]int64{}}
	}
	return d.byName[name]
}

// names returns the names of the commands in order.
func (d *durations) names() []string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.Sorted(maps.Keys(d.byName))
}

func (d *durations) timesOf(name string) *commandTimes {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byName[name]
}
