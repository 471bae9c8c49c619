package pool_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// A check-out closes every perished connection that it meets and goes on to the next, so no caller gets a closed one.
//
// CMAP, "Checking Out a Connection" and "Connection Pool Members".
func TestACheckOutPassesOverPerishedConnections(t *testing.T) {
	for name, tt := range map[string]struct {
		options event.PoolOptions
		perish  func(p *pool.Pool[pool.Conn], top []*fakeConn)
		want    []string // before the last check-out
	}{
		"broken": {
			perish: func(_ *pool.Pool[pool.Conn], top []*fakeConn) {
				for _, c := range top {
					c.broken.Store(true)
				}
			},
			want: []string{"started", "closed 3 error", "closed 2 error", "out 1 0s"},
		},
		"idle": {
			options: event.PoolOptions{MaxIdleTime: new(time.Millisecond)},
			perish:  func(*pool.Pool[pool.Conn], []*fakeConn) { time.Sleep(2 * time.Millisecond) },
			want:    []string{"started", "closed 3 idle", "closed 2 idle", "closed 1 idle", "created 4", "ready 4 0s", "out 4 0s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var made []*fakeConn
				p, r := newPool(t, pool.Config[pool.Conn]{Options: tt.options, Connect: func(context.Context, int64) (pool.Conn, error) {
					made = append(made, &fakeConn{})
					return made[len(made)-1], nil
				}})
				held := []*pool.Connection[pool.Conn]{checkOut(t, p), checkOut(t, p), checkOut(t, p)}
				for _, c := range held {
					p.CheckIn(c)
				}
				r.take()
				tt.perish(p, made[1:3])
				c := checkOut(t, p)
				wantEvents(t, r, tt.want...)
				for i, one := range made {
					mine := c.Conn == pool.Conn(one)
					if one.closed.Load() == mine {
						t.Errorf("connection %d: closed %v, handed out %v", i+1, one.closed.Load(), mine)
					}
				}
			})
		})
	}
}
