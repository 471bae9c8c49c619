package mongo

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

var errBulkTooOld = errors.New("Client.BulkWrite needs MongoDB 8.0: use Collection.BulkWrite with older servers")

// run sends the messages one after another. They share a session and an operation ID, so monitors see one operation.
func (b *clientBulk) run(ctx context.Context) (*ClientBulkWriteResult, error) {
	x := b.c.exec
	b.result.HasVerboseResults = b.o.VerboseResults != nil && *b.o.VerboseResults
	op := &b.op
	*op = exec.Operation{
		Command: b.cmd, DB: "admin", WriteConcern: b.concern, Timeout: b.c.scope.timeout, Marshal: b.c.scope.marshal, ID: x.NextID(),
		Answer: exec.OpenCursor, Implicit: exec.KeepSession, MinWireVersion: int32(wire.BulkWrite), TooOld: errBulkTooOld,
	}
	if err := b.c.joinSession(ctx, op); err != nil {
		return nil, err
	}
	caller := ctx
	ctx, cancel, err := x.Bound(ctx, op)
	if err != nil {
		return nil, err
	}
	defer cancel()
	defer x.Release(&b.held)
	for b.cmd.from < len(b.cmd.Models) {
		op.From = b.cmd.from
		out, err := b.c.run(ctx, op)
		if err != nil {
			return b.finish(err)
		}
		if out.Session != nil {
			b.held.Session, op.Session = out.Session, out.Session
		}
		if out.Reply != nil {
			b.result.Acknowledged = true
			if err := b.take(ctx, caller, out); err != nil {
				return b.finish(err)
			}
			if b.ordered && len(b.failed.WriteErrors) > 0 {
				break
			}
		}
		b.cmd.from += out.Sent
	}
	return b.finish(nil)
}

// take adds the reply to one message to the result: its counts, and every result that the cursor returns.
func (b *clientBulk) take(ctx, caller context.Context, out *exec.Outcome) error {
	cursor := bulkCursor{b: b, out: out, caller: caller, results: bulk.NewResults(out.Sent, b.ordered, b.result.HasVerboseResults)}
	defer cursor.release()
	reply, err := command.ParseBulkWriteReply(out.Reply)
	if err != nil {
		return err
	}
	contradiction := b.count(reply, out.Sent)
	if reply.Errors <= 0 || !b.ordered && reply.Errors < int64(out.Sent) {
		b.written = true
	}
	wce := fault.NewWriteConcernError(out.Reply)
	if wce != nil {
		b.failed.WriteConcernErrors = append(b.failed.WriteConcernErrors, *wce)
	}
	if reply.Errors > 0 || wce != nil {
		b.failed.Labels = addLabels(b.failed.Labels, out)
	}
	if err := cursor.read(ctx, reply); err != nil {
		return err
	}
	return contradiction
}

// finish returns the caller's result. err is what stopped the operation, nil if only single writes failed.
func (b *clientBulk) finish(err error) (*ClientBulkWriteResult, error) {
	failed := len(b.failed.WriteErrors) > 0 || len(b.failed.WriteConcernErrors) > 0
	if err == nil && !failed {
		return &b.result, nil
	}
	if err != nil && !failed && !b.written {
		return nil, err
	}
	b.failed.Err = err
	if b.written {
		b.failed.PartialResult = &b.result
	}
	return b.failed.PartialResult, b.op.AsTimeout(b.failed)
}

// BulkWrite carries out many writes on any number of collections and databases, in as few messages as the server's
// limits allow. It needs MongoDB 8.0. By default the writes are ordered: the first failure ends the operation. With
// Ordered false, all writes are tried.
//
// The result holds counts, and the result of each write if VerboseResults is set. A ClientBulkWriteException says which
// writes failed, and its PartialResult says what was written. A message that holds an UpdateMany or DeleteMany model is
// not retried.
func (c *Client) BulkWrite(ctx context.Context, writes []ClientBulkWrite,
	opts ...*options.ClientBulkWrite) (*ClientBulkWriteResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	if o == nil {
		o = &options.ClientBulkWrite{}
	}
	b := clientBulk{c: c, o: o, ordered: o.Ordered == nil || *o.Ordered, concern: c.scope.writeConcern}
	b.op = exec.Operation{Command: &command.BulkWrite{}, DB: "admin"}
	return runInSpan(ctx, c, &b.op, func(ctx context.Context) (_ *ClientBulkWriteResult, err error) {
		if err := b.check(ctx); err != nil {
			return nil, err
		}
		if b.cmd, err = c.newClientWrites(writes, o); err != nil {
			return nil, err
		}
		return b.run(ctx)
	})
}

// check resolves the write concern, and refuses options that contradict each other. Bulk Write, "ordered" and
// "errorsOnly and verboseResults".
func (b *clientBulk) check(ctx context.Context) error {
	s := SessionFromContext(ctx)
	inTransaction := s != nil && s.TransactionRunning()
	switch {
	case b.o.WriteConcern != nil && inTransaction:
		return errWriteConcernInTransaction
	case b.o.WriteConcern != nil:
		b.concern = b.o.WriteConcern
	case inTransaction:
		b.concern = nil // the transaction's own concern applies
	}
	if concern.IsAcknowledged(b.concern) {
		return nil
	}
	if b.ordered {
		return errors.New("mongo: " + command.UnacknowledgedOrdered())
	}
	if b.o.VerboseResults != nil && *b.o.VerboseResults {
		return errors.New("mongo: " + command.UnacknowledgedVerbose())
	}
	return nil
}
