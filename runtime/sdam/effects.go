package sdam

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
)

// Effects lists what a client has to do after its topology description has changed.
// Each list of addresses names a server at most once.
type Effects struct {
	// Events must be published in this order. Each is one of *event.TopologyOpening, *event.TopologyDescriptionChanged,
	// *event.TopologyClosed, *event.ServerOpening, *event.ServerDescriptionChanged and *event.ServerClosed.
	Events []any

	Opened []string // servers that have joined: create their pools, start their monitors
	Closed []string // servers that have left: stop their monitors, close their pools
	Ready  []string // servers whose pools must be marked ready
	Clear  []Clear  // pools to clear, before another change of the description
	Check  []string // servers to check as soon as possible
	Cancel []string // servers whose check in progress must be interrupted
}

// Clear says which pool to clear and how.
type Clear struct {
	Address        string
	ServiceID      *bson.ObjectID // not nil: only the connections to this service behind the load balancer
	InterruptInUse bool           // interrupt the connections in use as well
	Cause          error
}

// IsEmpty reports whether there is nothing to do.
func (fx *Effects) IsEmpty() bool {
	return len(fx.Events)+len(fx.Opened)+len(fx.Closed)+len(fx.Ready)+len(fx.Clear)+len(fx.Check)+len(fx.Cancel) == 0
}

func (fx *Effects) publish(e any) { fx.Events = append(fx.Events, e) }

func (m *Model) topologyChanged(before, after *description.Topology) *event.TopologyDescriptionChanged {
	return &event.TopologyDescriptionChanged{
		TopologyID:          m.TopologyID,
		PreviousDescription: before,
		NewDescription:      after,
	}
}

func (m *Model) serverChanged(before, after *description.Server) *event.ServerDescriptionChanged {
	return &event.ServerDescriptionChanged{
		Address:             before.Address,
		TopologyID:          m.TopologyID,
		PreviousDescription: before,
		NewDescription:      after,
	}
}
