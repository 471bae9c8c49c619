package checkout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

// Options are the options of a pool, and those that only tests have.
type Options struct {
	MaxPoolSize, MinPoolSize, MaxConnecting *int
	MaxIdleTime, WaitQueueTimeout           *time.Duration
	BackgroundThreadInterval                *time.Duration
	AppName                                 string
}

// Pool is a pool under test. Its own operations run on the main thread.
type Pool struct {
	*Thread
	t       *testing.T
	ctx     context.Context
	pool    *pool.Pool[pool.Conn]
	events  recorder
	threads map[string]*Thread
	mu      sync.Mutex
	labels  map[string]*pool.Connection[pool.Conn]
}

// Thread runs operations one after the other, until one fails.
type Thread struct {
	p      *Pool
	work   chan func() error // nil for the main thread, which runs operations at once
	done   chan struct{}
	err    error // of the first operation that failed; read when done is closed
	joined bool
}

// fakeConn is a connection without a socket.
type fakeConn struct{ closed bool }

func (c *fakeConn) Close() error   { c.closed = true; return nil }
func (c *fakeConn) IsBroken() bool { return c.closed }

// Unit runs a case on connections that are established at once.
func Unit(t *testing.T, o Options, script func(*Pool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		run(t, o, pool.Config[pool.Conn]{
			Address: "unit.test:27017",
			Connect: func(context.Context, int64) (pool.Conn, error) { return &fakeConn{}, nil },
		}, script)
	})
}

