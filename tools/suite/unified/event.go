package unified

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
)

// Kind is the kind of an event, by the name of its Go type.
type Kind string

// The kinds of events that clients can observe.
const (
	CommandStarted             Kind = "CommandStarted"
	CommandSucceeded           Kind = "CommandSucceeded"
	CommandFailed              Kind = "CommandFailed"
	PoolCreated                Kind = "PoolCreated"
	PoolReady                  Kind = "PoolReady"
	PoolCleared                Kind = "PoolCleared"
	PoolClosed                 Kind = "PoolClosed"
	ConnectionCreated          Kind = "ConnectionCreated"
	ConnectionReady            Kind = "ConnectionReady"
	ConnectionClosed           Kind = "ConnectionClosed"
	ConnectionCheckOutStarted  Kind = "ConnectionCheckOutStarted"
	ConnectionCheckOutFailed   Kind = "ConnectionCheckOutFailed"
	ConnectionCheckedOut       Kind = "ConnectionCheckedOut"
	ConnectionCheckedIn        Kind = "ConnectionCheckedIn"
	ServerDescriptionChanged   Kind = "ServerDescriptionChanged"
	ServerHeartbeatStarted     Kind = "ServerHeartbeatStarted"
	ServerHeartbeatSucceeded   Kind = "ServerHeartbeatSucceeded"
	ServerHeartbeatFailed      Kind = "ServerHeartbeatFailed"
	TopologyDescriptionChanged Kind = "TopologyDescriptionChanged"
	TopologyOpening            Kind = "TopologyOpening"
	TopologyClosed             Kind = "TopologyClosed"
)

// Family is a group of events that are compared together. Unified Test Format, "expectedEventsForClient".
type Family int

// The families of events.
const (
	Commands Family = iota
	PoolEvents
	ServerEvents
)

func (k Kind) family() Family {
	switch k {
	case CommandStarted, CommandSucceeded, CommandFailed:
		return Commands
	case ServerDescriptionChanged, ServerHeartbeatStarted, ServerHeartbeatSucceeded, ServerHeartbeatFailed,
		TopologyDescriptionChanged, TopologyOpening, TopologyClosed:
		return ServerEvents
	}
	return PoolEvents
}

// Event is an event, or what one must look like: then a field that is empty matches everything.
type Event struct {
	Kind                                Kind
	CommandName, DatabaseName           string
	Command, Reply                      any // a bson.D that is expected, or a bson.Raw that was seen
	Reason                              string
	HasServiceID, HasServerConnectionID *bool
	InterruptInUseConnections, Awaited  *bool
	PreviousDescription, NewDescription string // their types
}

// monitor makes the client report its events to the run.
func (c *Client) monitor(set *options.Client) {
	sensitive := map[int64]bool{}
	command := func(e Event, id int64, service *bson.ObjectID, connection *int64) {
		if c.ignores(e, sensitive, id) {
			return
		}
		e.HasServiceID = new(service != nil && *service != bson.ObjectID{})
		e.HasServerConnectionID = new(connection != nil && *connection > 0)
		c.add(e)
	}
	set.CommandMonitor = &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStarted) {
			command(
				Event{Kind: CommandStarted, CommandName: e.CommandName, DatabaseName: e.DatabaseName, Command: e.Command},
				e.RequestID, e.ServiceID, e.ServerConnectionID)
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceeded) {
			command(
				Event{Kind: CommandSucceeded, CommandName: e.CommandName, DatabaseName: e.DatabaseName, Reply: e.Reply},
				e.RequestID, e.ServiceID, e.ServerConnectionID)
		},
		Failed: func(_ context.Context, e *event.CommandFailed) {
			command(Event{Kind: CommandFailed, CommandName: e.CommandName, DatabaseName: e.DatabaseName}, e.RequestID,
				e.ServiceID, e.ServerConnectionID)
		},
	}
	set.PoolMonitor = c.poolMonitor()
	set.ServerMonitor = c.serverMonitor()
}

