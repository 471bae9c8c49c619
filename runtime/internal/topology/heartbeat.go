package topology

import (
	"context"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// connectionID names the connection of the monitor in events.
func (m *monitor) connectionID() string { return fmt.Sprintf("%s[-%d]", m.address, m.connID) }

// heartbeatStarted is published before the server is asked, and before the socket of a new connection is opened.
func (m *monitor) heartbeatStarted(awaited bool) {
	if m.conn == nil {
		m.connID = m.t.monitorIDs.Add(1)
	}
	if m.t.logsTopology() {
		host, port := hostPort(m.address)
		m.t.log(context.Background(), &logmsg.ServerHeartbeatStarted{
			TopologyID: m.t.id, ServerHost: host, ServerPort: port, DriverConnectionID: m.connID,
			ServerConnectionID: m.serverConnID, Awaited: awaited,
		})
	}
	if listener := m.t.monitor.ServerHeartbeatStarted; listener != nil {
		deliver(listener, &event.ServerHeartbeatStarted{
			ConnectionID: m.connectionID(), Address: m.address, Awaited: awaited,
		})
	}
}

func (m *monitor) heartbeatSucceeded(awaited bool, elapsed time.Duration, reply bson.Raw) {
	if m.t.logsTopology() {
		host, port := hostPort(m.address)
		m.t.log(context.Background(), &logmsg.ServerHeartbeatSucceeded{
			TopologyID: m.t.id, ServerHost: host, ServerPort: port, DriverConnectionID: m.connID,
			ServerConnectionID: m.serverConnID, Awaited: awaited, Duration: elapsed, Reply: reply,
			MaxDocumentLength: m.t.cfg.MaxLogDocumentLength,
		})
	}
	if listener := m.t.monitor.ServerHeartbeatSucceeded; listener != nil {
		deliver(listener, &event.ServerHeartbeatSucceeded{
			ConnectionID: m.connectionID(), Address: m.address, Awaited: awaited, Duration: elapsed, Reply: reply,
		})
	}
}

func (m *monitor) heartbeatFailed(awaited bool, elapsed time.Duration, err error) {
	if m.t.logsTopology() {
		host, port := hostPort(m.address)
		m.t.log(context.Background(), &logmsg.ServerHeartbeatFailed{
			TopologyID: m.t.id, ServerHost: host, ServerPort: port, DriverConnectionID: m.connID,
			ServerConnectionID: m.serverConnID, Awaited: awaited, Duration: elapsed, Failure: err,
		})
	}
	if listener := m.t.monitor.ServerHeartbeatFailed; listener != nil {
		deliver(listener, &event.ServerHeartbeatFailed{
			ConnectionID: m.connectionID(), Address: m.address, Awaited: awaited, Duration: elapsed, Failure: err,
		})
	}
}
