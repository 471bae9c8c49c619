package record

import "sync"

// Last keeps the last of what is added, up to a number.
type Last[T any] struct {
	mu    sync.Mutex
	list  []T // the oldest one first
	total int64
}

// Add adds one, and drops the oldest one when there are more than most.
func (l *Last[T]) Add(x T, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	if len(l.list) >= most {
		l.list = append(l.list[:0:0], l.list[1:]...)
	}
	l.list = append(l.list, x)
}

// All is a copy, the oldest one first. It is never nil.
func (l *Last[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]T{}, l.list...)
}

// Total is how many were ever added.
func (l *Last[T]) Total() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}
