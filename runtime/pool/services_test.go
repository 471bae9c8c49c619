package pool_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/pool"
)

// Behind a load balancer each service counts its own clears, from 0 on, as long as it has a connection. They change
// neither the generation of the pool nor that of another service.
//
// CMAP, "Clearing a load balanced pool".
func TestGenerationsOfServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		services := []bson.ObjectID{{1}, {2}, {3}}
		random := rand.New(rand.NewPCG(1, 2))
		of := 0 // the service to which the next connection leads
		p, _ := newPool(t, pool.Config[pool.Conn]{
			LoadBalanced: true,
			Connect:      func(context.Context, int64) (pool.Conn, error) { return &fakeConn{service: &services[of]}, nil },
		})
		type held struct {
			c          *pool.Connection[pool.Conn]
			service    int
			generation uint64
		}
		var all []held
		var generation [3]uint64
		open := [3]int{}
		check := func(what string) {
			t.Helper()
			for i := range services {
				if got := p.Generation(&services[i]); got != generation[i] {
					t.Fatalf("%s: service %d has generation %d, want %d", what, i, got, generation[i])
				}
			}
			if p.Generation(nil) != 0 || p.Stats().Generation != 0 {
				t.Fatalf("%s: the pool has generation %d", what, p.Generation(nil))
			}
		}
		for range 500 {
			switch i := random.IntN(3); random.IntN(3) {
			case 0: // every connection in the pool is in use, so this is a new one
				of = i
				c := checkOut(t, p)
				if c.Generation() != generation[i] || *c.ServiceID() != services[i] {
					t.Fatalf("a connection of service %d has generation %d, want %d", i, c.Generation(), generation[i])
				}
				all, open[i] = append(all, held{c, i, generation[i]}), open[i]+1
				check("opened")
			case 1:
				p.ClearService(services[i], errors.New("boom"))
				if open[i] > 0 {
					generation[i]++
				}
				check("cleared")
			case 2:
				if len(all) == 0 {
					continue
				}
				at := random.IntN(len(all))
				h := all[at]
				all = append(all[:at], all[at+1:]...)
				stale := h.generation != generation[h.service]
				p.CheckIn(h.c)
				if closed := h.c.Conn.(*fakeConn).closed.Load(); closed != stale {
					t.Fatalf("a connection of generation %d of %d was closed: %v", h.generation, generation[h.service], closed)
				}
				if !stale { // the next check-out has it
					if c := checkOut(t, p); c != h.c {
						t.Fatal("another connection")
					}
					all = append(all, h)
					continue
				}
				if open[h.service]--; open[h.service] == 0 {
					generation[h.service] = 0
				}
				check("closed")
			}
		}
		for _, h := range all {
			p.CheckIn(h.c)
		}
	})
}

// A service that the pool does not know has no generation, however often the whole pool was cleared.
func TestAnUnknownServiceHasNoGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{})
		p.Clear(errors.New("boom"))
		if p.Generation(nil) != 1 || p.Generation(&bson.ObjectID{1}) != 0 {
			t.Errorf("generations %d and %d, want 1 and 0", p.Generation(nil), p.Generation(&bson.ObjectID{1}))
		}
	})
}
