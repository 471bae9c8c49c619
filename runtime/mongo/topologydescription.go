package mongo

import (
	"slices"

	"github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/runtime/selection"
)

// TopologyDescription is what a client knows about its deployment. It prints as one line for the topology and one for
// each server. To use its methods on a description from an event, write TopologyDescription{Topology: e.NewDescription}.
type TopologyDescription struct{ *description.Topology }

// TopologyDescription is what the client knows about the deployment at this moment. What it points to is shared and must
// not be changed.
func (c *Client) TopologyDescription() TopologyDescription {
	if c == nil || c.shared == nil {
		return TopologyDescription{}
	}
	return TopologyDescription{c.topology.Description()}
}

// String describes the topology and each server.
func (d TopologyDescription) String() string {
	if d.Topology == nil {
		return ""
	}
	return sdam.Format(d.Topology)
}

// HasReadableServer reports whether a read with this read preference finds a server in the description; nil means primary.
// A maximum staleness is judged as if servers were checked every 10 s.
//
// SDAM Logging and Monitoring, "Determining If A Topology Has Readable/Writable Servers".
func (d TopologyDescription) HasReadableServer(rp *options.ReadPreference) bool {
	return d.allows(sdamtable.Readable, &selection.Selector{ReadPreference: rp, HeartbeatFrequency: options.DefaultHeartbeatFrequency})
}

// HasWritableServer reports whether a write finds a server in the description.
func (d TopologyDescription) HasWritableServer() bool {
	return d.allows(sdamtable.Writable, &selection.Selector{Write: true})
}

func (d TopologyDescription) allows(rule func(description.TopologyType) sdamtable.Rule, s *selection.Selector) bool {
	if d.Topology == nil {
		return false
	}
	switch rule(d.Type) {
	case sdamtable.Always:
		return true
	case sdamtable.IfAvailable:
		return slices.ContainsFunc(d.Servers, func(s description.Server) bool { return s.Type.IsAvailable() })
	case sdamtable.ByPreference:
		return s.Validate(d.Topology) == nil && len(s.AppendSuitable(d.Topology, nil)) > 0
	}
	return false
}
