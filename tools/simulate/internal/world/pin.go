package world

import (
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// checkPin checks that the commands of a transaction go to the router of its first one, and behind a load balancer over the same
// connection. The end of a transaction may go elsewhere, with its recovery token.
//
// Transactions, "Mongos Pinning"; Load Balancers, "Connection Pinning".
func (o *observer) checkPin(e *event.CommandStarted) {
	shape := o.c.world.s.World.Shape
	if e.Command.Lookup("autocommit").IsZero() || shape == scenario.ReplicaSet {
		return
	}
	at := e.ConnectionID
	if shape == scenario.Sharded {
		at = serverOf(e.ConnectionID)
	}
	transaction := sessionOf(e.Command) + string(e.Command.Lookup("txnNumber").Value)
	starts, _ := e.Command.Lookup("startTransaction").BooleanOK()
	switch before, known := o.pins[transaction]; {
	case starts:
		o.pins[transaction] = at
	case e.CommandName == "commitTransaction" || e.CommandName == "abortTransaction":
		delete(o.pins, transaction)
	case known:
		if shape == scenario.Sharded {
			o.c.world.countEffect(judgedPins)
		} else {
			o.c.world.countEffect(judgedConnections)
		}
		if before != at {
			o.violate("pins", "%s of a transaction went to %s, and its first command to %s", e.CommandName, at, before)
		}
	}
}
