package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

func TestIdleConnectionsPerish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{
			Options:          event.PoolOptions{MaxIdleTime: new(time.Second)},
			MaintainInterval: -1,
		})
		p.CheckIn(checkOut(t, p))
		time.Sleep(1001 * time.Millisecond)
		r.take()
		c := checkOut(t, p)
		wantEvents(t, r, "started", "closed 1 idle", "created 2", "ready 2 0s", "out 2 0s")
		p.CheckIn(c)
	})
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{
			Options:          event.PoolOptions{MaxIdleTime: new(time.Second)},
			MaintainInterval: 100 * time.Millisecond,
		})
		p.CheckIn(checkOut(t, p))
		r.take()
		time.Sleep(1101 * time.Millisecond)
		wantEvents(t, r, "closed 1 idle")
	})
}

func TestMinPoolSizeIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{Options: event.PoolOptions{MinPoolSize: new(3)}})
		synctest.Wait()
		if s := p.Stats(); s.Available != 3 {
			t.Fatalf("Stats() = %+v, want 3 available", s)
		}
		c := checkOut(t, p)
		c.Conn.Close()
		r.take()
		p.CheckIn(c)
		synctest.Wait()
		wantEvents(t, r, fmt.Sprintf("in %d", c.ID()), fmt.Sprintf("closed %d error", c.ID()), "created 4", "ready 4 0s")
	})
}

func TestFailingPopulationWaitsForTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts, told atomic.Int32
		newPool(t, pool.Config[pool.Conn]{
			Options: event.PoolOptions{MinPoolSize: new(1)},
			Connect: func(context.Context, int64) (pool.Conn, error) {
				attempts.Add(1)
				return nil, fault.NetworkError{Err: errors.New("refused")}
			},
			OnEstablishError: func(*pool.EstablishError) { told.Add(1) },
			MaintainInterval: time.Second,
		})
		time.Sleep(3500 * time.Millisecond)
		if a := attempts.Load(); a != 4 || told.Load() != a {
			t.Errorf("%d attempts, %d told, want 4 each", a, told.Load())
		}
	})
}

// A check-out that succeeds shows that the server is back: the pool is filled at once, and not at the next run.
func TestPopulationGoesOnAfterACheckOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts atomic.Int32
		p, _ := newPool(t, pool.Config[pool.Conn]{
			Options: event.PoolOptions{MinPoolSize: new(3)},
			Connect: func(context.Context, int64) (pool.Conn, error) {
				if attempts.Add(1) == 1 {
					return nil, fault.NetworkError{Err: errors.New("refused")}
				}
				return &fakeConn{}, nil
			},
			MaintainInterval: time.Hour,
		})
		synctest.Wait()
		if s := p.Stats(); s.Total != 0 || attempts.Load() != 1 {
			t.Fatalf("%+v after %d attempts", s, attempts.Load())
		}
		c := checkOut(t, p)
		synctest.Wait()
		if s := p.Stats(); s.Total != 3 || s.Available != 2 {
			t.Errorf("%+v", s)
		}
		p.CheckIn(c)
	})
}

// probedConn is a connection that the server can close unnoticed.
type probedConn struct {
	fakeConn
	gone   atomic.Bool
	probes atomic.Int32
}

func (c *probedConn) IsAlive() bool {
	c.probes.Add(1)
	return !c.gone.Load()
}

func TestIdleConnectionsThatTheServerClosedAreNotHandedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{
			Connect: func(context.Context, int64) (pool.Conn, error) { return &probedConn{}, nil },
		})
		first := checkOut(t, p)
		conn := first.Conn.(*probedConn)
		p.CheckIn(first)
		for range 3 {
			p.CheckIn(checkOut(t, p))
		}
		if n := conn.probes.Load(); n != 0 {
			t.Errorf("%d probes of a connection in steady use", n)
		}
		time.Sleep(20 * time.Second)
		if c := checkOut(t, p); c != first || conn.probes.Load() != 1 {
			t.Errorf("connection %d, %d probes", c.ID(), conn.probes.Load())
		}
		p.CheckIn(first)
		conn.gone.Store(true)
		time.Sleep(20 * time.Second)
		r.take()
		c := checkOut(t, p)
		if c == first || !conn.closed.Load() {
			t.Error("a connection that the server had closed was handed out")
		}
		p.CheckIn(c)
		wantEvents(t, r, "started", "closed 1 error", "created 2", "ready 2 0s", "out 2 0s", "in 2")
		p.Close()
	})
}

