package exec

import (
	"context"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// send sends the message, reads the reply and interprets it.
func (e *execution) send(ctx context.Context) error {
	t := &e.try
	if err := e.checkTimeLeft(ctx); err != nil {
		return err
	}
	compressible := !wire.Uncompressible(e.meta.Command)
	note := e.x.Commands.publishStart(ctx, e, t.msg)
	e.reached, e.carried = true, max(e.carried, t.sent)
	e.touchSession()
	if e.ignoresOldTimeouts() {
		defer e.suspendSocketTimeout()()
	}
	if !e.isAcknowledged() {
		err := t.pooled.Fault(t.wire.Send(ctx, t.msg, compressible))
		e.x.Commands.publishEnd(ctx, e, note, unacknowledgedReply, err)
		return err
	}
	terms := conn.Terms{Compressible: compressible, MayBeLate: e.allowsLateReply()}
	if note.exchange == nil { // with a monitor, which may keep replies, the reply gets memory of its own
		terms.Memory = e.op.Memory
	}
	reply, err := e.roundTrip(ctx, terms)
	if err != nil {
		err = t.pooled.Fault(err)
		e.x.Commands.publishEnd(ctx, e, note, nil, err)
		return err
	}
	facts, err := e.read(reply.Body)
	e.x.Commands.publishEnd(ctx, e, note, reply.Body, err)
	if err != nil {
		return err
	}
	t.reply = reply.Body
	if e.x.Crypt != nil {
		if t.reply, err = e.decrypt(ctx, reply.Body); err != nil {
			return err
		}
	}
	return e.reportedFailure(facts)
}

// roundTrip sends one message and waits for the reply. In a stream it only waits for the next reply.
func (e *execution) roundTrip(ctx context.Context, terms conn.Terms) (reply conn.Reply, err error) {
	t := &e.try
	switch e.op.Answer {
	case AwaitedBatch:
		e.op.Answer = BatchStream // another try, if there is one, sends a new request
		reply, err = t.wire.Receive(ctx)
	case BatchStream:
		conn.SetExhaustAllowed(t.msg)
		reply, err = t.wire.RoundTrip(ctx, t.msg, terms.Compressible)
	default:
		return t.wire.Exchange(ctx, t.msg, terms)
	}
	t.more = reply.MoreToCome
	return reply, err
}

// allowsLateReply reports whether the connection stays open if the reply comes after the deadline. One that a cursor or
// a transaction keeps does not, nor one that a cursor is about to keep.
func (e *execution) allowsLateReply() bool {
	return e.try.owned && (e.try.pooled.ServiceID() == nil || e.op.Answer != OpenCursor)
}

// touchSession records in the session that the command is being sent.
func (e *execution) touchSession() {
	if e.session == nil {
		return
	}
	e.session.Server().Touch(e.began)
	if e.course.State.Role == operation.FirstInTransaction {
		e.session.Transaction().Begun()
	}
}

// reauthenticate authenticates the connection again, within the timeoutMS of the operation if there is one.
//
// Client Side Operations Timeout, "Blocking Sections for Operation Execution".
func (e *execution) reauthenticate(ctx context.Context) error {
	if e.ignoresOldTimeouts() {
		ctx = auth.UnderTimeout(ctx, 0)
		defer e.suspendSocketTimeout()()
	}
	return e.x.Auth.Reauthenticate(ctx, e.try.wire)
}

// suspendSocketTimeout turns socketTimeoutMS off, which timeoutMS replaces, until the caller calls restore.
func (e *execution) suspendSocketTimeout() (restore func()) {
	if e.x.SocketTimeout <= 0 {
		return noCancel
	}
	w := e.try.wire
	w.SetIOTimeout(0)
	return func() { w.SetIOTimeout(e.x.SocketTimeout) }
}
