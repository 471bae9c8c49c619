package pool_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

// A connection that was being established when its pool was cleared or closed is not handed out. The error says what
// happened.
func TestAPoolThatChangesUnderAPendingConnection(t *testing.T) {
	boom, service := errors.New("boom"), bson.ObjectID{1}
	for _, tt := range []struct {
		name   string
		change func(*pool.Pool[pool.Conn])
		want   string // how the connection closes
		check  func(error) bool
	}{
		{"cleared", func(p *pool.Pool[pool.Conn]) { p.Clear(boom) }, "closed 1 stale", func(err error) bool {
			e, ok := errors.AsType[fault.PoolClearedError](err)
			return ok && e.Address == "a:1" && e.Err == boom && !e.Interrupted
		}},
		{"closed", func(p *pool.Pool[pool.Conn]) { p.Close() }, "closed 1 poolClosed", func(err error) bool {
			e, ok := errors.AsType[fault.PoolClosedError](err)
			return ok && e.Address == "a:1"
		}},
		{"service cleared", func(p *pool.Pool[pool.Conn]) { p.ClearService(service, boom) }, "closed 1 stale", func(err error) bool {
			e, ok := errors.AsType[fault.PoolClearedError](err)
			return ok && e.Address == "a:1" && e.Err == boom && !e.Interrupted
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, authenticating, goOn := &fakeConn{}, make(chan struct{}), make(chan struct{})
				cfg := pool.Config[pool.Conn]{
					Connect:      func(context.Context, int64) (pool.Conn, error) { return conn, nil },
					Authenticate: func(context.Context, pool.Conn) error { close(authenticating); <-goOn; return nil },
				}
				if tt.name == "service cleared" {
					cfg.LoadBalanced, conn.service = true, &service
				}
				p, r := newPool(t, cfg)
				done := make(chan error, 1)
				go func() {
					_, err := p.CheckOut(context.Background())
					done <- err
				}()
				<-authenticating
				r.take()
				if s := p.Stats(); s.Total != 1 || s.Pending != 1 || s.InUse() != 0 {
					t.Errorf("while it is pending: %+v, %d in use", s, s.InUse())
				}
				changed := make(chan struct{})
				go func() { tt.change(p); close(changed) }()
				synctest.Wait()
				close(goOn)
				if err := <-done; !tt.check(err) {
					t.Errorf("got %T, %v", err, err)
				}
				<-changed
				synctest.Wait()
				closed := 0
				for _, e := range r.take() {
					if e == tt.want {
						closed++
					}
				}
				if closed != 1 || !conn.closed.Load() || p.Stats().Total != 0 || p.Stats().Pending != 0 {
					t.Errorf("%q came %d times; open %v, %+v", tt.want, closed, !conn.closed.Load(), p.Stats())
				}
			})
		})
	}
}

// A connection that fails after its pool was cleared tells of the generation that it began in, so that its error clears
// nothing once more.
//
// SDAM, "Why ignore errors based on CMAP's generation number?".
func TestAFailedConnectionTellsItsOwnGeneration(t *testing.T) {
	boom, service := errors.New("boom"), bson.ObjectID{1}
	for name, id := range map[string]*bson.ObjectID{"the pool": nil, "one service": &service} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []*pool.EstablishError
				cfg := pool.Config[pool.Conn]{
					LoadBalanced:     id != nil,
					Connect:          func(context.Context, int64) (pool.Conn, error) { return &fakeConn{service: id}, nil },
					OnEstablishError: func(e *pool.EstablishError) { told = append(told, e) },
				}
				var p *pool.Pool[pool.Conn]
				cfg.Authenticate = func(context.Context, pool.Conn) error {
					if id == nil {
						p.Clear(boom)
					} else {
						p.ClearService(*id, boom)
					}
					return boom
				}
				p, _ = newPool(t, cfg)
				if _, err := p.CheckOut(t.Context()); !errors.Is(err, boom) {
					t.Error(err)
				}
				if len(told) != 1 || told[0].Generation != 0 || !told[0].AfterHello || (told[0].ServiceID == nil) != (id == nil) {
					t.Errorf("told of %+v, want the generation and service of the connection", told)
				}
			})
		})
	}
}

// If Close ends an attempt to connect, the server is not blamed.
func TestACloseEndsAConnectionAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := false
		p, r := newPool(t, pool.Config[pool.Conn]{
			Connect:          connectSlowly(time.Hour),
			OnEstablishError: func(*pool.EstablishError) { told = true },
		})
		done := make(chan error, 1)
		go func() {
			_, err := p.CheckOut(context.Background())
			done <- err
		}()
		synctest.Wait()
		r.take()
		p.Close()
		if _, ok := errors.AsType[fault.PoolClosedError](<-done); !ok || told {
			t.Errorf("no error of a closed pool; the server is blamed: %v", told)
		}
		closed := false
		for _, e := range r.take() {
			closed = closed || e == "closed 1 poolClosed"
		}
		if !closed {
			t.Error("the connection does not close with its pool")
		}
	})
}

