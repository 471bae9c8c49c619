package topology

import (
	"context"
	"net"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/sdam"
)

// publishAll publishes the events of one change, in order.
func (t *Topology) publishAll(events []any) {
	for _, e := range events {
		t.publish(e)
	}
}

// publish delivers an event of SDAM to the listener and logs its message.
//
// SDAM Logging and Monitoring, "Events API" and "Log Messages".
func (t *Topology) publish(e any) {
	if t.logsTopology() {
		t.logEvent(e)
	}
	m := t.monitor
	switch e := e.(type) {
	case *event.TopologyOpening:
		deliver(m.TopologyOpening, e)
	case *event.TopologyDescriptionChanged:
		deliver(m.TopologyDescriptionChanged, e)
	case *event.TopologyClosed:
		deliver(m.TopologyClosed, e)
	case *event.ServerOpening:
		deliver(m.ServerOpening, e)
	case *event.ServerDescriptionChanged:
		deliver(m.ServerDescriptionChanged, e)
	case *event.ServerClosed:
		deliver(m.ServerClosed, e)
	}
}

// deliver calls a listener, if there is one, and survives its panic.
func deliver[E any](listener func(*E), e *E) {
	if listener == nil {
		return
	}
	defer func() { _ = recover() }() // a listener must not take the driver down
	listener(e)
}

func (t *Topology) logsTopology() bool {
	return t.cfg.Log != nil && t.cfg.Log.Enabled(logmsg.Topology, logmsg.Debug)
}

// log writes a message, if there is a logger, and survives a panic of its handler.
func (t *Topology) log(ctx context.Context, m logmsg.Message) {
	if t.cfg.Log == nil || !t.cfg.Log.Enabled(m.Component(), m.Level()) {
		return
	}
	defer func() { _ = recover() }() // a log handler must not take the driver down
	t.cfg.Log.Log(ctx, m)
}

// logEvent writes the message that stands for an event. A change of a server has none of its own.
func (t *Topology) logEvent(e any) {
	ctx := context.Background()
	switch e := e.(type) {
	case *event.TopologyOpening:
		t.log(ctx, &logmsg.StartingTopologyMonitoring{TopologyID: t.id})
	case *event.TopologyDescriptionChanged:
		t.log(ctx, &logmsg.TopologyDescriptionChanged{
			TopologyID:          t.id,
			PreviousDescription: sdam.Format(e.PreviousDescription),
			NewDescription:      sdam.Format(e.NewDescription),
		})
	case *event.TopologyClosed:
		t.log(ctx, &logmsg.StoppedTopologyMonitoring{TopologyID: t.id})
	case *event.ServerOpening:
		host, port := hostPort(e.Address)
		t.log(ctx, &logmsg.StartingServerMonitoring{TopologyID: t.id, ServerHost: host, ServerPort: port})
	case *event.ServerClosed:
		host, port := hostPort(e.Address)
		t.log(ctx, &logmsg.StoppedServerMonitoring{TopologyID: t.id, ServerHost: host, ServerPort: port})
	}
}

// hostPort splits an address for log messages; the path of a socket has no port.
func hostPort(address string) (string, int) {
	if strings.Contains(address, "/") {
		return address, 0
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return address, 0
	}
	return host, n
}
