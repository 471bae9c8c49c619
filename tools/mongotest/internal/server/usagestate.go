package server

import (
	"math/bits"
	"sync"
	"time"
)

// usage is a node's use of each collection.
type usage struct {
	mu   sync.Mutex
	byNS map[string]*collectionUse
}

// collectionUse is a node's use of one collection, by the kinds that top names.
type collectionUse [len(usedKinds)]timeSpent

// timeSpent is a count of operations, their total time in microseconds, and how many took how long.
type timeSpent struct {
	count, micros int64
	buckets       [latencyBuckets]int32
}

// latencyBuckets is the number of buckets of a histogram. Bucket i counts the operations that took from 2^i microseconds to
// less than twice as long; the first has the shorter ones too and the last the longer ones.
const latencyBuckets = 24

// note counts a command on a collection.
func (u *usage) note(namespace, kind string, write bool, took time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byNS == nil || len(u.byNS) >= usedMax {
		u.byNS = map[string]*collectionUse{}
	}
	one := u.byNS[namespace]
	if one == nil {
		one = &collectionUse{}
		u.byNS[namespace] = one
	}
	lock := "readLock"
	if write {
		lock = "writeLock"
	}
	for i, name := range usedKinds {
		if name == "total" || name == kind || name == lock {
			one[i].count++
			one[i].micros += took.Microseconds()
			one[i].buckets[min(max(bits.Len64(uint64(took.Microseconds()))-1, 0), latencyBuckets-1)]++
		}
	}
}

// useOf returns the use of a collection.
func (u *usage) useOf(namespace string) collectionUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	if one := u.byNS[namespace]; one != nil {
		return *one
	}
	return collectionUse{}
}

var usedKinds = [...]string{"total", "readLock", "writeLock", "queries", "getmore", "insert", "update", "remove", "commands"}

// usedMax bounds the number of collections that a node remembers.
const usedMax = 10_000
