package pool_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// restlessConn is a connection whose operation leaves something on it.
type restlessConn struct {
	fakeConn
	restless bool
}

func (c *restlessConn) Settled() bool { return !c.restless }

func TestAConnectionThatIsNotSettledIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{
			Options: event.PoolOptions{MaxPoolSize: new(1)},
			Connect: func(context.Context, int64) (pool.Conn, error) { return new(restlessConn), nil },
		})
		c := checkOut(t, p)
		r.take()
		if err := p.CheckIn(c); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, r, "in 1")
		c = checkOut(t, p)
		c.Conn.(*restlessConn).restless = true
		r.take()
		if err := p.CheckIn(c); err != nil {
			t.Fatal(err)
		}
		wantEvents(t, r, "in 1", "closed 1 error")
		if !c.Conn.(*restlessConn).closed.Load() {
			t.Error("its socket is still open")
		}
	})
}
