package pool

import "time"

func newWaiter[C Conn]() any { return &waiter[C]{granted: make(chan grant[C], 1)} }

// enter adds a waiter at the end.
func (q *waitQueue[C]) enter(w *waiter[C]) {
	w.queued, w.since = true, time.Now() // reading the clock costs less than the wait
	w.prev, w.next = q.last, nil
	if q.last != nil {
		q.last.next = w
	} else {
		q.first = w
	}
	q.last = w
	q.length++
}

// enterFirst adds a waiter in front of all others.
func (q *waitQueue[C]) enterFirst(w *waiter[C]) {
	w.queued, w.since = true, time.Now()
	w.prev, w.next = nil, q.first
	if q.first != nil {
		q.first.prev = w
	} else {
		q.last = w
	}
	q.first = w
	q.length++
}

// leave removes a waiter from any position. It reports false when the waiter already has a grant.
func (q *waitQueue[C]) leave(w *waiter[C]) bool {
	if !w.queued {
		return false
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		q.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		q.last = w.prev
	}
	w.prev, w.next, w.queued = nil, nil, false
	q.length--
	return true
}

// take removes the first waiter. It returns nil when there is none.
func (q *waitQueue[C]) take() *waiter[C] {
	w := q.first
	if w != nil {
		q.leave(w)
	}
	return w
}

// takeAll empties the queue. The result is linked through next, in order.
func (q *waitQueue[C]) takeAll() *waiter[C] {
	first := q.first
	for w := first; w != nil; w = w.next {
		w.queued = false
	}
	*q = waitQueue[C]{}
	return first
}

// deliver gives every waiter of a list its grant. A waiter may be reused as soon as it has the grant.
func deliver[C Conn](first *waiter[C], g grant[C]) {
	for w := first; w != nil; {
		next := w.next
		w.prev, w.next = nil, nil
		w.spare.InUse()
		w.granted <- g
		w = next
	}
}
