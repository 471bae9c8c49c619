package pool_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/pool"
)

// CMAP, "Populating the Pool with a Connection", "Checking Out a Connection": while connections are being established,
// for the minimum or for another check-out, check-outs and check-ins go on.
func TestEstablishingHoldsUpNobody(t *testing.T) {
	for _, tt := range []struct {
		name         string
		minPoolSize  int
		inBackground bool // which connections are slow
	}{{"for the minimum", 3, true}, {"for another check-out", 0, false}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const slow = time.Hour
				dials := 0
				p, _ := newPool(t, pool.Config[pool.Conn]{
					Options: event.PoolOptions{MinPoolSize: &tt.minPoolSize, MaxConnecting: new(2)},
					Connect: func(ctx context.Context, id int64) (pool.Conn, error) {
						dials++
						if pool.InBackground(ctx) == tt.inBackground && (tt.inBackground || dials == 2) {
							return connectSlowly(slow)(ctx, id)
						}
						return &fakeConn{}, nil
					},
				})
				synctest.Wait()
				began := time.Now()
				first := checkOut(t, p)
				done := make(chan error, 1)
				if !tt.inBackground {
					go func() {
						c, err := p.CheckOut(context.Background())
						if err == nil {
							err = p.CheckIn(c)
						}
						done <- err
					}()
					synctest.Wait()
				}
				if s := p.Stats(); s.Pending != 1 {
					t.Fatalf("%+v", s)
				}
				second := checkOut(t, p) // a new connection beside the slow one
				if err := p.CheckIn(first); err != nil {
					t.Fatal(err)
				}
				third := checkOut(t, p) // a connection that was given back
				p.CheckIn(second)
				p.CheckIn(third)
				if waited := time.Since(began); waited != 0 {
					t.Errorf("the check-outs took %v", waited)
				}
				if !tt.inBackground {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