// run creates the pool, plays the script and takes everything down.
func run(t *testing.T, o Options, cfg pool.Config[pool.Conn], script func(*Pool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &Pool{t: t, ctx: ctx, threads: map[string]*Thread{}, labels: map[string]*pool.Connection[pool.Conn]{}}
	p.Thread = &Thread{p: p}
	cfg.Options = event.PoolOptions{
		MaxPoolSize: o.MaxPoolSize, MinPoolSize: o.MinPoolSize, MaxConnecting: o.MaxConnecting,
		MaxIdleTime: o.MaxIdleTime, WaitQueueTimeout: o.WaitQueueTimeout,
	}
	if o.BackgroundThreadInterval != nil {
		cfg.MaintainInterval = *o.BackgroundThreadInterval
	}
	cfg.Monitor = p.events.monitor()
	// What SDAM does when a connection cannot be established.
	cfg.OnEstablishError = func(e *pool.EstablishError) { p.pool.Clear(e.Err) }
	p.pool = pool.New(cfg)
	script(p)
	cancel()
	p.pool.Close()
	for _, th := range p.threads {
		th.join()
	}
}

func (th *Thread) do(f func() error) {
	if th.work != nil {
		th.work <- f
		return
	}
	if th.err == nil {
		th.err = f()
	}
}

// loop is the goroutine of a thread other than the main one.
func (th *Thread) loop() {
	defer close(th.done)
	for f := range th.work {
		if th.err == nil {
			th.err = f()
		}
	}
}

// join waits until a thread has finished what it was told to do.
func (th *Thread) join() {
	if !th.joined {
		th.joined = true
		close(th.work)
	}
	<-th.done
}

// queueSize is how many operations a thread may be told to do before it has begun.
const queueSize = 1000

// Start starts a thread.
func (p *Pool) Start(name string) {
	th := &Thread{p: p, work: make(chan func() error, queueSize), done: make(chan struct{})}
	p.threads[name] = th
	go th.loop()
}

// On returns a thread, to tell it operations.
func (p *Pool) On(name string) *Thread {
	p.t.Helper()
	th := p.threads[name]
	if th == nil {
		p.t.Fatalf("the thread %s has not been started", name)
	}
	return th
}

// WaitForThread waits until a thread has done all it was told to; the main thread takes over its error.
func (p *Pool) WaitForThread(name string) {
	p.t.Helper()
	th := p.On(name)
	p.do(func() error {
		th.join()
		return th.err
	})
}

// Ready marks the pool ready.
func (th *Thread) Ready() {
	th.do(func() error { th.p.touch("PoolMarkReady"); th.p.pool.Ready(); return nil })
}

// Close closes the pool.
func (th *Thread) Close() {
	th.do(func() error { th.p.touch("PoolClose"); th.p.pool.Close(); return nil })
}

// errCleared is why the scripts clear pools.
var errCleared = errors.New("the test cleared the pool")

// Clear clears the pool.
func (th *Thread) Clear() {
	th.do(func() error { th.p.touch("PoolClear"); th.p.pool.Clear(errCleared); return nil })
}

// ClearAndInterrupt clears the pool and interrupts the connections in use.
func (th *Thread) ClearAndInterrupt() {
	th.do(func() error { th.p.touch("PoolClear"); th.p.pool.ClearInterrupting(errCleared); return nil })
}

// Wait makes the thread sleep.
func (th *Thread) Wait(d time.Duration) {
	th.do(func() error {
		time.Sleep(d)
		return nil
	})
}

// CheckOut checks a connection out and calls it by a label.
func (th *Thread) CheckOut(label string) {
	th.do(func() error {
		c, err := th.p.pool.CheckOut(th.p.ctx)
		if err != nil {
			return err
		}
		th.p.mu.Lock()
		defer th.p.mu.Unlock()
		th.p.labels[label] = c
		return nil
	})
}

// CheckIn checks the connection with a label in.
func (th *Thread) CheckIn(label string) {
	th.do(func() error {
		th.p.mu.Lock()
		c := th.p.labels[label]
		th.p.mu.Unlock()
		if c == nil {
			return fmt.Errorf("no connection is called %s", label)
		}
		return th.p.pool.CheckIn(c)
	})
}

// patience bounds a wait that the case does not bound.
const patience = 10 * time.Second

// WaitForEvent waits until an event has been published a number of times since the pool was created.
func (th *Thread) WaitForEvent(kind Kind, count int, timeout ...time.Duration) {
	limit := patience
	if len(timeout) > 0 {
		limit = timeout[0]
	}
	th.do(func() error { return th.p.events.wait(kind, count, limit) })
}

// Succeeds checks that the main thread ran into no error.
func (p *Pool) Succeeds() {
	p.t.Helper()
	if p.err != nil {
		p.t.Errorf("the main thread failed: %v", p.err)
	}
}

// ErrorKind is a kind of error that a check-out fails with.
type ErrorKind uint8

// The kinds of errors; the zero kind is any.
const (
	PoolClosedError ErrorKind = iota + 1
	PoolClearedError
	WaitQueueTimeoutError
)

// Error is what a case says about the error of the main thread; zero fields are any.
type Error struct {
	Kind       ErrorKind
	Message    string
	Address    string
	HasAddress bool
}

// Fails checks the error of the main thread.
func (p *Pool) Fails(want Error) {
	p.t.Helper()
	if p.err == nil {
		p.t.Errorf("the main thread did not fail")
		return
	}
	kind, address := classify(p.err)
	if want.Kind != 0 && kind != want.Kind {
		p.t.Errorf("the main thread failed in another way: %v", p.err)
	}
	if !strings.Contains(strings.ToLower(p.err.Error()), strings.ToLower(want.Message)) {
		p.t.Errorf("the error is %q, want one with %q", p.err, want.Message)
	}
	if want.HasAddress && address == "" || want.Address != "" && address != want.Address {
		p.t.Errorf("the error's address is %q, want %q", address, want.Address)
	}
}

func classify(err error) (ErrorKind, string) {
	if e, ok := errors.AsType[fault.PoolClosedError](err); ok {
		return PoolClosedError, e.Address
	}
	if e, ok := errors.AsType[fault.PoolClearedError](err); ok {
		return PoolClearedError, e.Address
	}
	if e, ok := errors.AsType[fault.WaitQueueTimeoutError](err); ok {
		return WaitQueueTimeoutError, e.Address
	}
	return 0, ""
}