// ignores reports whether the events of a command do not count. Unified Test Format, "Executing a Test".
func (c *Client) ignores(e Event, sensitive map[int64]bool, id int64) bool {
	if e.CommandName == "configureFailPoint" || slices.Contains(c.options.Ignore, e.CommandName) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if body, ok := e.Command.(bson.Raw); ok && e.Kind == CommandStarted && body.Len() == 0 {
		sensitive[id] = true
	}
	return sensitive[id] && !c.options.ObserveSensitive
}

func (c *Client) poolMonitor() *event.PoolMonitor {
	plain := func(kind Kind) { c.add(Event{Kind: kind}) }
	return &event.PoolMonitor{
		PoolCreated: func(*event.PoolCreated) { plain(PoolCreated) },
		PoolReady:   func(*event.PoolReady) { plain(PoolReady) },
		PoolCleared: func(e *event.PoolCleared) {
			c.add(
				Event{
					Kind:                      PoolCleared,
					HasServiceID:              new(e.ServiceID != nil),
					InterruptInUseConnections: new(e.InterruptInUseConnections),
				},
			)
		},
		PoolClosed:        func(*event.PoolClosed) { plain(PoolClosed) },
		ConnectionCreated: func(*event.ConnectionCreated) { plain(ConnectionCreated) },
		ConnectionReady: func(e *event.ConnectionReady) {
			c.mu.Lock()
			c.minReady[e.Address]++
			c.mu.Unlock()
			plain(ConnectionReady)
		},
		ConnectionClosed: func(e *event.ConnectionClosed) {
			c.add(Event{Kind: ConnectionClosed, Reason: string(e.Reason)})
		},
		ConnectionCheckOutStarted: func(*event.ConnectionCheckOutStarted) { plain(ConnectionCheckOutStarted) },
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			c.add(Event{Kind: ConnectionCheckOutFailed, Reason: string(e.Reason)})
		},
		ConnectionCheckedOut: func(*event.ConnectionCheckedOut) {
			c.checkedOut.Add(1)
			plain(ConnectionCheckedOut)
		},
		ConnectionCheckedIn: func(*event.ConnectionCheckedIn) {
			c.checkedOut.Add(-1)
			plain(ConnectionCheckedIn)
		},
	}
}

func (c *Client) serverMonitor() *event.ServerMonitor {
	return &event.ServerMonitor{
		ServerDescriptionChanged: func(e *event.ServerDescriptionChanged) {
			c.add(Event{Kind: ServerDescriptionChanged, PreviousDescription: e.PreviousDescription.Type.String(),
				NewDescription: e.NewDescription.Type.String()})
		},
		ServerHeartbeatStarted: func(e *event.ServerHeartbeatStarted) {
			c.add(Event{Kind: ServerHeartbeatStarted, Awaited: new(e.Awaited)})
		},
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceeded) {
			c.add(Event{Kind: ServerHeartbeatSucceeded, Awaited: new(e.Awaited)})
		},
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailed) {
			c.add(Event{Kind: ServerHeartbeatFailed, Awaited: new(e.Awaited)})
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) {
			c.add(Event{Kind: TopologyDescriptionChanged, PreviousDescription: e.PreviousDescription.Type.String(),
				NewDescription: e.NewDescription.Type.String()})
		},
		TopologyOpening: func(*event.TopologyOpening) { c.add(Event{Kind: TopologyOpening}) },
		TopologyClosed:  func(*event.TopologyClosed) { c.add(Event{Kind: TopologyClosed}) },
	}
}

// add keeps an event that the client observes.
func (c *Client) add(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.options.Store {
		if slices.Contains(s.Kinds, e.Kind) {
			s.Into.append(bson.Doc("name", string(e.Kind)+"Event", "observedAt", seconds()))
		}
	}
	if !c.deaf && slices.Contains(c.options.Observe, e.Kind) {
		c.events = append(c.events, e)
	}
}

func (c *Client) observedEvents() []Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.events)
}

