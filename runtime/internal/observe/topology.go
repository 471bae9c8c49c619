package observe

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/sdam"
)

// Topology publishes the events of a topology and its servers to the client's listener and log.
type Topology struct {
	ID      bson.ObjectID
	Monitor *event.ServerMonitor // never nil
	Log     *Logger
}

// PublishAll publishes the events of one change, in order.
//
// SDAM Logging and Monitoring, "Events API" and "Log Messages".
func (t *Topology) PublishAll(events []any) {
	for _, e := range events {
		if t.logs() {
			t.logEvent(e)
		}
		t.deliver(e)
	}
}

func (t *Topology) deliver(e any) {
	m := t.Monitor
	switch e := e.(type) {
	case *event.TopologyOpening:
		Deliver(t.Log, m.TopologyOpening, e)
	case *event.TopologyDescriptionChanged:
		Deliver(t.Log, m.TopologyDescriptionChanged, e)
	case *event.TopologyClosed:
		Deliver(t.Log, m.TopologyClosed, e)
	case *event.ServerOpening:
		Deliver(t.Log, m.ServerOpening, e)
	case *event.ServerDescriptionChanged:
		Deliver(t.Log, m.ServerDescriptionChanged, e)
	case *event.ServerClosed:
		Deliver(t.Log, m.ServerClosed, e)
	}
}

func (t *Topology) logs() bool { return t.Log.Enabled(logmsg.Topology, logmsg.Debug) }

// logEvent writes the message for an event. A change of a server has no message of its own.
func (t *Topology) logEvent(e any) {
	ctx := context.Background()
	switch e := e.(type) {
	case *event.TopologyOpening:
		t.Log.Log(ctx, &logmsg.StartingTopologyMonitoring{TopologyID: t.ID})
	case *event.TopologyDescriptionChanged:
		t.Log.Log(ctx, &logmsg.TopologyDescriptionChanged{
			TopologyID:          t.ID,
			PreviousDescription: sdam.Format(e.PreviousDescription),
			NewDescription:      sdam.Format(e.NewDescription),
		})
	case *event.TopologyClosed:
		t.Log.Log(ctx, &logmsg.StoppedTopologyMonitoring{TopologyID: t.ID})
	case *event.ServerOpening:
		host, port := HostPort(e.Address)
		t.Log.Log(ctx, &logmsg.StartingServerMonitoring{TopologyID: t.ID, ServerHost: host, ServerPort: port})
	case *event.ServerClosed:
		host, port := HostPort(e.Address)
		t.Log.Log(ctx, &logmsg.StoppedServerMonitoring{TopologyID: t.ID, ServerHost: host, ServerPort: port})
	}
}
