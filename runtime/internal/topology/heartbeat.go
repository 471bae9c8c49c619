package topology

import "github.com/specdrivers/onion/runtime/internal/observe"

// beginHeartbeat publishes the start of a check.
func (m *monitor) beginHeartbeat(awaited bool) {
	if m.conn == nil {
		m.connID = m.t.monitorIDs.Add(1)
	}
	m.t.publish.HeartbeatStarted(m.heartbeat(awaited))
}

// heartbeat holds what the events of one check share, as far as it is known now.
func (m *monitor) heartbeat(awaited bool) *observe.Heartbeat {
	return &observe.Heartbeat{
		Address: m.address, ConnectionID: m.connID, ServerConnectionID: m.serverConnID, Awaited: awaited,
	}
}
