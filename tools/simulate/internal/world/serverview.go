package world

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/selection"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// checkView is what an observer knows of the checks of one server.
type checkView struct {
	running int
	begun   [2]time.Time // the last checks that did not wait for a change
}

// topologyView is what an observer knows of a client's view of the deployment.
type topologyView struct {
	open   map[string]bool
	last   *description.Topology
	newest bson.ObjectID // the largest electionId of a primary
	shown  string
	closed bool
}

func (o *observer) serverMonitor() *event.ServerMonitor {
	return &event.ServerMonitor{
		TopologyOpening: func(*event.TopologyOpening) { o.hear("Starting topology monitoring", func() {}) },
		TopologyClosed: func(*event.TopologyClosed) {
			o.hear("Stopped topology monitoring", func() { o.view.closed = true })
		},
		ServerOpening: func(e *event.ServerOpening) {
			o.hear("Starting server monitoring", func() {
				if o.view.open[e.Address] {
					o.violate("servers", "%s was opened twice", e.Address)
				}
				o.view.open[e.Address], o.checks[e.Address] = true, &checkView{}
			})
		},
		ServerClosed: func(e *event.ServerClosed) {
			o.hear("Stopped server monitoring", func() {
				if !o.view.open[e.Address] {
					o.violate("servers", "%s was closed and was not open", e.Address)
				}
				if delete(o.view.open, e.Address); !o.closing() {
					o.c.world.effect("a server left")
				}
			})
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) {
			o.hear("Topology description changed", func() { o.changed(e.PreviousDescription, e.NewDescription) })
		},
		ServerHeartbeatStarted: func(e *event.ServerHeartbeatStarted) {
			o.hear("Server heartbeat started", func() { o.checkBegins(e) })
		},
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceeded) {
			o.hear("Server heartbeat succeeded", func() { o.checkSucceeded(e) })
		},
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailed) {
			o.hear("Server heartbeat failed", func() { o.check(e.Address).running-- })
		},
	}
}

func (o *observer) hear(message string, f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count(message)
	if o.closed {
		o.violate("events", "%q after the client was closed", message)
	}
	f()
}

func (o *observer) check(address string) *checkView {
	c := o.checks[address]
	if c == nil {
		c = &checkView{}
		o.checks[address] = c
	}
	return c
}

func (o *observer) checkSucceeded(e *event.ServerHeartbeatSucceeded) {
	o.check(e.Address).running--
	if told, ok := e.Reply.Lookup("localTime").TimeOK(); ok && time.Since(told).Abs() > time.Minute {
		o.c.world.effect(scenario.Skew)
	}
	if id, ok := e.Reply.Lookup("electionId").ObjectIDOK(); ok && bytes.Compare(id[:], o.view.newest[:]) < 0 {
		o.c.world.effect(scenario.OldNews)
	}
}

// checkBegins checks that a server is asked by one check at a time, and not too often: twice within
// minHeartbeatFrequencyMS, when the connection of a known server broke, but not three times.
func (o *observer) checkBegins(e *event.ServerHeartbeatStarted) {
	c, now := o.check(e.Address), time.Now()
	if c.running++; c.running != 1 {
		o.violate("heartbeat", "%d checks of %s at a time", c.running, e.Address)
	}
	if e.Awaited {
		return
	}
	if before := c.begun[0]; !before.IsZero() && now.Sub(before) < selection.MinHeartbeatFrequency {
		o.violate("heartbeat", "three checks of %s within %v", e.Address, now.Sub(before))
	}
	c.begun[0], c.begun[1] = c.begun[1], now
}

// changed checks that descriptions follow upon each other and that no primary gives way to an older one.
func (o *observer) changed(before, after *description.Topology) {
	if o.view.last != nil && !o.view.last.Equal(before) {
		o.violate("topology", "a description follows upon another one than the last")
	}
	o.view.last = after
	primaries := 0
	for i := range after.Servers {
		s := &after.Servers[i]
		if s.Type != description.RSPrimary {
			continue
		}
		primaries++
		if s.ElectionID == nil {
			continue
		}
		if bytes.Compare(s.ElectionID[:], o.view.newest[:]) < 0 {
			o.violate("topology", "%s of election %v is the primary after election %v", s.Address, s.ElectionID, o.view.newest)
		} else {
			o.view.newest = *s.ElectionID
		}
	}
	if primaries > 1 {
		o.violate("topology", "%d primaries", primaries)
	}
	if text := show(after); text != o.view.shown {
		o.view.shown = text
		o.c.world.mark(Mark{Kind: "view", Node: -1, Client: o.c.plan.Number, Start: o.c.world.now(), Text: text})
	}
}

// show is a letter for each server that a client knows.
func show(t *description.Topology) string {
	var parts []string
	for i := range t.Servers {
		host, _, _ := strings.Cut(t.Servers[i].Address, ".")
		parts = append(parts, fmt.Sprintf("%s=%s", strings.TrimPrefix(host, "node"), letters[t.Servers[i].Type]))
	}
	return strings.Join(parts, " ")
}

var letters = map[description.ServerType]string{
	description.RSPrimary: "P", description.RSSecondary: "S", description.Mongos: "R", description.LoadBalancer: "L",
	description.ServerUnknown: "?", description.PossiblePrimary: "?", description.RSOther: "o", description.RSGhost: "g",
}

// finishServers checks that a closed client watches nothing any more. Its last checks have no outcome: they were cut off.
func (o *observer) finishServers() {
	if !o.view.closed {
		o.violate("servers", "the topology was not closed")
	}
	for address := range o.view.open {
		o.violate("servers", "%s was not closed", address)
	}
}
