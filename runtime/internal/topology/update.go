package topology

import (
	"maps"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/sdam"
)

// update changes the description with f and applies the effects. It makes one change at a time, so a server's pool
// becomes ready or is cleared together with the change of its description.
//
// SDAM, "Why synchronize clearing a server's pool with updating the topology?".
func (t *Topology) update(f func(description.Topology) (description.Topology, sdam.Effects)) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.closed || t.ctx.Err() != nil { // the topology is closing, and Close waits for the goroutines that wait here
		return
	}
	before := t.current.Load()
	next, fx := f(before.description)
	after := &snapshot{description: next, servers: before.servers, changed: make(chan struct{}), since: before.since}
	if len(fx.Opened)+len(fx.Closed) > 0 || before.servers == nil {
		after.servers = t.servers(before.servers, &next)
	}
	after.remember(before)
	after.forgetRTT(&before.description)
	for _, address := range fx.Ready {
		after.servers[address].pool.Ready() // before the server can be selected
	}
	t.current.Store(after)
	close(before.changed)
	t.publish.PublishAll(fx.Events)
	t.carryOut(&fx, before, after)
	if len(next.Servers) == 0 && len(before.description.Servers) > 0 {
		t.warn(noServersLeft) // SDAM, "Other TopologyTypes"
	}
}

// forgetRTT resets the round trip times of every server that has become unavailable.
//
// Server Selection, "Calculation of Average Round Trip Times".
func (s *snapshot) forgetRTT(before *description.Topology) {
	for i := range before.Servers {
		old := &before.Servers[i]
		if !old.Type.IsAvailable() {
			continue
		}
		now, ok := s.description.Server(old.Address)
		if ok && !now.Type.IsAvailable() && s.servers[old.Address].monitor != nil {
			s.servers[old.Address].monitor.rtt.reset()
		}
	}
}

// noServersLeft tells the administrator why no operation finds a server any more.
const noServersLeft = "the last server has left the topology: no server that the connection string names fits its" +
	" options and the other servers"

// servers returns the servers for the next description: it keeps existing ones and creates the rest.
func (t *Topology) servers(before map[string]*Server, next *description.Topology) map[string]*Server {
	servers := make(map[string]*Server, len(next.Servers))
	maps.Copy(servers, before)
	for i := range next.Servers {
		address := next.Servers[i].Address
		if servers[address] == nil {
			servers[address] = t.newServer(address)
		}
	}
	maps.DeleteFunc(servers, func(address string, _ *Server) bool {
		_, ok := next.Server(address)
		return !ok
	})
	return servers
}

// carryOut applies the effects of a change that must wait until selection no longer uses the old description.
func (t *Topology) carryOut(fx *sdam.Effects, before, after *snapshot) {
	for _, c := range fx.Clear {
		s := after.servers[c.Address]
		switch {
		case s == nil:
		case c.ServiceID != nil:
			s.pool.ClearService(*c.ServiceID, c.Cause)
		case c.InterruptInUse:
			s.pool.ClearInterrupting(c.Cause)
		default:
			s.pool.Clear(c.Cause)
		}
	}
	for _, address := range fx.Opened {
		after.servers[address].startMonitor()
	}
	for _, address := range fx.Closed {
		before.servers[address].stop()
	}
	for _, address := range fx.Check {
		if s := after.servers[address]; s != nil && s.monitor != nil {
			s.monitor.requestCheck()
			s.monitor.rtt.measure()
		}
	}
	for _, address := range fx.Cancel {
		if s := after.servers[address]; s != nil && s.monitor != nil {
			s.monitor.cancelCheck()
		}
	}
}
