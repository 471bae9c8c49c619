package unified

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/tools/suite"
)

// touchPassing notes which rule decided whether commands have $readPreference, if the case says what it must be. A rule
// goes by its first topology and its first type of server.
func (c *Client) touchPassing(want []Event) {
	says := func(e Event) bool {
		command, _ := e.Command.(bson.D)
		_, there := command.Lookup("$readPreference")
		return there
	}
	if !slices.ContainsFunc(want, says) {
		return
	}
	topology := c.client.TopologyDescription()
	for _, s := range topology.Servers {
		switch t := topology.Type; {
		case !s.Type.IsDataBearing():
			continue
		case t == description.ReplicaSetWithPrimary, t == description.ReplicaSetNoPrimary:
			suite.Touch("selection-rules", "pass ReplicaSetNoPrimary/RSPrimary")
		case t == description.Single && s.Type == description.RSSecondary:
			suite.Touch("selection-rules", "pass Single/RSPrimary")
		default:
			suite.Touch("selection-rules", "pass "+t.String()+"/"+s.Type.String())
		}
		return
	}
}
