package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/selection"
)

// ServerChoice is what [Client.ExplainServerChoice] explains.
type ServerChoice struct {
	Write          bool                    // a write: the read preference is ignored
	ReadPreference *options.ReadPreference // nil means the preference of the client
	// Topology is what was known when the choice was made, such as an event's; nil is what the client knows now. It must not be
	// changed.
	Topology *description.Topology
}

// ExplainServerChoice tells which servers an operation may use with the settings of the client, and what rules out the
// others: their type, staleness or tags, the custom selector or the latency window. It sends nothing.
func (c *Client) ExplainServerChoice(choice ServerChoice) selection.Decision {
	if err := c.check(context.Background()); err != nil {
		return selection.Decision{Err: err}
	}
	rp := choice.ReadPreference
	if rp == nil {
		rp = c.scope.readPreference
	}
	return c.topology.Decide(&topology.Request{Write: choice.Write, ReadPreference: rp}, choice.Topology)
}
