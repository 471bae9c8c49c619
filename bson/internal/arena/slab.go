package arena

// Slab is the memory for values of one type. It counts the values taken instead of reslicing, because storing a number needs
// no write barrier.
type Slab[T any] struct {
	room  []T
	taken int // of room
	used  int // by this document, in earlier rooms
	last  int // by the document before
}

// Limit is how many values of a type there can be in a document, and whether any slab has made room for it.
type Limit struct {
	Values int
	Used   bool
}

// Put returns a copy of v in its box.
func (s *Slab[T]) Put(v T, limit *Limit) Box {
	if s.taken == len(s.room) {
		s.grow(1, limit)
	}
	p := &s.room[s.taken]
	*p = v
	s.taken++
	return box(p)
}

// Take returns n values for the caller alone, without room to append. The result is never nil.
func (s *Slab[T]) Take(n int, limit *Limit) []T {
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
func (s *Slab[T]) grow(n int, limit *Limit) {
	limit.Used = true
	s.used += s.taken
	want := s.used
	if want == 0 {
		want = max(s.last, firstSlab)
	}
	s.room, s.taken = make([]T, max(n, min(want, limit.Values, MaxSlab))), 0
}

// Release forgets the memory, which now belongs to the values.
func (s *Slab[T]) Release() {
	if s.taken|s.last != 0 {
		*s = Slab[T]{last: s.used + s.taken}
	}
}

// Slabs double from firstSlab values to MaxSlab.
const (
	firstSlab = 4
	MaxSlab   = 512
)
