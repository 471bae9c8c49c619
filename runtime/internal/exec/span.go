package exec

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/tracing"
)

// tracedKey is the context key for the operation's span.
type tracedKey struct{}

// Traces reports whether operations have spans.
func (x *Executor) Traces() bool { return x.Commands.Tracing.Tracer != nil }

// RunInSpan calls f inside a span for the operation, unless ctx already belongs to one. Commands that run with the
// context of f belong to the span. The span ends with the error of f, or with an error of its own if f panics.
func (x *Executor) RunInSpan(ctx context.Context, op *Operation, f func(context.Context) error) error {
	tracer := x.Commands.Tracing.Tracer
	if tracer == nil || ctx.Value(tracedKey{}) != nil {
		return f(ctx)
	}
	meta := op.Command.Meta()
	o := tracing.Operation{Name: meta.Operation, Command: meta.Command, Database: op.DB}
	if c, ok := op.Command.(collectionCommand); ok {
		o.Collection = c.Target()
	}
	name, attributes := o.Span()
	span := tracer.Start(x.enterTransactionSpan(ctx, op), name, time.Time{}, attributes)
	failure := errPanicked
	defer func() { endSpan(span, failure) }()
	failure = f(context.WithValue(span.Context(ctx), tracedKey{}, span))
	return failure
}

// TraceTransaction makes the span of a transaction, if it has none. StartTransaction has no context, so the span is
// made later, with the time of that call. OpenTelemetry, "Transactions".
func (x *Executor) TraceTransaction(ctx context.Context, s *session.Client) {
	if tracer := x.Commands.Tracing.Tracer; tracer != nil && s.Span == nil {
		s.Span = tracer.Start(ctx, trace.TransactionSpan, s.Transaction().Began, tracing.Transaction())
	}
}

// enterTransactionSpan returns a context in which the span of the operation's transaction is the parent of new spans.
func (x *Executor) enterTransactionSpan(ctx context.Context, op *Operation) context.Context {
	s := op.Session
	if s == nil || !op.endsTransaction() && !s.Transaction().Active() {
		return ctx
	}
	if s.Span == nil {
		if op.endsTransaction() {
			return ctx // the transaction has already ended, and its span with it
		}
		x.TraceTransaction(ctx, s)
	}
	return s.Span.Context(ctx)
}

func endSpan(span options.Span, err error) {
	if err != nil {
		span.SetAttributes(tracing.Failure(err, 0, string(debug.Stack())))
	}
	span.End(err)
}

// startSpan starts the span of a command before it is sent.
func (p *Publisher) startSpan(ctx context.Context, e *execution, n *note, whole bson.Raw) {
	c := tracing.Command{
		Name: e.meta.Command, Database: e.op.DB, Host: n.exchange.ServerHost, Port: n.exchange.ServerPort, Body: whole,
		DriverConnectionID: n.exchange.DriverConnectionID, ServerConnectionID: n.exchange.ServerConnectionID,
		QueryTextMaxLength: p.Tracing.QueryTextMaxLength,
	}
	n.span = p.Tracing.Tracer.Start(ctx, e.meta.Command, time.Time{}, c.Attributes())
}

func endCommandSpan(span options.Span, reply bson.Raw, err error) {
	if err == nil {
		span.SetAttributes(tracing.Reply(reply))
		span.End(nil)
		return
	}
	code := int32(0)
	if failed, ok := errors.AsType[fault.CommandError](err); ok {
		code = int32(failed.Code)
	}
	span.SetAttributes(tracing.Failure(err, code, string(debug.Stack())))
	span.End(err)
}

// appendComment adds the traceparent of the operation's span to a command that has no comment. The document that starts
// at start is still open.
func (e *execution) appendComment(ctx context.Context, dst []byte, start int) []byte {
	span, ok := ctx.Value(tracedKey{}).(options.Span)
	if !ok || !wire.AnyComment.In(e.try.limits.MaxWireVersion) {
		return dst
	}
	whole := bson.AppendDocumentEnd(dst, start)
	if parent := span.Traceparent(); parent != "" && bson.Raw(whole[start:]).Lookup("comment").IsZero() {
		dst = bson.AppendStringElement(dst, "comment", parent)
	}
	return dst
}
