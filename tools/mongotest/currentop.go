// The commands currentOp and killOp, and the stage $currentOp: what the connections of a node do, and the end of one of it.
//
// Left out: plans, locks and waits; idle sessions and cursors. An operation that is killed ends where it looks at its time
// limit: between documents, and where it waits.

package mongotest

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// currentOp lists the operations of the node that match the rest of the command; those of idle connections with $all.
func currentOp(r *request) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range r.body.All() {
		switch key {
		case r.name, "$all", "$ownOps", "$db", "lsid", "$clusterTime", "$readPreference", "comment", "apiVersion", "apiStrict",
			"apiDeprecationErrors", "maxTimeMS", "readConcern":
		default:
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	filter, err := query.Compile(bson.AppendDocumentEnd(dst, start), query.Options{})
	if err != nil {
		return nil, err
	}
	list := bson.A{}
	for _, op := range r.node.operations(r.flag("$all")) {
		ok, err := filter.Match(op)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, op)
		}
	}
	return newReply().value("inprog", list).done(), nil
}

// currentOperations is the stage $currentOp, which lists the operations of all nodes.
func (d *Deployment) currentOperations(_ *engine.Request, spec bson.Raw) ([]bson.Raw, error) {
	idle, _ := spec.Lookup("idleConnections").BooleanOK()
	var list []bson.Raw
	for _, n := range d.nodes {
		list = append(list, n.operations(idle)...)
	}
	return list, nil
}

// operations describes what the node's connections do.
func (n *node) operations(idle bool) []bson.Raw {
	n.mu.Lock()
	conns := make([]*clientConn, 0, len(n.conns))
	for c := range n.conns {
		conns = append(conns, c)
	}
	n.mu.Unlock()
	var list []bson.Raw
	for _, c := range conns {
		if op := c.describe(idle); op != nil {
			list = append(list, op)
		}
	}
	return list
}

// describe is the connection's operation; nil for none, unless idle connections are wanted too.
func (c *clientConn) describe(idle bool) bson.Raw {
	app := c.application()
	c.operation.mu.Lock()
	defer c.operation.mu.Unlock()
	r := c.operation.request
	if r == nil && !idle {
		return nil
	}
	f := newReply().str("type", "op").str("host", c.node.address).value("connectionId", c.id).str("client", c.nc.RemoteAddr().String())
	if app != "" {
		f.str("appName", app)
	}
	f.boolean("active", r != nil).date("currentOpTime", time.Now().UnixMilli())
	if r == nil {
		return f.str("op", "none").done()
	}
	running := time.Since(c.operation.began)
	f.int64("opid", c.operation.id).int64("secs_running", int64(running.Seconds())).int64("microsecs_running", running.Microseconds())
	if lsid, ok := r.body.Lookup("lsid").DocumentOK(); ok {
		f.doc("lsid", lsid)
	}
	name, _ := r.body.Lookup(r.name).StringOK()
	if name == "" {
		name = "$cmd"
	}
	return f.str("op", kindOfOperation(r.name)).str("ns", r.db+"."+name).doc("command", r.body).boolean("waitingForLock", false).done()
}

// kindOfOperation is how servers sort operations.
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

// killOp ends an operation. It says the same whether there is one or not.
func killOp(r *request) (bson.Raw, error) {
	op := r.body.Lookup("op")
	id, ok := op.AsInt64OK()
	switch {
	case op.IsZero() && r.d.isRouter():
		return nil, status.Errorf(errcode.Location50759, "Did not provide \"op\" field")
	case op.IsZero():
		return nil, status.Errorf(errcode.NoSuchKey, "Missing expected field \"op\"")
	case !ok:
		return nil, status.Errorf(errcode.TypeMismatch, "Expected field \"op\" to have numeric type, but found %s", op.Type)
	}
	r.node.mu.Lock()
	defer r.node.mu.Unlock()
	for c := range r.node.conns {
		if id != 0 {
			c.operation.kill(id)
		}
	}
	return newReply().str("info", "attempting to kill op").done(), nil
}
