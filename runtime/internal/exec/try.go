package exec

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

// selectServer begins a try: it selects a server, unless a cursor or a transaction has chosen one.
func (e *execution) selectServer(ctx context.Context) error {
	t := &e.try
	*t = try{readPreference: e.op.ReadPreference}
	if e.belongsToTransaction() {
		t.readPreference = e.session.Transaction().ReadPreference
	}
	t.known.Binding = e.binding()
	switch t.known.Binding {
	case operation.TransactionPin:
		t.server = e.session.PinnedServer()
	case operation.CursorServer, operation.CursorConnection:
		t.server = e.op.Server
	}
	if t.server == nil {
		if err := e.choose(ctx); err != nil {
			return err
		}
	} else {
		d := t.server.Description()
		t.serverType, t.minRTT = d.Type, d.MinRTT
	}
	t.noteServer()
	e.slot.update(t.server.Address(), e.course.Retries+1)
	return nil
}

func (e *execution) choose(ctx context.Context) error {
	t := &e.try
	if e.op.timeVerdict.Search == timeout.SearchTogether {
		t.selecting = time.Now()
	}
	writes := e.meta.Access == command.Write
	request := topology.Request{
		Operation: e.meta.Operation, Command: e.meta.Command, OperationID: e.id, ReadPreference: t.readPreference,
		Deprioritized: e.avoid, Write: writes && !e.meta.ReadPreference,
	}
	if writes && e.meta.ReadPreference && t.readPreference != nil {
		request.PrimaryOnly = writesOnPrimaryOnly
	}
	server, err := e.x.Topology.SelectServer(ctx, &request)
	if err != nil {
		return err
	}
	t.server, t.readPreference, t.chosen = server, request.ReadPreference, request.Chosen
	t.serverType, t.minRTT = t.chosen.Type, t.chosen.MinRTT
	return nil
}

// checkOut takes a connection, unless a cursor or a transaction supplies one.
func (e *execution) checkOut(ctx context.Context) error {
	t := &e.try
	switch {
	case e.op.Conn != nil:
		t.pooled = e.op.Conn
	case e.belongsToTransaction() && e.session.PinnedConnection() != nil:
		t.pooled = e.session.PinnedConnection()
	default:
		if err := e.takeConnection(ctx); err != nil {
			return err
		}
	}
	t.wire = t.pooled.Conn.Conn
	t.noteServer()
	t.noteConnection()
	return nil
}

// takeConnection checks out a connection. Under timeoutMS, the part of serverSelectionTimeoutMS that selection has left
// limits it.
//
// Client Side Operations Timeout, "Server Selection".
func (e *execution) takeConnection(ctx context.Context) error {
	t := &e.try
	checkOut := t.server.CheckOut
	if e.op.timeVerdict.Search == timeout.SearchTogether {
		if t.selecting.IsZero() {
			t.selecting = time.Now() // a cursor or a transaction has chosen the server
		}
		t.searchEnds = t.selecting.Add(e.x.ServerSelectionTimeout)
		if deadline, ok := ctx.Deadline(); !ok || t.searchEnds.Before(deadline) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, t.searchEnds)
			defer cancel()
		}
		checkOut = t.server.CheckOutPatiently
	}
	pooled, err := checkOut(ctx)
	if err != nil {
		return err
	}
	t.pooled, t.owned = pooled, true
	return nil
}

// checkIn gives the connection back, unless a cursor or a transaction keeps it.
func (e *execution) checkIn() {
	if t := &e.try; t.owned {
		t.owned = false
		t.server.CheckIn(t.pooled)
	}
}

// takeOutcome keeps the result of a try that has its reply or needs none.
func (e *execution) takeOutcome() {
	t, out := &e.try, &e.out
	*out = Outcome{}
	out.Reply, out.Server, out.WireVersion, out.Sent = t.reply, t.server, t.limits.MaxWireVersion, t.sent
	out.timing, out.operation = e.op.timing, e.meta.Operation
	e.err = nil
}

// finishReply ends a try that has succeeded. Its connection stays with the cursor that needs it.
func (e *execution) finishReply() {
	t := &e.try
	e.takeOutcome()
	if e.out.MoreToCome = t.more; t.more || e.keepsConnection(t.reply) {
		t.pooled.SetPin(pool.PinnedByCursor)
		e.out.Conn, t.owned = t.pooled, false
	} else {
		e.checkIn()
	}
}

// keepsConnection reports whether the cursor of a reply needs the connection. Behind a load balancer, no other
// connection leads to the router with the cursor. A transaction keeps its own connection.
func (e *execution) keepsConnection(reply bson.Raw) bool {
	return e.op.Answer == OpenCursor && e.try.owned && e.try.pooled.ServiceID() != nil && hasOpenCursor(reply)
}

func hasOpenCursor(reply bson.Raw) bool {
	id, _ := reply.Lookup(wire.FieldCursor, "id").AsInt64OK()
	return id != 0
}
