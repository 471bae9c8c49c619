package topology

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/sdam"
)

// noteHandshake updates the description from the hello reply of a pooled connection, if the reply is certainly newer
// than the current description. A monitor that polls would not notice before its next check. A reply without a
// topologyVersion cannot be compared with what a monitor has found in the meantime, so noteHandshake ignores it and
// leaves the update to the monitor.
//
// Server Monitoring, "Clients update the topology from each handshake".
func (t *Topology) noteHandshake(address string, hello bson.Raw) {
	server := sdam.ServerFromHello(address, hello, time.Now())
	if server.Err != nil || !isNewer(&server, &t.current.Load().description) {
		return
	}
	t.update(func(now description.Topology) (description.Topology, sdam.Effects) {
		if !isNewer(&server, &now) {
			return now, sdam.Effects{}
		}
		current, _ := now.Server(address)
		server.RTT, server.MinRTT = current.RTT, current.MinRTT // a handshake does not count as a measurement
		return t.model.Apply(now, server)
	})
}

// isNewer reports whether s has a later topologyVersion than its description in t, from the same server process.
func isNewer(s *description.Server, t *description.Topology) bool {
	current, ok := t.Server(s.Address)
	return ok && current.Type != description.ServerUnknown && s.TopologyVersion.Compare(current.TopologyVersion) > 0
}
