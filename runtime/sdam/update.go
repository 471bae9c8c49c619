package sdam

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// update is a change to a topology description that is in progress. next is the update's own copy.
type update struct {
	model  *Model
	before description.Topology
	next   description.Topology
	fx     Effects
}

func (m *Model) begin(t description.Topology) *update {
	u := &update{model: m, before: t, next: t}
	u.next.Servers = slices.Clone(t.Servers)
	return u
}

// server returns the description of a server in next. It returns nil when the server is not in the topology.
func (u *update) server(address string) *description.Server {
	s, _ := u.next.Server(address)
	return s
}

// add adds the servers that are not yet in the topology, with default descriptions of type Unknown.
func (u *update) add(addresses ...string) {
	had := u.next.Servers
	for _, address := range addresses {
		if _, found := slices.BinarySearchFunc(had, address, compareAddresses); !found {
			u.next.Servers = append(u.next.Servers, description.Server{Address: address})
		}
	}
	if len(u.next.Servers) == len(had) {
		return
	}
	slices.SortFunc(u.next.Servers, func(a, b description.Server) int { return strings.Compare(a.Address, b.Address) })
	u.next.Servers = slices.CompactFunc(u.next.Servers, func(a, b description.Server) bool { return a.Address == b.Address })
}

// remove removes a server from the topology.
func (u *update) remove(address string) {
	at, found := slices.BinarySearchFunc(u.next.Servers, address, compareAddresses)
	if found {
		u.next.Servers = slices.Delete(u.next.Servers, at, at+1)
	}
}

func compareAddresses(s description.Server, address string) int {
	return strings.Compare(s.Address, address)
}

// hasPrimary reports whether a server is an RSPrimary.
func (u *update) hasPrimary() bool {
	return slices.ContainsFunc(u.next.Servers, func(s description.Server) bool { return s.Type == description.RSPrimary })
}

// finish sets the topology's fields that depend on its servers. It also adds the events and monitors that result from
// the whole change. applied is the description that caused the change; nil when there was none.
func (u *update) finish(applied *description.Server) (description.Topology, Effects) {
	u.checkCompatibility()
	u.setSessionTimeout()
	t := u.next
	if applied != nil {
		u.publishApplied(applied, &t)
	}
	u.publishOthers(applied, &t)
	if !u.before.Equal(&t) {
		u.fx.publish(u.model.topologyChanged(&u.before, &t))
	}
	return t, u.fx
}

// publishApplied publishes the change of the server that was checked. If the server is still in the topology, the event
// has its final description. If not, the event has the description that led to its removal.
func (u *update) publishApplied(applied *description.Server, t *description.Topology) {
	before, ok := u.before.Server(applied.Address)
	if !ok {
		return
	}
	after, ok := t.Server(applied.Address)
	if !ok {
		after = applied
	}
	if !before.Equal(after) {
		u.fx.publish(u.model.serverChanged(before, after))
	}
}

// publishOthers publishes the changes of the other servers: changed, joined and left.
func (u *update) publishOthers(applied *description.Server, t *description.Topology) {
	for i := range t.Servers {
		after := &t.Servers[i]
		if applied != nil && after.Address == applied.Address {
			continue
		}
		before, ok := u.before.Server(after.Address)
		if !ok {
			u.fx.Opened = append(u.fx.Opened, after.Address)
			u.fx.publish(&event.ServerOpening{Address: after.Address, TopologyID: u.model.TopologyID})
			continue
		}
		// PossiblePrimary is another name for Unknown; only the topology's event shows it.
		if after.Type != description.PossiblePrimary && !before.Equal(after) {
			u.fx.publish(u.model.serverChanged(before, after))
		}
	}
	for i := range u.before.Servers {
		address := u.before.Servers[i].Address
		if _, ok := t.Server(address); !ok {
			u.fx.Closed = append(u.fx.Closed, address)
			u.fx.publish(&event.ServerClosed{Address: address, TopologyID: u.model.TopologyID})
		}
	}
}

// checkCompatibility compares the wire versions of every known server with the driver's.
//
// SDAM, "Checking wire protocol compatibility".
func (u *update) checkCompatibility() {
	u.next.Compatible, u.next.CompatibilityError = true, ""
	if u.next.Type == description.LoadBalanced {
		return // Load Balancer, "Monitoring": always compatible
	}
	for i := range u.next.Servers {
		s := &u.next.Servers[i]
		if !s.Type.IsAvailable() {
			continue
		}
		switch {
		case s.MinWireVersion > wire.MaxSupportedWireVersion:
			u.next.Compatible = false
			u.next.CompatibilityError = sdamtable.ServerTooNew(s.Address, s.MinWireVersion, DriverName,
				wire.MaxSupportedWireVersion)
		case s.MaxWireVersion < wire.MinSupportedWireVersion:
			u.next.Compatible = false
			u.next.CompatibilityError = sdamtable.ServerTooOld(s.Address, s.MaxWireVersion, DriverName,
				wire.MinSupportedWireVersion, wire.MinSupportedVersion)
		}
		if !u.next.Compatible {
			return
		}
	}
}

// setSessionTimeout uses the smallest timeout of the data-bearing servers. If one of them has no timeout, the topology
// has none.
//
// SDAM, "Logical Session Timeout".
func (u *update) setSessionTimeout() {
	u.next.LogicalSessionTimeoutMinutes = nil
	for i := range u.next.Servers {
		s := &u.next.Servers[i]
		if !s.Type.IsDataBearing() {
			continue
		}
		if s.LogicalSessionTimeoutMinutes == nil {
			u.next.LogicalSessionTimeoutMinutes = nil
			return
		}
		least := u.next.LogicalSessionTimeoutMinutes
		if least == nil || *s.LogicalSessionTimeoutMinutes < *least {
			u.next.LogicalSessionTimeoutMinutes = s.LogicalSessionTimeoutMinutes
		}
	}
}
