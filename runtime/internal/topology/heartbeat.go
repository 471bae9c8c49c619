package topology

import "github.com/specdrivers/onion/runtime/internal/observe"

// beginHeartbeat publishes that a check begins.
func (m *monitor) beginHeartbeat(awaited bool) {
	if m.conn == nil {
		m.connID = m.t.monitorIDs.Add(1)
	}
	m.t.publish.HeartbeatStarted(m.heartbeat(awaited))
}

// heartbeat is what the events of one check have in common, as far as it is known now.
func (m *monitor) heartbeat(awaited bool) *observe.Heartbeat {
	return &observe.Heartbeat{
		Address: m.address, ConnectionID: m.connID, ServerConnectionID: m.serverConnID, Awaited: awaited,
	}
}