// A cleared pool also drops a pending connection for minPoolSize. A later check-out makes another.
func TestAConnectionForTheMinimumIsDroppedByAClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		p := pool.New(pool.Config[pool.Conn]{
			Address: "a:1", Monitor: r.monitor(), Connect: func(ctx context.Context, id int64) (pool.Conn, error) {
				if id == 1 {
					time.Sleep(time.Second) // in virtual time
				}
				return &fakeConn{}, nil
			},
			Options: event.PoolOptions{MinPoolSize: new(1), MaxPoolSize: new(1)},
		})
		defer p.Close()
		p.Ready()
		synctest.Wait() // the first connection is being established
		p.Clear(errors.New("boom"))
		time.Sleep(2 * time.Second)
		p.Ready()
		c := checkOut(t, p)
		if c.ID() != 2 {
			t.Errorf("got connection %d", c.ID())
		}
		if s := p.Stats(); s.Total != 1 || s.Pending != 0 || s.InUse() != 1 {
			t.Errorf("%+v", s)
		}
		if err := p.CheckIn(c); err != nil {
			t.Error(err)
		}
	})
}

// Idle connections of a cleared service close soon, even without a check-out.
func TestClearServiceClosesAvailableConnectionsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := bson.ObjectID{1}
		p, r := newPool(t, pool.Config[pool.Conn]{
			LoadBalanced: true,
			Connect:      func(context.Context, int64) (pool.Conn, error) { return &fakeConn{service: &service}, nil },
		})
		if err := p.CheckIn(checkOut(t, p)); err != nil {
			t.Fatal(err)
		}
		r.take()
		p.ClearService(service, errors.New("boom"))
		synctest.Wait()
		wantEvents(t, r, "pool cleared", "closed 1 stale")
	})
}

// Config.Connect and Config.Authenticate learn which kind of check-out they serve.
func TestInCheckOutWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var connecting, authenticating bool
		p, _ := newPool(t, pool.Config[pool.Conn]{
			Connect: func(ctx context.Context, _ int64) (pool.Conn, error) {
				connecting = pool.InCheckOutWithin(ctx)
				return &fakeConn{}, nil
			},
			Authenticate: func(ctx context.Context, _ pool.Conn) error {
				authenticating = pool.InCheckOutWithin(ctx)
				return nil
			},
		})
		checkOut(t, p)
		if connecting || authenticating {
			t.Error("CheckOut is taken for CheckOutWithin")
		}
		if _, err := p.CheckOutWithin(t.Context(), time.Hour); err != nil || !connecting || !authenticating {
			t.Errorf("CheckOutWithin: %v, %v, %v", connecting, authenticating, err)
		}
		if pool.InCheckOutWithin(t.Context()) {
			t.Error("any context belongs to it")
		}
	})
}

// The callbacks for a connection of minPoolSize learn that no check-out waits for it.
func TestInBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		background := map[int64]bool{}
		p, _ := newPool(t, pool.Config[pool.Conn]{
			Connect: func(ctx context.Context, id int64) (pool.Conn, error) {
				background[id] = pool.InBackground(ctx)
				return &fakeConn{}, nil
			},
			Options: event.PoolOptions{MinPoolSize: new(1)},
		})
		synctest.Wait()
		checkOut(t, p)
		checkOut(t, p)
		if len(background) != 2 || !background[1] || background[2] {
			t.Errorf("got %v", background)
		}
	})
}

// A connection that is checked in is no longer pinned by a cursor or a transaction.
func TestACheckInEndsAPin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{})
		if p.Address() != "a:1" {
			t.Errorf("the pool is of %q", p.Address())
		}
		for range 2 {
			c := checkOut(t, p)
			if s := p.Stats(); s.ForTransactions != 0 || s.ForCursors != 0 {
				t.Fatalf("a new check-out counts as pinned: %+v", s)
			}
			c.SetPin(pool.PinnedByTransaction)
			if s := p.Stats(); s.ForTransactions != 1 || s.ForCursors != 0 {
				t.Errorf("%+v", s)
			}
			if p.CheckIn(c); p.Stats().ForTransactions != 0 {
				t.Errorf("%+v", p.Stats())
			}
		}
	})
}

// A connection in use outlives its pool, unless CloseInterrupting closes it.
func TestConnectionsInUseWhenThePoolCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, interrupts := range []bool{false, true} {
			p, _ := newPool(t, pool.Config[pool.Conn]{})
			c := checkOut(t, p)
			if interrupts {
				p.CloseInterrupting()
			} else {
				p.Close()
			}
			if closed := c.Conn.(*fakeConn).closed.Load(); closed != interrupts {
				t.Errorf("interrupts %t: the connection in use is closed: %t", interrupts, closed)
			}
			if _, err := p.CheckOut(t.Context()); !errors.As(err, new(fault.PoolClosedError)) {
				t.Errorf("interrupts %t: %v", interrupts, err)
			}
			if p.CheckIn(c); !c.Conn.(*fakeConn).closed.Load() {
				t.Errorf("interrupts %t: the connection is open behind its pool", interrupts)
			}
		}
	})
}

func TestReadyTwiceAndAfterClose(t *testing.T) {
	r := &recorder{}
	p := pool.New(pool.Config[pool.Conn]{Address: "a:1", Monitor: r.monitor(), Connect: connectAtOnce})
	wantEvents(t, r, "pool created")
	p.Ready()
	p.Ready()
	wantEvents(t, r, "pool ready")
	if err := p.CheckIn(checkOut(t, p)); err != nil {
		t.Error(err)
	}
	p.Close()
	r.take()
	p.Ready()
	wantEvents(t, r)
	if p.Stats().Ready {
		t.Error("a closed pool is ready")
	}
}
