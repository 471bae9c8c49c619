package store

import (
	"sync/atomic"
	"time"
)

// Usage counts the reads of an index. All states of the index share it.
type Usage struct {
	Since time.Time // when the index was made
	ops   atomic.Int64
}

// Note counts one operation. A nil Usage counts nothing: a collection that the server provides has one.
func (u *Usage) Note() {
	if u != nil {
		u.ops.Add(1)
	}
}

// Ops returns the number of operations.
func (u *Usage) Ops() int64 { return u.ops.Load() }
