package observe

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/sdam"
)

// Topology publishes the events of a topology and its servers to the client's listener and log, one at a time: monitors
// publish heartbeats while operations change descriptions.
//
// SDAM Logging and Monitoring, "Event Order and Concurrency".
type Topology struct {
	id      bson.ObjectID
	monitor *event.ServerMonitor
	log     *Logger
	turn    chan struct{} // held during a publication; not a mutex, because a listener of a test may sleep in virtual time
}

// NewTopology makes the publisher of a topology. A nil monitor listens to nothing.
func NewTopology(id bson.ObjectID, monitor *event.ServerMonitor, log *Logger) *Topology {
	if monitor == nil {
		monitor = &event.ServerMonitor{}
	}
	return &Topology{id: id, monitor: monitor, log: log, turn: make(chan struct{}, 1)}
}

// takeTurn waits until no other event is being published. The caller calls done after its own.
func (t *Topology) takeTurn() (done func()) {
	t.turn <- struct{}{}
	return func() { <-t.turn }
}

// PublishAll publishes the events of one change, in order.
//
// SDAM Logging and Monitoring, "Events API" and "Log Messages".
func (t *Topology) PublishAll(events []any) {
	if len(events) == 0 {
		return
	}
	defer t.takeTurn()()
	for _, e := range events {
		if t.logs() {
			t.logEvent(e)
		}
		t.deliver(e)
	}
}

func (t *Topology) deliver(e any) {
	m := t.monitor
	switch e := e.(type) {
	case *event.TopologyOpening:
		Deliver(t.log, m.TopologyOpening, e)
	case *event.TopologyDescriptionChanged:
		Deliver(t.log, m.TopologyDescriptionChanged, e)
	case *event.TopologyClosed:
		Deliver(t.log, m.TopologyClosed, e)
	case *event.ServerOpening:
		Deliver(t.log, m.ServerOpening, e)
	case *event.ServerDescriptionChanged:
		Deliver(t.log, m.ServerDescriptionChanged, e)
	case *event.ServerClosed:
		Deliver(t.log, m.ServerClosed, e)
	}
}

func (t *Topology) logs() bool { return t.log.Enabled(logmsg.Topology, logmsg.Debug) }

// logEvent writes the message for an event. A change of a server has no message of its own.
func (t *Topology) logEvent(e any) {
	ctx := context.Background()
	switch e := e.(type) {
	case *event.TopologyOpening:
		t.log.Log(ctx, &logmsg.StartingTopologyMonitoring{TopologyID: t.id})
	case *event.TopologyDescriptionChanged:
		t.log.Log(ctx, &logmsg.TopologyDescriptionChanged{
			TopologyID:          t.id,
			PreviousDescription: sdam.Format(e.PreviousDescription),
			NewDescription:      sdam.Format(e.NewDescription),
		})
	case *event.TopologyClosed:
		t.log.Log(ctx, &logmsg.StoppedTopologyMonitoring{TopologyID: t.id})
	case *event.ServerOpening:
		host, port := HostPort(e.Address)
		t.log.Log(ctx, &logmsg.StartingServerMonitoring{TopologyID: t.id, ServerHost: host, ServerPort: port})
	case *event.ServerClosed:
		host, port := HostPort(e.Address)
		t.log.Log(ctx, &logmsg.StoppedServerMonitoring{TopologyID: t.id, ServerHost: host, ServerPort: port})
	}
}
