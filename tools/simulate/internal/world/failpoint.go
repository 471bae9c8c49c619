package world

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// failCodes are the codes with which fail points let commands fail: those of a node that has lost its role, shuts down or cannot be
// reached.
var failCodes = []errcode.Code{
	errcode.NotWritablePrimary, errcode.InterruptedDueToReplStateChange, errcode.InterruptedAtShutdown, errcode.PrimarySteppedDown,
	errcode.ShutdownInProgress, errcode.HostUnreachable, errcode.NetworkTimeout, errcode.NotPrimaryNoSecondaryOk,
}

// failCommands are the commands that fail points act on.
var failCommands = bson.A{
	"insert", "update", "delete", "find", "aggregate", "findAndModify", "getMore", "commitTransaction",
	"abortTransaction", "bulkWrite", "distinct",
}

// The texts of write concern errors.
const (
	simulated       = "simulated"
	simulatedCommit = "simulated for a commit"
)

// writes are the commands whose replies may have a write concern error.
var writes = bson.A{"insert", "update", "delete", "findAndModify", "commitTransaction"}

// setFailPoint switches the fail point of a fault on. The scenario says how often it acts, and its Wait is how long or which
// code.
func (n *nemesis) setFailPoint(ctx context.Context, f scenario.Fault) error {
	code := int32(failCodes[int(f.Wait.Milliseconds())%len(failCodes)])
	data := bson.Doc("appName", appName, "failCommands", failCommands)
	switch f.Kind {
	case scenario.FailCode:
		data = append(data, bson.Doc("errorCode", code)...)
	case scenario.FailClose:
		data = append(data, bson.Doc("closeConnection", true)...)
	case scenario.FailSlow:
		data = append(data, bson.Doc("blockConnection", true, "blockTimeMS", f.Wait.Milliseconds())...)
	case scenario.FailConcern:
		data = bson.Doc("appName", appName, "failCommands", writes, "writeConcernError", bson.Doc("code", code, "errmsg", simulated))
	case scenario.FailCommits:
		data = bson.Doc("appName", appName, "failCommands", bson.A{"commitTransaction"},
			"writeConcernError", bson.Doc("code", code, "errmsg", simulatedCommit))
	case scenario.Overload, scenario.OverloadMost:
		data = append(data, bson.Doc("errorCode", int32(errcode.IngressRequestRateLimitExceeded),
			"errorLabels", bson.A{errcode.LabelSystemOverloadedError, errcode.LabelRetryableError})...)
	case scenario.Reauthenticate:
		data = append(data, bson.Doc("errorCode", int32(errcode.ReauthenticationRequired))...)
	}
	return n.configureFailPoint(ctx, f.Node, bson.Doc("times", f.N), data)
}

func (n *nemesis) disableFailPoints(ctx context.Context, node int) {
	if err := n.configureFailPoint(ctx, node, "off", bson.D{}); err != nil {
		n.violate("world", "switching the fail points of node %d off: %v", node, err)
	}
}

// configureFailPoint talks to one node over the clean network. A node that is down keeps no fail point. A drop closes this
// connection, too: then the fail point is set again.
func (n *nemesis) configureFailPoint(ctx context.Context, node int, mode any, data bson.D) error {
	if !n.isReachable(node) {
		return nil
	}
	c, err := n.connectDirectly(ctx, node)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	err = c.Database("admin").RunCommand(ctx, bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", data)).Err()
	switch {
	case err != nil && !n.isReachable(node):
		return nil
	case mongo.IsNetworkError(err):
		return n.configureFailPoint(ctx, node, mode, data)
	}
	return err
}

// connectDirectly returns a client of one node over the clean network.
func (n *nemesis) connectDirectly(ctx context.Context, node int) (*mongo.Client, error) {
	uri, err := n.d.URIOf(node)
	if err != nil {
		return nil, err
	}
	o := &options.Client{Dialer: n.d.Dialer(), ServerMonitoringMode: new(options.MonitorPoll), ReplicaSet: new("")}
	if n.s.World.Shape != scenario.LoadBalanced {
		o.DirectConnection = new(true)
	}
	return mongo.Connect(ctx, uri, o)
}

// isReachable reports whether no fault keeps the node from answering.
func (n *nemesis) isReachable(node int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.active[key(scenario.Kill, node)] == 0 && n.active[key(scenario.Isolate, node)] == 0
}
