package pool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// CMAP, "Clearing a Connection Pool": when the event of a clear arrives, the clear is done.
func TestAClearIsDoneWhenItsEventComes(t *testing.T) {
	service := bson.ObjectID{1}
	for _, tt := range []struct {
		name         string
		loadBalanced bool
		clear        func(*pool.Pool[pool.Conn])
		id           *bson.ObjectID
		ready        bool
	}{
		{"the pool", false, func(p *pool.Pool[pool.Conn]) { p.Clear(errors.New("boom")) }, nil, false},
		{"a service", true, func(p *pool.Pool[pool.Conn]) { p.ClearService(service, errors.New("boom")) }, &service, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *pool.Pool[pool.Conn]
				heard := 0
				p = pool.New(pool.Config[pool.Conn]{
					LoadBalanced: tt.loadBalanced,
					Connect:      func(context.Context, int64) (pool.Conn, error) { return &fakeConn{service: tt.id}, nil },
					Monitor: &event.PoolMonitor{PoolCleared: func(*event.PoolCleared) {
						heard++
						if s := p.Stats(); s.Ready != tt.ready || p.Generation(tt.id) != 1 {
							t.Errorf("at the event the pool is at generation %d, %+v", p.Generation(tt.id), s)
						}
					}},
				})
				defer p.Close()
				p.Ready()
				c := checkOut(t, p) // a service is known as long as it has a connection
				tt.clear(p)
				p.CheckIn(c)
				if heard != 1 {
					t.Errorf("%d events", heard)
				}
			})
		})
	}
}

// CMAP, "Clearing a load balanced pool": check-outs go on waiting.
func TestAClearedServiceLeavesTheQueueAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := bson.ObjectID{1}
		p, r := newPool(t, pool.Config[pool.Conn]{
			LoadBalanced: true, Options: event.PoolOptions{MaxPoolSize: new(1)},
			Connect: func(context.Context, int64) (pool.Conn, error) { return &fakeConn{service: &service}, nil },
		})
		held := checkOut(t, p)
		done := make(chan error, 1)
		go func() {
			c, err := p.CheckOut(t.Context())
			if err == nil {
				err = p.CheckIn(c)
			}
			done <- err
		}()
		synctest.Wait()
		r.take()
		p.ClearService(service, errors.New("boom"))
		synctest.Wait()
		if s := p.Stats(); s.Waiting != 1 || !s.Ready {
			t.Errorf("after the clear: %+v", s)
		}
		wantEvents(t, r, "pool cleared")
		p.CheckIn(held) // stale: the waiting check-out opens another
		if err := <-done; err != nil {
			t.Error(err)
		}
		wantEvents(t, r, "in 1", "closed 1 stale", "created 2", "ready 2 0s", "out 2 0s", "in 2")
	})
}

// CMAP, "Closing a Connection": a connection leaves the counts before its socket is closed, which may take long.
func TestAConnectionIsGoneBeforeItsSocketCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *pool.Pool[pool.Conn]
		left := -1
		p, _ = newPool(t, pool.Config[pool.Conn]{Connect: func(context.Context, int64) (pool.Conn, error) {
			return &closingConn{closing: func() { left = max(left, p.Stats().Total) }}, nil
		}})
		c := checkOut(t, p)
		c.Conn.(*closingConn).broken.Store(true)
		if p.CheckIn(c); left != 0 {
			t.Errorf("%d connections when the socket closes", left)
		}
	})
}

// closingConn calls a function when it is closed.
type closingConn struct {
	fakeConn
	closing func()
}

func (c *closingConn) Close() error {
	c.closing()
	return c.fakeConn.Close()
}
