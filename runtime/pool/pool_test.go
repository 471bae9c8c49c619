package pool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

// fakeConn is a connection without a socket.
type fakeConn struct {
	broken  atomic.Bool
	closed  atomic.Bool
	service *bson.ObjectID
}

func (c *fakeConn) Close() error              { c.closed.Store(true); c.broken.Store(true); return nil }
func (c *fakeConn) IsBroken() bool            { return c.broken.Load() }
func (c *fakeConn) ServiceID() *bson.ObjectID { return c.service }

// recorder keeps the events of a pool as short texts such as "created 1" and "closed 1 stale".
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// take returns the events since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.events
	r.events = nil
	return out
}

func (r *recorder) monitor() *event.PoolMonitor {
	return &event.PoolMonitor{
		PoolCreated: func(*event.PoolCreated) { r.add("pool created") },
		PoolReady:   func(*event.PoolReady) { r.add("pool ready") },
		PoolCleared: func(e *event.PoolCleared) {
			if e.InterruptInUseConnections {
				r.add("pool cleared interrupting")
			} else {
				r.add("pool cleared")
			}
		},
		PoolClosed:                func(*event.PoolClosed) { r.add("pool closed") },
		ConnectionCreated:         func(e *event.ConnectionCreated) { r.add("created %d", e.ConnectionID) },
		ConnectionReady:           func(e *event.ConnectionReady) { r.add("ready %d %v", e.ConnectionID, e.Duration) },
		ConnectionClosed:          func(e *event.ConnectionClosed) { r.add("closed %d %s", e.ConnectionID, e.Reason) },
		ConnectionCheckOutStarted: func(*event.ConnectionCheckOutStarted) { r.add("started") },
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			r.add("failed %s %v", e.Reason, e.Duration)
		},
		ConnectionCheckedOut: func(e *event.ConnectionCheckedOut) { r.add("out %d %v", e.ConnectionID, e.Duration) },
		ConnectionCheckedIn:  func(e *event.ConnectionCheckedIn) { r.add("in %d", e.ConnectionID) },
	}
}

func connectAtOnce(context.Context, int64) (pool.Conn, error) { return &fakeConn{}, nil }

// connectSlowly takes d, unless its context ends before.
func connectSlowly(d time.Duration) func(context.Context, int64) (pool.Conn, error) {
	return func(ctx context.Context, id int64) (pool.Conn, error) {
		select {
		case <-time.After(d):
			return &fakeConn{}, nil
		case <-ctx.Done():
			return nil, fault.NetworkError{Address: "a:1", Err: ctx.Err()}
		}
	}
}

// newPool starts a pool that is ready and forgets the events up to there.
func newPool(t *testing.T, cfg pool.Config[pool.Conn]) (*pool.Pool[pool.Conn], *recorder) {
	t.Helper()
	r := &recorder{}
	cfg.Address, cfg.Monitor = "a:1", r.monitor()
	if cfg.Connect == nil {
		cfg.Connect = connectAtOnce
	}
	p := pool.New(cfg)
	t.Cleanup(p.Close)
	p.Ready()
	synctest.Wait() // until the background goroutine has made its first run, which would otherwise interfere with the test
	r.take()
	return p, r
}

func checkOut(t *testing.T, p *pool.Pool[pool.Conn]) *pool.Connection[pool.Conn] {
	t.Helper()
	c, err := p.CheckOut(t.Context())
	if err != nil {
		t.Fatalf("CheckOut() failed: %v", err)
	}
	return c
}

func wantEvents(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	if got := r.take(); !slices.Equal(got, want) {
		t.Errorf("events\n got %q\nwant %q", got, want)
	}
}

func TestPausedPoolRefuses(t *testing.T) {
	p := pool.New(pool.Config[pool.Conn]{Address: "a:1", Connect: connectAtOnce})
	defer p.Close()
	_, err := p.CheckOut(t.Context())
	if _, ok := errors.AsType[fault.PoolClearedError](err); !ok {
		t.Fatalf("CheckOut() = %v, want a PoolClearedError", err)
	}
	p.Ready()
	if err := p.CheckIn(checkOut(t, p)); err != nil {
		t.Fatal(err)
	}
	p.Close()
	_, err = p.CheckOut(t.Context())
	if _, ok := errors.AsType[fault.PoolClosedError](err); !ok {
		t.Fatalf("CheckOut() = %v, want a PoolClosedError", err)
	}
}

func TestEventsOfOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{Connect: connectSlowly(3 * time.Millisecond)})
		c := checkOut(t, p)
		wantEvents(t, r, "started", "created 1", "ready 1 3ms", "out 1 3ms")
		p.CheckIn(c)
		p.CheckIn(checkOut(t, p))
		wantEvents(t, r, "in 1", "started", "out 1 0s", "in 1")
		p.Close()
		wantEvents(t, r, "closed 1 poolClosed", "pool closed")
	})
}

func TestWaitersAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{Options: event.PoolOptions{MaxPoolSize: new(1)}})
		held := checkOut(t, p)
		const n = 20
		order := make(chan int, n)
		for i := range n {
			go func() {
				c, err := p.CheckOut(t.Context())
				if err != nil {
					t.Error(err)
				}
				order <- i
				p.CheckIn(c)
			}()
			synctest.Wait()
		}
		p.CheckIn(held)
		for want := range n {
			if got := <-order; got != want {
				t.Fatalf("check-out %d came %dth", got, want)
			}
		}
	})
}

func TestWaiterLeavesWhenItsTimeHasPassed(t *testing.T) {
	tests := []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		wait *time.Duration
		is   error
	}{
		{"wait queue timeout", context.WithCancel, new(50 * time.Millisecond), nil},
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, nil, context.DeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, r := newPool(t, pool.Config[pool.Conn]{Options: event.PoolOptions{MaxPoolSize: new(1), WaitQueueTimeout: tt.wait}})
				held := checkOut(t, p)
				r.take()
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				_, err := p.CheckOut(ctx)
				timeout, ok := errors.AsType[fault.WaitQueueTimeoutError](err)
				if !ok || !fault.IsTimeout(err) || (tt.is != nil && !errors.Is(err, tt.is)) {
					t.Fatalf("CheckOut() = %v", err)
				}
				if timeout.InUse != 1 || timeout.MaxPoolSize != 1 {
					t.Errorf("error counts %+v", timeout)
				}
				wantEvents(t, r, "started", "failed timeout 50ms")
				p.CheckIn(held)
				p.CheckIn(checkOut(t, p))
			})
		})
	}
}

func TestClearFailsWaitersAndMakesStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{Options: event.PoolOptions{MaxPoolSize: new(2)}})
		inUse, idle := checkOut(t, p), checkOut(t, p)
		p.CheckIn(idle)
		idle = checkOut(t, p)
		errs := make(chan error, 1)
		go func() {
			_, err := p.CheckOut(t.Context())
			errs <- err
		}()
		synctest.Wait()
		p.CheckIn(idle) // the waiter gets it
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := p.CheckOut(t.Context())
			errs <- err
		}()
		synctest.Wait()
		r.take()
		cause := errors.New("boom")
		p.Clear(cause)
		cleared, ok := errors.AsType[fault.PoolClearedError](<-errs)
		if !ok || cleared.Err != cause {
			t.Fatalf("waiter got %v", cleared)
		}
		wantEvents(t, r, "pool cleared", "failed connectionError 0s")
		p.Clear(cause) // paused already: the generation grows, no event
		if got := p.Generation(nil); got != 2 {
			t.Errorf("Generation() = %d, want 2", got)
		}
		p.CheckIn(inUse)
		wantEvents(t, r, "in 1", "closed 1 stale")
		p.Ready()
		p.CheckIn(checkOut(t, p))
		wantEvents(t, r, "pool ready", "started", "created 3", "ready 3 0s", "out 3 0s", "in 3")
	})
}

func TestClearClosesAvailableConnectionsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{})
		p.CheckIn(checkOut(t, p))
		r.take()
		p.Clear(errors.New("boom"))
		synctest.Wait()
		wantEvents(t, r, "pool cleared", "closed 1 stale")
	})
}

// A connection that is interrupted before it has begun to connect does not connect.
func TestAnInterruptionBeforeTheConnectionConnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, interrupt := range map[string]func(p *pool.Pool[pool.Conn]){
			"clear": func(p *pool.Pool[pool.Conn]) { p.ClearInterrupting(errors.New("heartbeat timed out")) },
			"close": func(p *pool.Pool[pool.Conn]) { p.Close() },
		} {
			var p *pool.Pool[pool.Conn]
			created := func(*event.ConnectionCreated) { interrupt(p) }
			p = pool.New(pool.Config[pool.Conn]{
				Address: "a:1", Connect: connectSlowly(time.Hour), Monitor: &event.PoolMonitor{ConnectionCreated: created},
			})
			p.Ready()
			began := time.Now()
			if _, err := p.CheckOut(t.Context()); err == nil || time.Since(began) != 0 {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			p.Close()
		}
	})
}

