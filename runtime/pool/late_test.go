package pool_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// lateConn returns to the pool while a reply is on its way. A negative time means that the reply never arrives.
type lateConn struct {
	fakeConn
	late  atomic.Bool
	takes time.Duration
	gone  chan struct{} // closed by Close
}

func newLateConn(takes time.Duration) *lateConn {
	return &lateConn{takes: takes, gone: make(chan struct{})}
}

func (c *lateConn) Close() error {
	if !c.closed.Swap(true) {
		close(c.gone)
	}
	return c.fakeConn.Close()
}

func (c *lateConn) AwaitsLateReply() bool { return c.late.Load() }

func (c *lateConn) FinishReply(ctx context.Context) error {
	arrives := time.After(c.takes)
	if c.takes < 0 {
		arrives = nil
	}
	select {
	case <-arrives:
		c.late.Store(false)
		return nil
	case <-c.gone:
	case <-ctx.Done():
	}
	c.broken.Store(true)
	return errors.New("no reply")
}

// newLatePool is a pool of one connection, which is in use and has a late reply.
func newLatePool(t *testing.T, takes time.Duration) (*pool.Pool[pool.Conn], *recorder, *pool.Connection[pool.Conn]) {
	p, r := newPool(t, pool.Config[pool.Conn]{
		Options: event.PoolOptions{MaxPoolSize: new(1)},
		Connect: func(context.Context, int64) (pool.Conn, error) { return newLateConn(takes), nil },
	})
	c := checkOut(t, p)
	c.Conn.(*lateConn).late.Store(true)
	r.take()
	return p, r, c
}

func TestALateReplyIsReadBeforeTheConnectionIsCheckedIn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		takes  time.Duration
		after  time.Duration // until the next check-out succeeds
		events []string
	}{
		{"it comes soon", 100 * time.Millisecond, 100 * time.Millisecond, []string{"in 1", "out 1 100ms"}},
		{"it never comes", -1, time.Second, []string{"in 1", "closed 1 error", "created 2", "ready 2 0s", "out 2 1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r, c := newLatePool(t, tt.takes)
				if err := p.CheckIn(c); err != nil {
					t.Fatal(err)
				}
				if err := p.CheckIn(c); err == nil {
					t.Error("it can be checked in twice")
				}
				wantEvents(t, r)
				if s := p.Stats(); s.InUse() != 1 || s.Available != 0 {
					t.Errorf("meanwhile: %+v", s)
				}
				began := time.Now()
				checkOut(t, p)
				if waited := time.Since(began); waited != tt.after {
					t.Errorf("the next check-out waited %v, want %v", waited, tt.after)
				}
				wantEvents(t, r, append([]string{"started"}, tt.events...)...)
			})
		})
	}
}

// A cleared or closed pool waits for no reply.
func TestALateReplyHoldsNothingUp(t *testing.T) {
	interrupted := func(p *pool.Pool[pool.Conn]) { p.ClearInterrupting(errors.New("gone")) }
	cleared := func(p *pool.Pool[pool.Conn]) { p.Clear(errors.New("gone")) }
	closed := func(p *pool.Pool[pool.Conn]) { p.Close() }
	for _, tt := range []struct {
		name          string
		before, after func(*pool.Pool[pool.Conn]) // around the check-in
		reason        string
		at            time.Duration
	}{
		{"cleared before", cleared, nil, "stale", 0},
		{"interrupted before", interrupted, nil, "stale", 0},
		{"closed before", closed, nil, "poolClosed", 0},
		{"interrupted meanwhile", nil, interrupted, "stale", 0},
		{"closed meanwhile", nil, closed, "poolClosed", 0},
		{"cleared meanwhile", nil, cleared, "error", time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r, c := newLatePool(t, -1)
				if tt.before != nil {
					tt.before(p)
				}
				began := time.Now()
				p.CheckIn(c)
				synctest.Wait()
				if tt.after != nil {
					tt.after(p)
				}
				for p.Stats().Total > 0 {
					time.Sleep(time.Millisecond)
				}
				if took := time.Since(began).Truncate(2 * time.Millisecond); took != tt.at {
					t.Errorf("closed after %v, want %v", took, tt.at)
				}
				if !c.Conn.(*lateConn).closed.Load() {
					t.Error("the socket is open")
				}
				if events := r.take(); !slices.Contains(events, "in 1") || !slices.Contains(events, "closed 1 "+tt.reason) {
					t.Errorf("events %q", events)
				}
			})
		})
	}
}
