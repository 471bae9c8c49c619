package sdam

import (
	"fmt"
	"slices"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"

	"github.com/specdrivers/onion/generated/core/sdamtable"
)

// Apply returns the topology description after a new description of a server, and the effects. The new description
// comes from a check or from the handshake of another connection. Apply changes nothing if the server has left the
// topology, or if the new description is older than the current one.
//
// SDAM, "Updating the TopologyDescription".
func (m *Model) Apply(t description.Topology, s description.Server) (description.Topology, Effects) {
	current, ok := t.Server(s.Address)
	if !ok || t.Type == description.LoadBalanced {
		return t, Effects{}
	}
	if current.TopologyVersion.Compare(s.TopologyVersion) > 0 {
		return t, Effects{} // SDAM, "topologyVersion Comparison"
	}
	u := m.begin(t)
	if t.Type == description.Single {
		s = m.verifySetName(s)
	}
	*u.server(s.Address) = s
	if s.Type.IsDataBearing() || (s.Type != description.ServerUnknown && t.Type == description.Single) {
		u.fx.Ready = append(u.fx.Ready, s.Address) // SDAM, "Connection Pool Management"
	}
	for _, action := range m.actions(t.Type, s.Type) {
		u.perform(action, &s)
	}
	if u.server(s.Address) == nil {
		u.fx.Ready = nil
	}
	return u.finish(&s)
}

func (m *Model) actions(t description.TopologyType, s description.ServerType) []sdamtable.Action {
	if m.transition != nil {
		return m.transition(t, s)
	}
	return sdamtable.Transition(t, s)
}

// verifySetName makes a server Unknown if it belongs to another replica set in a Single topology.
//
// SDAM, "Verifying setName with TopologyType Single".
func (m *Model) verifySetName(s description.Server) description.Server {
	if m.SetName == "" || s.Type == description.ServerUnknown || s.SetName == m.SetName {
		return s
	}
	err := fmt.Errorf("sdam: the server is not a member of replica set %q, as the replicaSet option requires, but of %q",
		m.SetName, s.SetName)
	if s.SetName == "" {
		err = fmt.Errorf("sdam: the server is not a member of replica set %q, as the replicaSet option requires, but of none",
			m.SetName)
	}
	return description.Server{Address: s.Address, Err: err, LastUpdateTime: s.LastUpdateTime}
}

// CheckFailed returns the topology description after a monitor's check of a server failed, and the effects. The server
// becomes Unknown and its pool is cleared. If the check timed out, connections in use are interrupted, too.
//
// Server Monitoring, "Network or command error during server check".
func (m *Model) CheckFailed(t description.Topology, s description.Server) (description.Topology, Effects) {
	if _, ok := t.Server(s.Address); !ok || t.Type == description.LoadBalanced {
		return t, Effects{}
	}
	next, fx := m.Apply(t, s)
	fx.Clear = append(fx.Clear, Clear{
		Address:        s.Address,
		InterruptInUse: fault.IsNetworkError(s.Err) && fault.IsTimeout(s.Err),
		Cause:          s.Err,
	})
	return next, fx
}

// SetHosts returns the topology description after the SRV records named new hosts. Hosts that are gone leave, new ones
// join as Unknown, and the others stay as they are. SetHosts changes nothing unless the topology is Sharded or Unknown
// and there is at least one host.
//
// Polling SRV Records, "Implementation".
func (m *Model) SetHosts(t description.Topology, hosts []string) (description.Topology, Effects) {
	if len(hosts) == 0 || (t.Type != description.Sharded && t.Type != description.TopologyUnknown) {
		return t, Effects{}
	}
	u := m.begin(t)
	keep := make(map[string]bool, len(hosts))
	for _, host := range hosts {
		keep[host] = true
	}
	u.add(hosts...)
	u.next.Servers = slices.DeleteFunc(u.next.Servers, func(s description.Server) bool { return !keep[s.Address] })
	return u.finish(nil)
}
