package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// Heartbeat is one check of a server.
type Heartbeat struct {
	Address            string
	ConnectionID       int64  // the driver's number for the monitor's connection
	ServerConnectionID *int64 // nil when unknown
	Awaited            bool   // the server may hold its reply back
}

// connectionID is the name of the monitor's connection in events.
func (h *Heartbeat) connectionID() string { return fmt.Sprintf("%s[-%d]", h.Address, h.ConnectionID) }

// HeartbeatStarted publishes the start of a check. Call it before the check, and before the socket of a new connection
// opens.
func (t *Topology) HeartbeatStarted(h *Heartbeat) {
	defer t.takeTurn()()
	if t.logs() {
		host, port := HostPort(h.Address)
		t.log.Log(context.Background(), &logmsg.ServerHeartbeatStarted{
			TopologyID: t.id, ServerHost: host, ServerPort: port, DriverConnectionID: h.ConnectionID,
			ServerConnectionID: h.ServerConnectionID, Awaited: h.Awaited,
		})
	}
	if t.monitor.ServerHeartbeatStarted != nil {
		Deliver(t.log, t.monitor.ServerHeartbeatStarted, &event.ServerHeartbeatStarted{
			ConnectionID: h.connectionID(), Address: h.Address, Awaited: h.Awaited,
		})
	}
}

// HeartbeatSucceeded publishes the reply.
func (t *Topology) HeartbeatSucceeded(h *Heartbeat, elapsed time.Duration, reply bson.Raw) {
	defer t.takeTurn()()
	if t.logs() {
		host, port := HostPort(h.Address)
		t.log.Log(context.Background(), &logmsg.ServerHeartbeatSucceeded{
			TopologyID: t.id, ServerHost: host, ServerPort: port, DriverConnectionID: h.ConnectionID,
			ServerConnectionID: h.ServerConnectionID, Awaited: h.Awaited, Duration: elapsed, Reply: reply,
			MaxDocumentLength: t.log.MaxDocumentLength,
		})
	}
	if t.monitor.ServerHeartbeatSucceeded != nil {
		Deliver(t.log, t.monitor.ServerHeartbeatSucceeded, &event.ServerHeartbeatSucceeded{
			ConnectionID: h.connectionID(), Address: h.Address, Awaited: h.Awaited, Duration: elapsed, Reply: reply,
		})
	}
}

// HeartbeatFailed publishes the reason why there is no reply.
func (t *Topology) HeartbeatFailed(h *Heartbeat, elapsed time.Duration, err error) {
	defer t.takeTurn()()
	if t.logs() {
		host, port := HostPort(h.Address)
		t.log.Log(context.Background(), &logmsg.ServerHeartbeatFailed{
			TopologyID: t.id, ServerHost: host, ServerPort: port, DriverConnectionID: h.ConnectionID,
			ServerConnectionID: h.ServerConnectionID, Awaited: h.Awaited, Duration: elapsed, Failure: err,
		})
	}
	if t.monitor.ServerHeartbeatFailed != nil {
		Deliver(t.log, t.monitor.ServerHeartbeatFailed, &event.ServerHeartbeatFailed{
			ConnectionID: h.connectionID(), Address: h.Address, Awaited: h.Awaited, Duration: elapsed, Failure: err,
		})
	}
}
