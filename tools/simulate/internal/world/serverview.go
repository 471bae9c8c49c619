package world

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/selecttable"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// checkView is what an observer knows of the checks of one server.
type checkView struct {
	address string
	conn    string       // the connection of the last check
	running bool         // that check has not ended
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
				o.view.open[e.Address], o.checks[e.Address] = true, &checkView{address: e.Address}
			})
		},
		ServerClosed: func(e *event.ServerClosed) {
			o.hear("Stopped server monitoring", func() {
				if !o.view.open[e.Address] {
					o.violate("servers", "%s was closed and was not open", e.Address)
				}
				o.noteLeft(e.Address)
			})
		},
		TopologyDescriptionChanged: func(e *event.TopologyDescriptionChanged) {
			o.hear("Topology description changed", func() { o.checkChange(e.PreviousDescription, e.NewDescription) })
		},
		ServerHeartbeatStarted: func(e *event.ServerHeartbeatStarted) {
			o.hear("Server heartbeat started", func() { o.beginCheck(e) })
		},
		ServerHeartbeatSucceeded: func(e *event.ServerHeartbeatSucceeded) {
			o.hear("Server heartbeat succeeded", func() { o.checkSucceeded(e) })
		},
		ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailed) {
			o.hear("Server heartbeat failed", func() { o.endCheck(e.Address, e.ConnectionID) })
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
	if o.view.closed {
		o.violate("servers", "%q after the topology was closed", message) // SDAM Logging and Monitoring: that event is the last
	}
	f()
}

// noteLeft notes that a server has left the topology. Its last check ends later, when the server may be back already. The
// name of its connection tells that check from the checks of the next monitor.
func (o *observer) noteLeft(address string) {
	if c := o.checks[address]; c != nil && c.conn != "" {
		o.former[c.conn] = c
	}
	delete(o.checks, address)
	if delete(o.view.open, address); !o.isClosing() {
		o.c.world.countEffect("a server left")
	}
}

// checksOn returns what is known of the checks that a connection belongs to.
func (o *observer) checksOn(address, conn string) *checkView {
	if c := o.former[conn]; c != nil {
		return c
	}
	c := o.checks[address]
	if c == nil {
		o.violate("heartbeat", "a check of %s, which is no server of the topology", address)
		c = &checkView{address: address}
		o.checks[address] = c
	}
	return c
}

// endCheck checks that an outcome belongs to a check that runs.
func (o *observer) endCheck(address, conn string) {
	c := o.checksOn(address, conn)
	if !c.running || c.conn != conn {
		o.violate("heartbeat", "a check of %s on connection %s ended and was not started", address, conn)
	}
	c.running = false
}

func (o *observer) checkSucceeded(e *event.ServerHeartbeatSucceeded) {
	o.endCheck(e.Address, e.ConnectionID)
	if told, ok := e.Reply.Lookup("localTime").TimeOK(); ok && time.Since(told).Abs() > time.Minute {
		o.c.world.countEffect(scenario.Skew)
	}
	if id, ok := e.Reply.Lookup("electionId").ObjectIDOK(); ok && bytes.Compare(id[:], o.view.newest[:]) < 0 {
		o.c.world.countEffect(scenario.OldNews)
	}
}

// beginCheck checks that a server is asked by one check at a time, and not too often: twice within
// minHeartbeatFrequencyMS, when the connection of a known server broke, but not three times.
func (o *observer) beginCheck(e *event.ServerHeartbeatStarted) {
	c, now := o.checksOn(e.Address, e.ConnectionID), time.Now()
	if c.running {
		o.violate("heartbeat", "a check of %s begins on connection %s while one runs on %s", e.Address, e.ConnectionID, c.conn)
	}
	c.running, c.conn = true, e.ConnectionID
	if e.Awaited {
		return
	}
	if !c.begun[0].IsZero() {
		o.c.world.countEffect(judgedDistance)
	}
	if before := c.begun[0]; !before.IsZero() && now.Sub(before) < selecttable.MinHeartbeatFrequency {
		o.violate("heartbeat", "three checks of %s within %v", e.Address, now.Sub(before))
	}
	c.begun[0], c.begun[1] = c.begun[1], now
}

// checkChange checks that each description follows the previous one, and that no primary gives way to an older one.
func (o *observer) checkChange(before, after *description.Topology) {
	if o.view.last != nil {
		o.c.world.countEffect(judgedViews)
	}
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
		if !o.view.newest.IsZero() && *s.ElectionID != o.view.newest {
			o.c.world.countEffect(judgedElection)
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
	if text := abbreviate(after); text != o.view.shown {
		o.view.shown = text
		o.c.world.mark(Mark{Kind: "view", Node: -1, Client: o.c.plan.Number, Start: o.c.world.elapsed(), Text: text})
	}
}

// abbreviate writes a letter for each server that a client knows.
func abbreviate(t *description.Topology) string {
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

// finishServers checks that a closed client watches nothing any more, and that all its checks have ended.
func (o *observer) finishServers() {
	if !o.view.closed {
		o.violate("servers", "the topology was not closed")
	}
	for address := range o.view.open {
		o.violate("servers", "%s was not closed", address)
	}
	for conn, c := range o.former {
		if c.running {
			o.violate("heartbeat", "a check of %s on connection %s neither succeeded nor failed", c.address, conn)
		}
	}
}