// A connection that is interrupted as it succeeds is not handed out.
func TestAnInterruptionOfAConnectionThatSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *pool.Pool[pool.Conn]
		p, _ = newPool(t, pool.Config[pool.Conn]{Connect: func(context.Context, int64) (pool.Conn, error) {
			p.ClearInterrupting(errors.New("heartbeat timed out"))
			return &fakeConn{}, nil
		}})
		_, err := p.CheckOut(t.Context())
		if cleared, ok := errors.AsType[fault.PoolClearedError](err); !ok || !cleared.Interrupted {
			t.Errorf("%v", err)
		}
	})
}

func TestClearInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{
			Connect: func(ctx context.Context, id int64) (pool.Conn, error) {
				if id == 1 {
					return &fakeConn{}, nil
				}
				return connectSlowly(time.Hour)(ctx, id)
			},
			OnEstablishError: func(e *pool.EstablishError) { t.Errorf("told of %v", e.Err) },
		})
		inUse := checkOut(t, p)
		errs := make(chan error, 1)
		go func() {
			_, err := p.CheckOut(t.Context())
			errs <- err
		}()
		synctest.Wait()
		r.take()
		p.ClearInterrupting(errors.New("heartbeat timed out"))
		cleared, ok := errors.AsType[fault.PoolClearedError](<-errs)
		if !ok || !cleared.Interrupted {
			t.Fatalf("pending check-out got %v", cleared)
		}
		wantEvents(t, r, "pool cleared interrupting", "closed 2 stale", "failed connectionError 0s")
		if !inUse.Conn.(*fakeConn).closed.Load() {
			t.Error("the connection in use was not closed")
		}
		err := inUse.Fault(errors.New("use of closed connection"))
		if cleared, ok := errors.AsType[fault.PoolClearedError](err); !ok || !cleared.Interrupted {
			t.Errorf("Fault() = %v", err)
		}
		p.CheckIn(inUse)
		wantEvents(t, r, "in 1", "closed 1 stale")
	})
}

func TestMaxConnectingLimitsAndReturnedConnectionsAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r := newPool(t, pool.Config[pool.Conn]{Connect: connectSlowly(time.Second)})
		first := checkOut(t, p)
		r.take()
		done := make(chan int64, 3)
		for range 3 {
			go func() {
				c, err := p.CheckOut(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				done <- c.ID()
			}()
		}
		synctest.Wait()
		if s := p.Stats(); s.Pending != 2 || s.Waiting != 1 || s.InUse() != 1 {
			t.Fatalf("Stats() = %+v", s)
		}
		p.CheckIn(first)
		if got := <-done; got != 1 {
			t.Errorf("the waiter got connection %d, want 1", got)
		}
		<-done
		<-done
		if s := p.Stats(); s.Total != 3 || s.Pending != 0 {
			t.Errorf("Stats() = %+v", s)
		}
	})
}

func TestEstablishErrorIsReportedBeforeTheConnectionCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *pool.Pool[pool.Conn]
		p, r := newPool(t, pool.Config[pool.Conn]{
			Connect:      connectAtOnce,
			Authenticate: func(context.Context, pool.Conn) error { return fault.AuthError{Err: errors.New("no")} },
			OnEstablishError: func(e *pool.EstablishError) {
				if !e.AfterHello || e.ConnectionID != 1 || e.Generation != 0 {
					t.Errorf("told of %+v", e)
				}
				p.Clear(e.Err)
			},
		})
		_, err := p.CheckOut(t.Context())
		if _, ok := errors.AsType[fault.AuthError](err); !ok || fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) {
			t.Fatalf("CheckOut() = %v", err)
		}
		events := r.take()
		for i, want := range []string{"started", "created 1", "pool cleared", "closed 1 error", "failed connectionError"} {
			if i >= len(events) || len(events[i]) < len(want) || events[i][:len(want)] != want {
				t.Fatalf("events = %q", events)
			}
		}
	})
}
