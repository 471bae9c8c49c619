package checkout

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/suite"
)

// Kind is a kind of event.
type Kind string

// The kinds of events that a pool publishes.
const (
	PoolCreated               Kind = "PoolCreated"
	PoolReady                 Kind = "PoolReady"
	PoolCleared               Kind = "PoolCleared"
	PoolClosed                Kind = "PoolClosed"
	ConnectionCreated         Kind = "ConnectionCreated"
	ConnectionReady           Kind = "ConnectionReady"
	ConnectionClosed          Kind = "ConnectionClosed"
	ConnectionCheckOutStarted Kind = "ConnectionCheckOutStarted"
	ConnectionCheckOutFailed  Kind = "ConnectionCheckOutFailed"
	ConnectionCheckedOut      Kind = "ConnectionCheckedOut"
	ConnectionCheckedIn       Kind = "ConnectionCheckedIn"
)

// Event is what a case says about an event; zero fields are any.
type Event struct {
	Kind                      Kind
	Address                   string
	HasAddress                bool
	ConnectionID              int64
	HasConnectionID           bool
	HasDuration               bool
	Options                   *Options
	HasOptions                bool
	Reason                    string
	HasReason                 bool
	InterruptInUseConnections *bool
	HasInterruption           bool // interruptInUseConnections is there
}

// published is an event as the pool published it.
type published struct {
	kind         Kind
	address      string
	connectionID int64
	duration     *time.Duration
	options      *event.PoolOptions
	reason       string
	interrupt    *bool
}

// recorder keeps the events of a pool.
type recorder struct {
	mu      sync.Mutex
	list    []published
	ignored []Kind
	more    chan struct{} // closed when an event comes
}

func (r *recorder) add(e published) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
	if r.more != nil {
		close(r.more)
		r.more = nil
	}
}

func (r *recorder) monitor() *event.PoolMonitor {
	return &event.PoolMonitor{
		PoolCreated: func(e *event.PoolCreated) {
			r.add(published{kind: PoolCreated, address: e.Address, options: &e.Options})
		},
		PoolReady: func(e *event.PoolReady) { r.add(published{kind: PoolReady, address: e.Address}) },
		PoolCleared: func(e *event.PoolCleared) {
			r.add(published{kind: PoolCleared, address: e.Address, interrupt: &e.InterruptInUseConnections})
		},
		PoolClosed: func(e *event.PoolClosed) { r.add(published{kind: PoolClosed, address: e.Address}) },
		ConnectionCreated: func(e *event.ConnectionCreated) {
			r.add(published{kind: ConnectionCreated, address: e.Address, connectionID: e.ConnectionID})
		},
		ConnectionReady: func(e *event.ConnectionReady) {
			r.add(published{kind: ConnectionReady, address: e.Address, connectionID: e.ConnectionID, duration: &e.Duration})
		},
		ConnectionClosed: func(e *event.ConnectionClosed) {
			r.add(published{kind: ConnectionClosed, address: e.Address, connectionID: e.ConnectionID, reason: string(e.Reason)})
		},
		ConnectionCheckOutStarted: func(e *event.ConnectionCheckOutStarted) {
			r.add(published{kind: ConnectionCheckOutStarted, address: e.Address})
		},
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			r.add(published{kind: ConnectionCheckOutFailed, address: e.Address, duration: &e.Duration, reason: string(e.Reason)})
		},
		ConnectionCheckedOut: func(e *event.ConnectionCheckedOut) {
			r.add(published{kind: ConnectionCheckedOut, address: e.Address, connectionID: e.ConnectionID, duration: &e.Duration})
		},
		ConnectionCheckedIn: func(e *event.ConnectionCheckedIn) {
			r.add(published{kind: ConnectionCheckedIn, address: e.Address, connectionID: e.ConnectionID})
		},
	}
}

// state returns the state of the pool, as its events tell it.
func (r *recorder) state() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := "PoolPaused"
	for _, e := range r.list {
		switch e.kind {
		case PoolReady:
			state = "PoolReady"
		case PoolCleared:
			state = "PoolPaused"
		case PoolClosed:
			state = "PoolClosed"
		}
	}
	return state
}

