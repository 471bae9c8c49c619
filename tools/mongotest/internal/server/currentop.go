// The commands currentOp and killOp, and the stage $currentOp: list what a node's connections do, and end an operation.
//
// Left out: plans, locks and waits; idle sessions and cursors.

package server

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// currentOp lists the operations of the node that match the other fields of the command. $all includes idle
// connections.
func currentOp(_ context.Context, r *request) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range r.Body.All() {
		if key != r.Name && !r.command.fields.Knows(key) {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	filter, err := query.Compile(bson.AppendDocumentEnd(dst, start), query.Options{})
	if err != nil {
		return nil, err
	}
	list := bson.A{}
	for _, op := range r.node.operations(r.Flag("$all")) {
		ok, err := filter.Match(op)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, op)
		}
	}
	return reply.New().Value("inprog", list).Done(), nil
}

// currentOperations runs the stage $currentOp, which lists the operations of all nodes.
func (k *Cluster) currentOperations(_ *engine.Request, spec bson.Raw) ([]bson.Raw, error) {
	idle, _ := spec.Lookup("idleConnections").BooleanOK()
	var list []bson.Raw
	for _, n := range k.Nodes {
		list = append(list, n.operations(idle)...)
	}
	return list, nil
}

// operations describes what the node's connections are doing.
func (n *Node) operations(idle bool) []bson.Raw {
	var list []bson.Raw
	for _, c := range n.connections() {
		if op := c.describe(idle); op != nil {
			list = append(list, op)
		}
	}
	return list
}

// describe describes the connection's operation. It returns nil for an idle connection, unless the caller wants those
// too.
func (c *conn) describe(idle bool) bson.Raw {
	app := c.application()
	o := c.operation.Load()
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.request
	if r == nil && !idle {
		return nil
	}
	f := reply.New().String("type", "op").String("host", c.node.Address()).Value("connectionId", c.id)
	f.String("client", c.nc.RemoteAddr().String())
	if app != "" {
		f.String("appName", app)
	}
	f.Bool("active", r != nil).Date("currentOpTime", time.Now().UnixMilli())
	if r == nil {
		return f.String("op", "none").Done()
	}
	running := time.Since(o.began)
	f.Int64("opid", o.id).Int64("secs_running", int64(running.Seconds())).Int64("microsecs_running", running.Microseconds())
	if lsid, ok := r.Body.Lookup("lsid").DocumentOK(); ok {
		f.Doc("lsid", lsid)
	}
	name, _ := r.Value().StringOK()
	if name == "" {
		name = "$cmd"
	}
	return f.String("op", kindOfOperation(r.Name)).String("ns", r.DB+"."+name).Doc("command", r.Body).
		Value("locks", o.locks()).Bool("waitingForLock", false).Done()
}

// kindOfOperation returns how servers classify operations.
func kindOfOperation(command string) string {
	switch command {
	case "find":
		return "query"
	case "getMore":
		return "getmore"
	case "insert", "update":
		return command
	case "delete":
		return "remove"
	}
	return "command"
}

// killOp ends an operation. The answer is the same if there is no such operation.
func killOp(_ context.Context, r *request) (bson.Raw, error) {
	op := r.Body.Lookup("op")
	id, ok := op.AsInt64OK()
	switch {
	case op.IsZero() && r.cluster.IsRouter():
		return nil, status.Errorf(errcode.Location50759, "Did not provide \"op\" field")
	case op.IsZero():
		return nil, status.Errorf(errcode.NoSuchKey, "Missing expected field \"op\"")
	case !ok:
		return nil, status.Errorf(errcode.TypeMismatch, "Expected field \"op\" to have numeric type, but found %s", op.Type)
	}
	for _, c := range r.node.connections() {
		if id != 0 {
			c.operation.Load().kill(id)
		}
	}
	return reply.New().String("info", "attempting to kill op").Done(), nil
}
