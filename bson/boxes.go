package bson

import "unsafe"

// boxes hands out memory for what documents decode into when the Go type is any. Values of one type share arrays instead of
// having an allocation each. The arrays are as long as the document before made good use of, and never longer than the
// document at hand could fill.
type boxes struct {
	room      int // no more values of any type than this can be in the document
	strings   slab[string]
	int32s    slab[int32]
	int64s    slab[int64]
	float64s  slab[float64]
	dateTimes slab[DateTime]
	objectIDs slab[ObjectID]
	ds        slab[D]
	as        slab[A]
	elems     slab[E]
	items     slab[any]
}

// slab is the memory for values of one type.
type slab[T any] struct {
	free []T
	used int // by this document
	last int // by the document before
}

const (
	firstSlab = 4
	maxSlab   = 512
)

// put returns the address of a copy of v.
func (s *slab[T]) put(v T, room int) unsafe.Pointer {
	if len(s.free) == 0 {
		s.grow(1, room)
	}
	p := &s.free[0]
	*p = v
	s.free = s.free[1:]
	s.used++
	return unsafe.Pointer(p)
}

// take returns n values that nobody else has, with no room to append to; never nil.
func (s *slab[T]) take(n, room int) []T {
	if n == 0 {
		return []T{}
	}
	if len(s.free) < n {
		s.grow(n, room)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	s.used += n
	return out
}

// grow makes room for at least n values.
func (s *slab[T]) grow(n, room int) {
	want := s.used // as much again
	if want == 0 {
		want = max(s.last, firstSlab)
	}
	s.free = make([]T, max(n, min(want, room, maxSlab)))
}

func (s *slab[T]) release() { s.free, s.last, s.used = nil, s.used, 0 }

func (b *boxes) release() {
	b.strings.release()
	b.int32s.release()
	b.int64s.release()
	b.float64s.release()
	b.dateTimes.release()
	b.objectIDs.release()
	b.ds.release()
	b.as.release()
	b.elems.release()
	b.items.release()
}
