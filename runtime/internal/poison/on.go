//go:build poison

package poison

import "sync/atomic"

// On says whether the program was built with the tag poison.
const On = true

// pattern makes lengths negative, types unknown and texts invalid.
const pattern = 0xdb

// Bytes overwrites memory that goes back to a pool, up to its capacity.
func Bytes(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = pattern
	}
}

// Mark is a field of something that goes back to a pool.
type Mark struct{ pooled atomic.Bool }

// GoesBack notes that it is in the pool from now on.
func (m *Mark) GoesBack() {
	if m.pooled.Swap(true) {
		panic("poison: it went back to its pool twice")
	}
}

// ComesOut notes that it is in use again.
func (m *Mark) ComesOut() { m.pooled.Store(false) }

// InUse panics if it is in the pool.
func (m *Mark) InUse() {
	if m.pooled.Load() {
		panic("poison: it is used while it is in its pool")
	}
}
