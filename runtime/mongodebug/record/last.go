package record

import "sync"

// Last keeps the items that were added last, up to a maximum.
type Last[T any] struct {
	mu    sync.Mutex
	list  []T // the oldest one first
	total int64
}

// Add adds an item, and drops the oldest one if there are more than most.
func (l *Last[T]) Add(x T, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	if len(l.list) >= most {
		l.list = append(l.list[:0:0], l.list[1:]...)
	}
	l.list = append(l.list, x)
}

// All returns a copy of the items, the oldest one first. It is never nil.
func (l *Last[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]T{}, l.list...)
}

// Total returns how many items were ever added.
func (l *Last[T]) Total() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}
