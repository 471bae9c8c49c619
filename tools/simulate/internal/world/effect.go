package world

import (
	"context"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// Effects lists what enough worlds must show: every kind of fault has an effect, every kind of operation succeeds, and every check
// has something to judge. A fault without an effect proves nothing.
func Effects() []string {
	all := append(slices.Clone(scenario.Kinds), "reordered", "elected", "a full pool", "a cleared pool", "a server left", "a retry")
	all = append(all, Checks...)
	for workload, kinds := range scenario.OpKinds {
		all = append(all, judgedName(workload))
		for _, kind := range kinds {
			all = append(all, workload+" "+kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// countEffect counts an effect.
func (w *world) countEffect(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Effects[name]++
}

// summarize adds what the network and the workers counted.
func (w *world) summarize() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, times := range w.net.Effects() {
		w.result.Effects[name] += times
	}
	for _, r := range w.result.History {
		if r.Err == nil {
			w.result.Effects[r.Workload+" "+r.Op.Kind]++
		}
	}
}

// state returns the state of a node, or the zero state if node is negative.
func (w *world) state(node int) mongotest.NodeState {
	if node < 0 {
		return mongotest.NodeState{}
	}
	return w.d.Nodes()[node]
}

// isConnected reports whether a client of the scenario is connected to a node.
func isConnected(n mongotest.NodeState) bool {
	return slices.ContainsFunc(n.Connections, func(c mongotest.ConnectionState) bool { return c.AppName == appName })
}

// countBegun counts a fault that takes effect when it begins. before is the state that its node had.
func (n *nemesis) countBegun(f scenario.Fault, before mongotest.NodeState) {
	now := n.state(f.Node)
	switch f.Kind {
	case scenario.Kill, scenario.Isolate, scenario.Drop:
		if isConnected(before) && !before.Stopped && (f.Kind == scenario.Drop || now.Stopped || now.Partitioned) {
			n.countEffect(f.Kind)
		}
	case scenario.SlowNode:
		if isConnected(before) && now.Latency > 0 {
			n.countEffect(f.Kind)
		}
	case scenario.Lag:
		if now.Behind > 0 {
			n.countEffect(f.Kind)
		}
	}
}

// countUsedUp counts the fault of a fail point that was used up while the fault lasted.
func (n *nemesis) countUsedUp(f scenario.Fault) {
	switch f.Kind {
	case scenario.FailClose, scenario.FailSlow:
		if n.isReachable(f.Node) && len(n.state(f.Node).FailPoints) == 0 {
			n.countEffect(f.Kind)
		}
	}
}

// countFailure counts the fault that a failed command shows.
func (o *observer) countFailure(e *event.CommandFailed) {
	codes := mongo.ErrorCodes(e.Failure)
	switch {
	case mongo.HasErrorLabel(e.Failure, errcode.LabelSystemOverloadedError):
		o.c.world.countEffect(scenario.Overload)
	case slices.Contains(codes, errcode.ReauthenticationRequired):
		o.c.world.countEffect(scenario.Reauthenticate)
	case slices.ContainsFunc(codes, func(c errcode.Code) bool { return slices.Contains(failCodes, c) }):
		o.c.world.countEffect(scenario.FailCode)
	}
}

// countSuccess counts the fault that a reply shows.
func (o *observer) countSuccess(e *event.CommandSucceeded) {
	switch text, _ := e.Reply.Lookup("writeConcernError", "errmsg").StringOK(); text {
	case simulated:
		o.c.world.countEffect(scenario.FailConcern)
	case simulatedCommit:
		o.c.world.countEffect(scenario.FailCommits)
	}
}

// canary is a collection whose documents exist only on the primary that wrote them, so a missing one shows a roll-back.
const canary = "canary"

// writeCanary writes a canary to a primary that is about to be cut off from everybody.
func (n *nemesis) writeCanary(ctx context.Context, primary int) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := n.connectDirectly(ctx, primary)
	if err != nil {
		return
	}
	defer c.Close(ctx)
	one := &options.Collection{WriteConcern: &options.WriteConcern{W: 1}}
	r, err := c.Database("world").Collection(canary, one).InsertOne(ctx, bson.D{})
	if err != nil {
		return // another fault has stopped it
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.canaries = append(n.canaries, r.InsertedID)
}

// countRolledBack counts the canaries that are gone.
func (n *nemesis) countRolledBack(ctx context.Context, k *cleanClient) {
	for _, id := range n.canaries {
		count, err := k.db.Collection(canary).CountDocuments(ctx, byID(id))
		if err != nil {
			n.violate("world", "counting what was rolled back: %v", err)
		}
		if err == nil && count == 0 {
			n.countEffect(scenario.RollBack)
		}
	}
}
