package bson

import "unsafe"

// boxes hands out memory for what documents decode into when the Go type is any. Values of one type share arrays instead of
// having an allocation each. The arrays are as long as the document before made good use of, and never longer than the
// document at hand could fill.
type boxes struct {
	limit     int // no more values of any type than this can be in the document
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

// slab is the memory for values of one type. It counts what is taken instead of cutting it off, because storing a number is
// cheaper than storing a pointer while garbage is collected.
type slab[T any] struct {
	room  []T
	taken int // of room
	used  int // by this document, in earlier rooms
	last  int // by the document before
}

const (
	firstSlab = 4
	maxSlab   = 512
)

// put returns the address of a copy of v. limit is how many more values there can be.
func (s *slab[T]) put(v T, limit int) unsafe.Pointer {
	if s.taken == len(s.room) {
		s.grow(1, limit)
	}
	p := &s.room[s.taken]
	*p = v
	s.taken++
	return unsafe.Pointer(p)
}

// take returns n values that nobody else has, with no room to append to; never nil.
func (s *slab[T]) take(n, limit int) []T {
	if n == 0 {
		return []T{}
	}
	if len(s.room)-s.taken < n {
		s.grow(n, limit)
	}
	out := s.room[s.taken : s.taken+n : s.taken+n]
	s.taken += n
	return out
}

// grow makes new room for at least n values: at first as much as the document before used, then as much again.
func (s *slab[T]) grow(n, limit int) {
	s.used += s.taken
	want := s.used
	if want == 0 {
		want = max(s.last, firstSlab)
	}
	s.room, s.taken = make([]T, max(n, min(want, limit, maxSlab))), 0
}

func (s *slab[T]) release() { *s = slab[T]{last: s.used + s.taken} }

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