// CMAP, "Checking Out a Connection": a check-out that found its connection closed is older than those that began to
// wait in the meantime, and none of them is served first.
func TestCheckOutOfADeadConnectionKeepsItsTurn(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options event.PoolOptions
		perish  func(*probedConn) // makes the idle connection unusable
		busy    bool              // another check-out establishes its connection all the time
	}{
		{"the server closed it", event.PoolOptions{MaxPoolSize: new(1)}, func(c *probedConn) { c.gone.Store(true) }, false},
		{"it broke", event.PoolOptions{MaxPoolSize: new(1)}, func(c *probedConn) { c.Close() }, false},
		{"it was idle too long", event.PoolOptions{MaxPoolSize: new(1), MaxIdleTime: new(12 * time.Second)}, func(*probedConn) {}, false},
		{"maxConnecting is reached", event.PoolOptions{MaxConnecting: new(1)}, func(c *probedConn) { c.gone.Store(true) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connecting, served := make(chan struct{}, 1), make(chan string, 3)
				tt.options.WaitQueueTimeout = new(time.Minute) // no check-out waits forever
				var p *pool.Pool[pool.Conn]
				serve := func(name string) {
					c := checkOut(t, p)
					served <- name
					p.CheckIn(c)
				}
				p = pool.New(pool.Config[pool.Conn]{
					Address: "a:1", Options: tt.options, MaintainInterval: 10 * time.Second,
					Connect: func(context.Context, int64) (pool.Conn, error) {
						<-connecting
						time.Sleep(time.Millisecond) // each check-out records its name before the next connection is established
						return &probedConn{}, nil
					},
					Monitor: &event.PoolMonitor{ConnectionClosed: func(e *event.ConnectionClosed) {
						if e.Reason != event.ClosedPoolClosed {
							go serve("newer")
							synctest.Wait() // it waits now
						}
					}},
				})
				p.Ready()
				connecting <- struct{}{}
				c := checkOut(t, p)
				done := make(chan struct{})
				if tt.busy {
					go func() {
						busy := checkOut(t, p)
						<-done
						p.CheckIn(busy)
					}()
					synctest.Wait()
				}
				p.CheckIn(c)
				time.Sleep(15 * time.Second) // a background run passes
				tt.perish(c.Conn.(*probedConn))
				time.AfterFunc(time.Second, func() { close(connecting) })
				serve("older")
				if first, second := <-served, <-served; first != "older" || second != "newer" {
					t.Errorf("%s was served before %s", first, second)
				}
				close(done)
				synctest.Wait()
				p.Close()
			})
		})
	}
}

// A check-out that finds several closed connections needs one of their places. The waiters get the others at once.
func TestPlacesOfDeadConnectionsAreGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *pool.Pool[pool.Conn]
		served := make(chan time.Duration, 1)
		var began time.Time
		closed := 0
		p = pool.New(pool.Config[pool.Conn]{
			Address: "a:1", Options: event.PoolOptions{MaxPoolSize: new(2), MaxConnecting: new(2), MaxIdleTime: new(time.Second)},
			MaintainInterval: time.Hour, Connect: connectSlowly(time.Minute),
			Monitor: &event.PoolMonitor{ConnectionClosed: func(*event.ConnectionClosed) {
				if closed++; closed != 1 {
					return
				}
				go func() {
					c := checkOut(t, p)
					served <- time.Since(began)
					p.CheckIn(c)
				}()
				synctest.Wait() // it waits now
			}},
		})
		p.Ready()
		a, b := checkOut(t, p), checkOut(t, p)
		p.CheckIn(a)
		p.CheckIn(b)
		time.Sleep(2 * time.Second) // both have been idle for too long
		began = time.Now()
		p.CheckIn(checkOut(t, p))
		if waited := <-served; waited != time.Minute {
			t.Errorf("the other check-out took %v", waited)
		}
		p.Close()
	})
}

// CMAP, "Connection Closed Message": with the reason Error the message has the error.
func TestConnectionThatBreaksWhileIdleSaysSo(t *testing.T) {
	closed := make(chan *event.ConnectionClosed, 1)
	p := pool.New(pool.Config[pool.Conn]{
		Address: "a:1", Connect: connectAtOnce, MaintainInterval: -1,
		Monitor: &event.PoolMonitor{ConnectionClosed: func(e *event.ConnectionClosed) { closed <- e }},
	})
	defer p.Close()
	p.Ready()
	c := checkOut(t, p)
	p.CheckIn(c)
	c.Conn.Close()
	again := checkOut(t, p)
	if e := <-closed; e.Reason != event.ClosedError || e.Error == nil {
		t.Errorf("closed because of %s: %v", e.Reason, e.Error)
	}
	p.CheckIn(again)
}