// touch notes the row of the pool's states that an operation asks for.
func (p *Pool) touch(input string) { suite.Touch("pool-states", p.events.state()+"/"+input) }

// wait waits until there are count events of a kind.
func (r *recorder) wait(kind Kind, count int, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		r.mu.Lock()
		n := 0
		for _, e := range r.list {
			if e.kind == kind {
				n++
			}
		}
		if r.more == nil {
			r.more = make(chan struct{})
		}
		more := r.more
		r.mu.Unlock()
		if n >= count {
			return nil
		}
		select {
		case <-more:
		case <-timer.C:
			return fmt.Errorf("%d of %d events %s came within %v", n, count, kind, limit)
		}
	}
}

// Ignore names kinds of events that Publishes does not look at.
func (p *Pool) Ignore(kinds ...Kind) { p.events.ignored = kinds }

// Publishes checks the events so far, in their order. The case may say nothing about the last of them.
func (p *Pool) Publishes(want ...Event) {
	p.t.Helper()
	p.events.mu.Lock()
	defer p.events.mu.Unlock()
	var got []published
	for _, e := range p.events.list {
		if !slices.Contains(p.events.ignored, e.kind) {
			got = append(got, e)
		}
	}
	for i, w := range want {
		if i >= len(got) {
			p.t.Errorf("event %d is missing: %s", i+1, w.Kind)
			continue
		}
		if problem := w.match(got[i]); problem != "" {
			p.t.Errorf("event %d: %s\nall events: %s", i+1, problem, kinds(got))
		}
	}
}

func kinds(list []published) string {
	text := ""
	for _, e := range list {
		text += fmt.Sprintf("%s(%d%s) ", e.kind, e.connectionID, e.reason)
	}
	return text
}

// match says how an event differs from the expected one. CMAP Tests, "Spec Test Match Function".
func (w Event) match(got published) string {
	switch {
	case got.kind != w.Kind:
		return fmt.Sprintf("it is %s, want %s", got.kind, w.Kind)
	case w.HasAddress && got.address == "" || w.Address != "" && got.address != w.Address:
		return fmt.Sprintf("the address is %q, want %q", got.address, w.Address)
	case w.HasConnectionID && got.connectionID == 0 || w.ConnectionID != 0 && got.connectionID != w.ConnectionID:
		return fmt.Sprintf("the connection is %d, want %d", got.connectionID, w.ConnectionID)
	case w.HasDuration && got.duration == nil:
		return "there is no duration"
	case w.HasOptions && got.options == nil:
		return "there are no options"
	case w.HasReason && got.reason == "":
		return "there is no reason"
	case w.HasInterruption && got.interrupt == nil:
		return "there is no interruptInUseConnections"
	case w.Reason != "" && got.reason != w.Reason:
		return fmt.Sprintf("the reason is %q, want %q", got.reason, w.Reason)
	case w.InterruptInUseConnections != nil && (got.interrupt == nil || *got.interrupt != *w.InterruptInUseConnections):
		return fmt.Sprintf("interruptInUseConnections is not %v", *w.InterruptInUseConnections)
	case w.Options != nil:
		return w.Options.match(got.options)
	}
	return ""
}

func (o *Options) match(got *event.PoolOptions) string {
	if got == nil {
		return "there are no options"
	}
	for _, problem := range []string{
		subset("maxPoolSize", got.MaxPoolSize, o.MaxPoolSize), subset("minPoolSize", got.MinPoolSize, o.MinPoolSize),
		subset("maxConnecting", got.MaxConnecting, o.MaxConnecting), subset("maxIdleTime", got.MaxIdleTime, o.MaxIdleTime),
		subset("waitQueueTimeout", got.WaitQueueTimeout, o.WaitQueueTimeout),
	} {
		if problem != "" {
			return problem
		}
	}
	return ""
}

func subset[T comparable](name string, got, want *T) string {
	if want == nil || got != nil && *got == *want {
		return ""
	}
	return fmt.Sprintf("the option %s is not %v", name, *want)
}
