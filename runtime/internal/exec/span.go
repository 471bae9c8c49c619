package exec

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// tracedKey is the context key for the operation's span.
type tracedKey struct{}

// Trace starts the span of an operation that takes several runs. Commands that run with the returned context belong to
// the span. The returned function ends the span. Without tracing, Trace does nothing.
func (x *Executor) Trace(ctx context.Context, op *Operation) (context.Context, func(error)) {
	tracer := x.Commands.Tracing.Tracer
	if tracer == nil || ctx.Value(tracedKey{}) != nil {
		return ctx, func(error) {}
	}
	meta := op.Command.Meta()
	o := trace.Operation{Name: meta.Operation, Command: meta.Command, Database: op.DB}
	if c, ok := op.Command.(targeted); ok {
		o.Collection = c.Target()
	}
	name, attributes := o.Span()
	span := tracer.Start(inTransactionSpan(ctx, tracer, op), name, attributes)
	return context.WithValue(span.Context(ctx), tracedKey{}, span), func(err error) { endSpan(span, err) }
}

// TraceTransaction starts the span of a transaction, if it has none. OpenTelemetry, "Transactions".
func (x *Executor) TraceTransaction(ctx context.Context, s *session.Client) {
	if tracer := x.Commands.Tracing.Tracer; tracer != nil && s.Span == nil {
		s.Span = tracer.Start(ctx, trace.TransactionSpan, trace.Transaction())
	}
}

// inTransactionSpan returns the context whose span is the parent of the operation's span: the span of its transaction.
// WithTransaction starts that span. Otherwise the first operation does, because StartTransaction has no context.
func inTransactionSpan(ctx context.Context, tracer options.Tracer, op *Operation) context.Context {
	s := op.Session
	if s == nil || !op.EndsTransaction && !s.Transaction().Active() {
		return ctx
	}
	if s.Span == nil {
		if op.EndsTransaction {
			return ctx // the transaction has already ended, and its span with it
		}
		s.Span = tracer.Start(ctx, trace.TransactionSpan, trace.Transaction())
	}
	return s.Span.Context(ctx)
}

// runTraced is Run inside a span. The span ends with an error, too, when the program's own document panics.
func (x *Executor) runTraced(ctx context.Context, op *Operation) (out Outcome, err error) {
	ctx, end := x.Trace(ctx, op)
	failure := errPanicked
	defer func() { end(failure) }()
	out, err = x.run(ctx, op)
	if failure = err; err == nil && op.Command.Meta().WriteConcern {
		failure = reportedFailure(&out)
	}
	return out, err
}

// reportedFailure is the failure that the reply to a write reports although the command succeeded. The caller makes an error
// of it, so the operation's span has to record it. OpenTelemetry, "Operation Span Attributes", "Exceptions".
func reportedFailure(out *Outcome) error {
	failed := fault.WriteException{
		WriteErrors: fault.NewWriteErrors(out.Reply, 0), WriteConcernError: fault.NewWriteConcernError(out.Reply), Raw: out.Reply,
	}
	if len(failed.WriteErrors) == 0 && failed.WriteConcernError == nil {
		return nil
	}
	if out.Server != nil {
		failed.Address = out.Server.Address()
	}
	return out.AsTimeout(failed)
}

func endSpan(span options.Span, err error) {
	if err != nil {
		span.SetAttributes(trace.Failure(err, 0, string(debug.Stack())))
	}
	span.End(err)
}

// startSpan starts the span of a command before it is sent.
func (p *Publisher) startSpan(ctx context.Context, e *execution, n *note, whole bson.Raw) {
	c := trace.Command{
		Name: e.meta.Command, Database: e.op.DB, Host: n.exchange.ServerHost, Port: n.exchange.ServerPort, Body: whole,
		DriverConnectionID: n.exchange.DriverConnectionID, ServerConnectionID: n.exchange.ServerConnectionID,
		QueryTextMaxLength: p.Tracing.QueryTextMaxLength,
	}
	n.span = p.Tracing.Tracer.Start(ctx, e.meta.Command, c.Attributes())
}

func endCommandSpan(span options.Span, reply bson.Raw, err error) {
	if err == nil {
		span.SetAttributes(trace.Reply(reply))
		span.End(nil)
		return
	}
	code := int32(0)
	if failed, ok := errors.AsType[fault.CommandError](err); ok {
		code = int32(failed.Code)
	}
	span.SetAttributes(trace.Failure(err, code, string(debug.Stack())))
	span.End(err)
}

// appendComment adds the traceparent of the operation's span to a command that has no comment. The document that starts
// at start is still open.
func (e *execution) appendComment(ctx context.Context, dst []byte, start int) []byte {
	span, ok := ctx.Value(tracedKey{}).(options.Span)
	if !ok || e.try.wire.Hello().MaxWireVersion < commentsEverywhere {
		return dst
	}
	whole := bson.AppendDocumentEnd(dst, start)
	dst = whole[:len(whole)-1]
	if parent := span.Traceparent(); parent != "" && bson.Raw(whole[start:]).Lookup("comment").IsZero() {
		dst = bson.AppendStringElement(dst, "comment", parent)
	}
	return dst
}

// commentsEverywhere is the first wire version in which every command takes a comment.
const commentsEverywhere = int32(wire.Server44)
