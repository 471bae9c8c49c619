package pool

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/runtime/fault"
)

// listForwards and listBackwards list a queue by its links.
func (q *waitQueue[C]) listForwards() (out []*waiter[C]) {
	for w := q.first; w != nil; w = w.next {
		out = append(out, w)
	}
	return out
}

func (q *waitQueue[C]) listBackwards() (out []*waiter[C]) {
	for w := q.last; w != nil; w = w.prev {
		out = append(out, w)
	}
	slices.Reverse(out)
	return out
}

// A queue counts its waiters. A waiter may enter at either end and leave from anywhere.
func TestAQueueIsAList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var q waitQueue[Conn]
		var want []*waiter[Conn]
		for range 30 {
			switch r.IntN(5) {
			case 0, 1:
				w := newWaiter[Conn]().(*waiter[Conn])
				q.enter(w)
				want = append(want, w)
			case 2:
				w := newWaiter[Conn]().(*waiter[Conn])
				q.enterFirst(w)
				want = slices.Insert(want, 0, w)
			case 3:
				if len(want) == 0 {
					break
				}
				at := r.IntN(len(want))
				w := want[at]
				want = slices.Delete(want, at, at+1)
				if !q.leave(w) || q.leave(w) {
					t.Fatal("a waiter leaves once")
				}
			case 4:
				w := q.take()
				if len(want) == 0 && w != nil || len(want) > 0 && w != want[0] {
					t.Fatal("take takes the first")
				}
				want = slices.Delete(want, 0, min(1, len(want)))
			}
			if got := q.listForwards(); !slices.Equal(got, want) || !slices.Equal(q.listBackwards(), want) || q.length != len(want) {
				t.Fatalf("%d waiters forwards, %d backwards, length %d, want %d", len(got), len(q.listBackwards()), q.length, len(want))
			}
		}
		var all []*waiter[Conn]
		for w := q.takeAll(); w != nil; w = w.next {
			all = append(all, w)
		}
		if !slices.Equal(all, want) || q.first != nil || q.last != nil || q.length != 0 {
			t.Fatalf("%d of %d were taken, %d are left", len(all), len(want), q.length)
		}
		for _, w := range all {
			if q.leave(w) {
				t.Fatal("a waiter that has a grant leaves the queue")
			}
		}
	}
}

// Waiters get places in their order, as many as there are, and the places are counted.
func TestPlacesAreGrantedInOrder(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		max, connecting, total  int
		paused                  bool
		granted, pendingAtFirst int
	}{
		{"all that connect at once", 10, 2, 0, false, 2, 0},
		{"one connects already", 10, 2, 1, false, 1, 1},
		{"all of the pool", 5, 9, 2, false, 3, 0},
		{"a pool without a limit", 0, 9, 20, false, 4, 0},
		{"a full pool", 2, 9, 2, false, 0, 0},
		{"a paused pool", 10, 9, 0, true, 0, 0},
	} {
		p := &Pool[Conn]{lim: limits{maxPoolSize: tt.max, maxConnecting: tt.connecting}, state: cmap.PoolReady, total: tt.total, pending: tt.pendingAtFirst}
		if tt.paused {
			p.state = cmap.PoolPaused
		}
		var waiters []*waiter[Conn]
		for range 4 {
			w := newWaiter[Conn]().(*waiter[Conn])
			p.waiting.enter(w)
			waiters = append(waiters, w)
		}
		var granted []*waiter[Conn]
		for w := p.grantPlaces(); w != nil; w = w.next {
			granted = append(granted, w)
		}
		if !slices.Equal(granted, waiters[:tt.granted]) || p.waiting.length != 4-tt.granted || p.total != tt.total+tt.granted ||
			p.pending != tt.pendingAtFirst+tt.granted {
			t.Errorf("%s: %d were granted, %d wait, total %d, pending %d", tt.name, len(granted), p.waiting.length, p.total, p.pending)
		}
	}
}

// A waiter whose pool is cleared before it has used its place gives the place back.
func TestAPlaceInAClearedPoolGoesBack(t *testing.T) {
	cause := errors.New("gone")
	p := &Pool[Conn]{state: cmap.PoolPaused, cause: cause, total: 3, pending: 2}
	var cleared fault.PoolClearedError
	if _, err := p.usePlace(); !errors.As(err, &cleared) || cleared.Err != cause || p.total != 2 || p.pending != 1 {
		t.Errorf("%v, total %d, pending %d", err, p.total, p.pending)
	}
	p.state = cmap.PoolReady
	if c, err := p.usePlace(); err != nil || !c.pending || p.total != 2 || p.pending != 1 {
		t.Errorf("%v, total %d, pending %d", err, p.total, p.pending)
	}
}