// matches checks an event against what is expected.
func (want Event) matches(got Event) error {
	if want.Kind != got.Kind {
		return fmt.Errorf("got %s, want %s", got.Kind, want.Kind)
	}
	for _, f := range []struct{ name, want, got string }{
		{"command name", want.CommandName, got.CommandName}, {"database", want.DatabaseName, got.DatabaseName},
		{"reason", want.Reason, got.Reason}, {"type before", want.PreviousDescription, got.PreviousDescription},
		{"type", want.NewDescription, got.NewDescription},
	} {
		if f.want != "" && f.want != f.got {
			return fmt.Errorf("the %s is %q, want %q", f.name, f.got, f.want)
		}
	}
	for _, f := range []struct {
		name      string
		want, got *bool
	}{
		{"service id", want.HasServiceID, got.HasServiceID},
		{"server connection id", want.HasServerConnectionID, got.HasServerConnectionID},
		{"interruptInUseConnections", want.InterruptInUseConnections, got.InterruptInUseConnections},
		{"awaited", want.Awaited, got.Awaited},
	} {
		if f.want != nil && (f.got == nil || *f.want != *f.got) {
			return fmt.Errorf("%s is not %v", f.name, *f.want)
		}
	}
	for _, f := range []struct {
		name      string
		want, got any
	}{{"command", want.Command, got.Command}, {"reply", want.Reply, got.Reply}} {
		if f.want == nil {
			continue
		}
		body, _ := f.got.(bson.Raw)
		if err := (matcher{}).match(f.want, rawDocument(body), true, f.name); err != nil {
			return err
		}
	}
	return nil
}

// Publishes asserts that the client published these events of a family, in this order, and no others.
func (c *Client) Publishes(of Family, want ...Event) {
	c.run.t.Helper()
	c.checkEvents(of, want, false)
}

// PublishesFirst asserts that the client published these events of a family, in this order, before others.
func (c *Client) PublishesFirst(of Family, want ...Event) {
	c.run.t.Helper()
	c.checkEvents(of, want, true)
}

func (c *Client) checkEvents(of Family, want []Event, more bool) {
	c.run.t.Helper()
	c.touchPassing(want)
	got := slices.DeleteFunc(c.observedEvents(), func(e Event) bool { return e.Kind.family() != of })
	err := func() error {
		for i, w := range want {
			if i >= len(got) {
				return fmt.Errorf("event %d, a %s, is missing", i, w.Kind)
			}
			if err := w.matches(got[i]); err != nil {
				return fmt.Errorf("event %d: %w", i, err)
			}
		}
		if len(got) > len(want) && !more {
			return errors.New("there are events too many")
		}
		return nil
	}()
	if err != nil {
		c.run.t.Errorf("%v\n%s", err, list(got))
	}
}

// list shows events.
func list(events []Event) string {
	text := fmt.Sprintf("%d events:", len(events))
	for i, e := range events {
		text += fmt.Sprintf("\n\t%d %s %s", i, e.Kind, e.CommandName)
		for _, body := range []any{e.Command, e.Reply} {
			if body, ok := body.(bson.Raw); ok {
				line := body.String()
				if len(line) > 300 {
					line = line[:300] + "..."
				}
				text += " " + line
			}
		}
		text += e.Reason + e.NewDescription
	}
	return text
}

// eventPatience is how long to wait for an event. Unified Test Format, "waitForEvent".
const eventPatience = 10 * time.Second

// WaitForEvent waits until the client has published an event so many times.
func (c *Client) WaitForEvent(want Event, count int) {
	c.run.t.Helper()
	if !c.await(eventPatience, func() bool { return c.count(want) >= count }) {
		c.run.failf("%d of %d events are like %+v after %v\n%s", c.count(want), count, want, eventPatience, list(c.observedEvents()))
	}
}

// AssertEventCount asserts how many times the client has published an event.
func (c *Client) AssertEventCount(want Event, count int) {
	c.run.t.Helper()
	if n := c.count(want); n != count {
		c.run.failf("%d events are like %+v, want %d\n%s", n, want, count, list(c.observedEvents()))
	}
}

func (c *Client) count(want Event) int {
	n := 0
	for _, e := range c.observedEvents() {
		if want.matches(e) == nil {
			n++
		}
	}
	return n
}

// await waits until a condition holds.
func (c *Client) await(patience time.Duration, holds func() bool) bool {
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(2 * time.Millisecond)
	}
	return true
}
