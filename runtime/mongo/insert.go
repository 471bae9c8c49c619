package mongo

import (
	"context"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// InsertOne inserts a document. One without an _id gets an ObjectID; document itself is not changed, the result holds the
// _id.
func (c *Collection) InsertOne(ctx context.Context, document any, opts ...*options.InsertOne) (*InsertOneResult, error) {
	o := merged(opts)
	raw, id, err := c.scope.withID(document)
	if err != nil {
		return nil, err
	}
	_, acknowledged, err := c.writeOne(ctx, &command.InsertOne{Collection: c.name, Document: raw, Options: o})
	result := &InsertOneResult{Acknowledged: acknowledged, InsertedID: anyOf(id)}
	if err != nil && !applied(err) {
		return nil, err
	}
	return result, err
}

// applied reports whether a write took place although its error says that the write concern was not satisfied.
func applied(err error) bool {
	e, ok := errors.AsType[fault.WriteException](err)
	return ok && len(e.WriteErrors) == 0 && e.WriteConcernError != nil
}

// InsertMany inserts documents, in as few messages as the server's limits allow. In order, which is the default, the
// first failure ends it. The _ids of all documents are in the result, also of those that were not inserted: the
// BulkWriteException says which these are.
func (c *Collection) InsertMany(ctx context.Context, documents any, opts ...*options.InsertMany) (*InsertManyResult, error) {
	o := merged(opts)
	list, err := sliceOf(documents)
	if err != nil {
		return nil, err
	}
	cmd := &command.InsertMany{Collection: c.name, Options: o, Documents: make([]bson.Raw, len(list))}
	result := &InsertManyResult{InsertedIDs: make(map[int]any, len(list))}
	for i, document := range list {
		raw, id, err := c.scope.withID(document)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		cmd.Documents[i] = raw
		result.InsertedIDs[i] = anyOf(id)
	}
	ordered := o == nil || o.Ordered == nil || *o.Ordered
	b := batches{c: c, cmd: cmd, ordered: ordered}
	err = b.run(ctx)
	result.Acknowledged = b.acknowledged
	return result, err
}

// batches carries out a write of many statements, message by message.
type batches struct {
	c            *Collection
	cmd          command.Batch
	ordered      bool
	acknowledged bool
	inserted     int64
	errs         fault.BulkWriteException
}

// run sends message after message, all in one session and under one number for those who watch.
func (b *batches) run(ctx context.Context) error {
	x := b.c.db.client.exec
	op := exec.Operation{Command: b.cmd, Batch: b.cmd, WriteConcern: b.c.scope.writeConcern, ID: x.NextID(), KeepSession: true}
	op.Timeout = b.c.scope.timeout
	ctx, cancel := x.Bound(ctx, &op)
	defer cancel()
	var held exec.Outcome // holds the session
	defer x.Release(&held)
	for op.From < b.cmd.Items() {
		out, err := b.c.run(ctx, &op)
		if err != nil {
			return b.stopped(err)
		}
		if out.Session != nil {
			held.Session, op.Session = out.Session, out.Session
		}
		if out.Reply != nil {
			b.acknowledged = true
			if err := b.take(out, op.From); err != nil {
				return b.stopped(err)
			}
		}
		op.From += out.Sent
		if b.ordered && len(b.errs.WriteErrors) > 0 {
			break
		}
	}
	return b.stopped(nil)
}

// take reads what one message achieved.
func (b *batches) take(out exec.Outcome, from int) error {
	reply, err := command.ParseWriteReply(out.Reply)
	if err != nil {
		return err
	}
	b.inserted += reply.N
	for _, failed := range fault.NewWriteErrors(out.Reply, from) {
		b.errs.WriteErrors = append(b.errs.WriteErrors, fault.BulkWriteError{WriteError: failed})
	}
	b.errs.Labels = append(b.errs.Labels, out.Labels...)
	if wce := fault.NewWriteConcernError(out.Reply); wce != nil {
		b.errs.WriteConcernError = wce
	}
	return nil
}

// stopped joins the failures of statements and the error that ended the operation.
func (b *batches) stopped(err error) error {
	if len(b.errs.WriteErrors) == 0 && b.errs.WriteConcernError == nil {
		return err
	}
	failed := b.errs
	failed.Err = err
	return failed
}
