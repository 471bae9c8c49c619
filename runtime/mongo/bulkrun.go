package mongo

import (
	"context"
	"errors"
	"slices"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// bulkWrite carries out many writes, message by message, and puts their results together.
type bulkWrite struct {
	c       *Collection
	ordered bool
	list    interface {
		Request(i int) options.WriteModel
	}

	result BulkWriteResult
	ids    []any // the _ids that InsertMany inserted; its result is a list, not a map
	failed fault.BulkWriteException
	sent   bool // a message was answered, or needs no answer
	op     exec.Operation
	held   exec.Outcome // holds the session that all messages share
}

// run sends the messages one after another. They share a session and an operation ID, so monitors see one operation.
func (b *bulkWrite) run(ctx context.Context, groups []bulk.Group) error {
	x := b.c.db.client.exec
	b.op = exec.Operation{
		Command: groups[0].Cmd, DB: b.c.db.name, WriteConcern: b.c.scope.writeConcern, Marshal: b.c.scope.marshal,
		Timeout: b.c.scope.timeout,
		ID:      x.NextID(), Implicit: exec.KeepSession,
	}
	if err := b.c.db.client.joinSession(ctx, &b.op); err != nil {
		return err
	}
	inTransaction := b.op.Session != nil && b.op.Session.Transaction().Active()
	b.result.Acknowledged = inTransaction || concern.IsAcknowledged(b.op.WriteConcern)
	ctx, cancel, err := x.Bound(ctx, &b.op)
	if err != nil {
		return err
	}
	defer cancel()
	defer x.Release(&b.held)
	for i := range groups {
		g := &groups[i]
		tried, err := b.group(ctx, g)
		if err == nil && !(b.ordered && len(b.failed.WriteErrors) > 0) {
			continue
		}
		for ; tried < g.Cmd.Items(); tried++ {
			b.failed.Unprocessed = append(b.failed.Unprocessed, g.Position(tried))
		}
		for _, rest := range groups[i+1:] {
			for item := range rest.Cmd.Items() {
				b.failed.Unprocessed = append(b.failed.Unprocessed, rest.Position(item))
			}
		}
		return b.finalError(err)
	}
	return b.finalError(nil)
}

// group sends one group and reports how many of its writes were tried, up to the one that ends an ordered bulk write.
func (b *bulkWrite) group(ctx context.Context, g *bulk.Group) (tried int, err error) {
	for from := 0; from < g.Cmd.Items(); {
		b.op.Command, b.op.Batch, b.op.From = g.Cmd, g.Cmd, from
		out, err := b.c.run(ctx, &b.op)
		if large, ok := errors.AsType[fault.DocumentTooLargeError](err); ok {
			b.noteTooLarge(g, large)
			from++
			if b.ordered {
				return from, nil
			}
			continue
		}
		if err != nil {
			return from + out.Sent, err
		}
		b.sent = true
		if out.Session != nil {
			b.held.Session, b.op.Session = out.Session, out.Session
		}
		errs, err := b.take(g, out, from)
		if err != nil {
			return from + out.Sent, err
		}
		if b.ordered && len(errs) > 0 {
			return errs[0].Index + 1, nil
		}
		from += out.Sent
	}
	return g.Cmd.Items(), nil
}

// noteTooLarge notes a write that is too large to be sent.
func (b *bulkWrite) noteTooLarge(g *bulk.Group, e fault.DocumentTooLargeError) {
	at := g.Position(e.Index)
	e.Index = at
	code := errcode.BSONObjectTooLarge
	b.failed.WriteErrors = append(b.failed.WriteErrors, fault.BulkWriteError{
		WriteError: fault.WriteError{Index: at, Code: code, Name: code.String(), Message: e.Error()},
		Request:    b.list.Request(at),
	})
}

// take adds the reply to one message to the result. It returns the write errors, each with its index in the group.
func (b *bulkWrite) take(g *bulk.Group, out *exec.Outcome, from int) (fault.WriteErrors, error) {
	if out.Reply == nil {
		b.noteInserted(g, from, out.Sent, nil)
		return nil, nil
	}
	reply, err := command.ParseWriteReply(out.Reply)
	if err != nil {
		return nil, err
	}
	upserted, contradiction := bulk.CleanReply(out.Reply, &reply, g.Kind, out.Sent)
	errs := fault.NewWriteErrors(out.Reply, from)
	for i := range errs {
		errs[i].Index = max(from, min(errs[i].Index, from+out.Sent-1)) // even when the server has miscounted
	}
	switch g.Kind {
	case encode.Inserts:
		b.result.InsertedCount += reply.N
		sent := out.Sent
		if b.ordered && len(errs) > 0 {
			sent = errs[0].Index - from // the server stopped there
		}
		b.noteInserted(g, from, sent, errs)
	case encode.Updates:
		b.result.MatchedCount += reply.N - int64(len(upserted)) // the server counts them as matched
		b.result.ModifiedCount += reply.NModified
		b.noteUpserted(g, from, upserted)
	case encode.Deletes:
		b.result.DeletedCount += reply.N
	}
	b.readFailures(g, out, errs)
	return errs, contradiction
}

// noteInserted notes the _ids of the items of one message, except for those that failed.
func (b *bulkWrite) noteInserted(g *bulk.Group, from, sent int, errs fault.WriteErrors) {
	if g.Kind != encode.Inserts {
		return
	}
	if b.result.InsertedIDs == nil {
		b.noteInsertedMany(g.IDs[from:from+sent], from, errs)
		return
	}
	for item := from; item < from+sent; item++ {
		b.result.InsertedIDs[g.Position(item)] = g.IDs[item]
	}
	for i := range errs {
		delete(b.result.InsertedIDs, g.Position(errs[i].Index))
	}
}

// noteInsertedMany notes the _ids of one message of InsertMany, except for those that failed. They take the place of
// the _ids that were noted before: nothing moves while nothing fails.
func (b *bulkWrite) noteInsertedMany(ids []any, from int, errs fault.WriteErrors) {
	if b.ids == nil {
		b.ids = ids[:0]
	}
	if len(errs) == 0 {
		b.ids = append(b.ids, ids...)
		return
	}
	failed := make(map[int]bool, len(errs))
	for i := range errs {
		failed[errs[i].Index] = true
	}
	for i, id := range ids {
		if !failed[from+i] {
			b.ids = append(b.ids, id)
		}
	}
}

// noteUpserted notes the _ids of upserted documents.
func (b *bulkWrite) noteUpserted(g *bulk.Group, from int, list []bulk.Upsert) {
	for _, one := range list {
		if b.result.UpsertedIDs == nil {
			b.result.UpsertedIDs = map[int]any{}
		}
		b.result.UpsertedIDs[g.Position(from+one.Index)] = one.ID
	}
	b.result.UpsertedCount += int64(len(list))
}

// readFailures notes the failures of one message under their positions in the caller's list.
func (b *bulkWrite) readFailures(g *bulk.Group, out *exec.Outcome, errs fault.WriteErrors) {
	for _, e := range errs {
		e.Index = g.Position(e.Index)
		b.failed.WriteErrors = append(b.failed.WriteErrors, fault.BulkWriteError{WriteError: e, Request: b.list.Request(e.Index)})
	}
	wce := fault.NewWriteConcernError(out.Reply)
	if wce != nil {
		b.failed.WriteConcernError = wce
	}
	if len(errs) > 0 || wce != nil {
		b.failed.Labels = addLabels(b.failed.Labels, out)
		b.failed.Address = out.Server.Address()
	}
}

// finalError returns the error of the whole operation. err is what stopped it, nil if only single writes failed. If no
// message was answered before that, err is returned as it is.
func (b *bulkWrite) finalError(err error) error {
	if len(b.failed.WriteErrors) == 0 && b.failed.WriteConcernError == nil && (err == nil || !b.sent) {
		return err
	}
	b.failed.Err = err
	slices.Sort(b.failed.Unprocessed)
	slices.SortStableFunc(b.failed.WriteErrors, func(x, y fault.BulkWriteError) int { return x.Index - y.Index })
	return b.op.AsTimeout(b.failed)
}
