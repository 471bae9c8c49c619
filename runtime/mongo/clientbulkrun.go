package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

var errBulkTooOld = errors.New("Client.BulkWrite needs MongoDB 8.0: use Collection.BulkWrite with older servers")

// clientBulk carries out a bulk write on a client, message by message, and puts the results together.
type clientBulk struct {
	c       *Client
	o       *options.ClientBulkWrite
	cmd     *clientWrites
	concern *options.WriteConcern
	ordered bool

	result  ClientBulkWriteResult
	failed  fault.ClientBulkWriteException
	written bool // at least one write is known to have succeeded
	op      exec.Operation
	held    exec.Outcome
}

// run sends message after message, all in one session and under one number for those who watch.
func (b *clientBulk) run(ctx context.Context) (result *ClientBulkWriteResult, err error) {
	x := b.c.exec
	b.result.HasVerboseResults = b.o.VerboseResults != nil && *b.o.VerboseResults
	op := &b.op
	*op = exec.Operation{
		Command: b.cmd, DB: "admin", WriteConcern: b.concern, Timeout: b.c.scope.timeout, Marshal: b.c.scope.marshal, ID: x.NextID(),
		Cursor: true, KeepSession: true, MinWireVersion: wire.Server80, TooOld: errBulkTooOld,
	}
	if err := b.c.joinSession(ctx, op); err != nil {
		return nil, err
	}
	ctx, end := x.Trace(ctx, op)
	defer func() { end(err) }()
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
			return b.end(err)
		}
		if out.Session != nil {
			b.held.Session, op.Session = out.Session, out.Session
		}
		if out.Reply != nil {
			b.result.Acknowledged = true
			if err := b.take(ctx, &out); err != nil {
				return b.end(err)
			}
			if b.ordered && len(b.failed.WriteErrors) > 0 {
				break
			}
		}
		b.cmd.from += out.Sent
	}
	return b.end(nil)
}

// take reads what one message achieved: the counts, and all results that the cursor has.
func (b *clientBulk) take(ctx context.Context, out *exec.Outcome) error {
	cursor := bulkCursor{b: b, out: out, left: out.Sent}
	defer cursor.release()
	reply, err := command.ParseBulkWriteReply(out.Reply)
	if err != nil {
		return err
	}
	b.result.InsertedCount += reply.Inserted
	b.result.UpsertedCount += reply.Upserted
	b.result.MatchedCount += reply.Matched
	b.result.ModifiedCount += reply.Modified
	b.result.DeletedCount += reply.Deleted
	if reply.Errors == 0 || !b.ordered && reply.Errors < int64(out.Sent) {
		b.written = true
	}
	wce := fault.NewWriteConcernError(out.Reply)
	if wce != nil {
		b.failed.WriteConcernErrors = append(b.failed.WriteConcernErrors, *wce)
	}
	if reply.Errors > 0 || wce != nil {
		b.failed.Labels = addLabels(b.failed.Labels, out)
	}
	return cursor.read(ctx, reply)
}

// note notes the result of one write.
func (b *clientBulk) note(doc bson.Raw, sent int) error {
	var r writeResult
	r.read(doc)
	if r.index < 0 || r.index >= int64(sent) {
		return fmt.Errorf("mongo: bulkWrite: the server has a result for write %d of %d", r.index, sent)
	}
	at := b.cmd.from + int(r.index)
	if !r.ok {
		r.failure.Index, r.failure.Name, r.failure.Raw = at, nameOf(r.failure.Code), doc
		if b.failed.WriteErrors == nil {
			b.failed.WriteErrors = map[int]fault.WriteError{}
		}
		b.failed.WriteErrors[at] = r.failure
		b.written = b.written || b.ordered && r.index > 0
		return nil
	}
	b.written = true
	if !b.result.HasVerboseResults {
		return nil
	}
	switch b.cmd.kind(at) {
	case inserts:
		set(&b.result.InsertResults, at, ClientBulkWriteInsertResult{InsertedID: b.cmd.ids[at]})
	case updates:
		set(&b.result.UpdateResults, at, ClientBulkWriteUpdateResult{
			MatchedCount: r.n, ModifiedCount: r.modified, UpsertedID: r.upsertedID,
		})
	case deletes:
		set(&b.result.DeleteResults, at, ClientBulkWriteDeleteResult{DeletedCount: r.n})
	}
	return nil
}

func set[V any](m *map[int]V, key int, value V) {
	if *m == nil {
		*m = map[int]V{}
	}
	(*m)[key] = value
}

// nameOf is the server's name of a code, empty when it has none: the results of single writes hold numbers alone.
func nameOf(code errcode.Code) string {
	if _, known := errcode.ByName(code.String()); known {
		return code.String()
	}
	return ""
}

// writeResult is the server's result of one write.
type writeResult struct {
	ok          bool
	index       int64
	n, modified int64
	upsertedID  any
	failure     fault.WriteError
}

func (r *writeResult) read(doc bson.Raw) {
	r.index = -1
	for key, value := range doc.All() {
		switch key {
		case "ok":
			r.ok, _ = value.AsBoolOK()
		case "idx":
			r.index, _ = value.AsInt64OK()
		case "n":
			r.n, _ = value.AsInt64OK()
		case "nModified":
			r.modified, _ = value.AsInt64OK()
		case "upserted":
			upserted, _ := value.DocumentOK()
			r.upsertedID = upsertedID(upserted)
		case "code":
			code, _ := value.AsInt64OK()
			r.failure.Code = errcode.Code(code)
		case "errmsg":
			text, _ := value.StringOK()
			r.failure.Message = strings.ToValidUTF8(text, string(utf8.RuneError))
		case "errInfo":
			r.failure.Details, _ = value.DocumentOK()
		}
	}
}

// end is what the caller gets: err is what stopped the operation, nil when nothing but single writes failed.
func (b *clientBulk) end(err error) (*ClientBulkWriteResult, error) {
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

// bulkCursor is the cursor with the results of one message.
type bulkCursor struct {
	b          *clientBulk
	out        *exec.Outcome
	left       int // how many writes the message had
	collection string
	db         string
}

// read reads all results. A failure ends the operation, and the cursor. Bulk Write, "Top-Level Errors".
func (r *bulkCursor) read(ctx context.Context, reply command.BulkWriteReply) error {
	r.db, r.collection = splitNamespace(reply.Namespace)
	err, id := r.batch(reply.Batch), reply.ID
	for err == nil && id != 0 {
		var next command.CursorReply
		if next, err = r.next(ctx, id); err == nil {
			err, id = r.batch(next.Batch), next.ID
		}
	}
	if err != nil && id != 0 {
		return errors.Join(err, r.kill(ctx, id))
	}
	return err
}

func (r *bulkCursor) batch(list bson.RawArray) error {
	documents := batch{rest: list}
	for more := documents.open(); more; more = documents.more() {
		doc, err := documents.next()
		if err != nil {
			return err
		}
		if err := r.b.note(doc, r.left); err != nil {
			return err
		}
	}
	return nil
}

func (r *bulkCursor) next(ctx context.Context, id int64) (command.CursorReply, error) {
	out, err := r.b.c.run(ctx, r.operation(&command.GetMore{ID: id, Collection: r.collection, Comment: r.b.o.Comment}))
	if err != nil {
		return command.CursorReply{}, err
	}
	return command.ParseCursorReply(out.Reply)
}

// kill ends the cursor on the server. A caller who has given up must not keep the server from hearing of it.
func (r *bulkCursor) kill(ctx context.Context, id int64) error {
	if r.out.Conn != nil && r.out.Conn.Conn.Broken() {
		return nil // the router that holds the cursor is out of reach
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	_, err := r.b.c.run(ctx, r.operation(&command.KillCursors{Collection: r.collection, Cursors: []int64{id}}))
	return err
}

// operation is a command that goes where the cursor is.
func (r *bulkCursor) operation(cmd command.Command) *exec.Operation {
	op := &exec.Operation{
		Command: cmd, DB: r.db, Session: r.b.op.Session, Server: r.out.Server, Conn: r.out.Conn, NoMaxTime: true,
	}
	op.ContinuesWithin(&r.b.op)
	return op
}

// release gives the connection back that leads to the cursor. The session goes on to the next message.
func (r *bulkCursor) release() {
	if r.out.Conn != nil {
		r.b.c.exec.Release(&exec.Outcome{Server: r.out.Server, Conn: r.out.Conn})
		r.out.Conn = nil
	}
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
	o := merged(opts)
	if o == nil {
		o = &options.ClientBulkWrite{}
	}
	b := clientBulk{c: c, o: o, ordered: o.Ordered == nil || *o.Ordered, concern: c.scope.writeConcern}
	s := SessionFromContext(ctx)
	inTransaction := s != nil && s.TransactionRunning()
	switch {
	case o.WriteConcern != nil && inTransaction:
		return nil, errWriteConcernInTransaction
	case o.WriteConcern != nil:
		b.concern = o.WriteConcern
	case inTransaction:
		b.concern = nil // the concern of the transaction counts
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	cmd, err := c.clientWrites(writes, o)
	if err != nil {
		return nil, err
	}
	b.cmd = cmd
	return b.run(ctx)
}

// check refuses options that contradict each other. Bulk Write, "ordered" and "errorsOnly and verboseResults".
func (b *clientBulk) check() error {
	if command.IsAcknowledged(b.concern) {
		return nil
	}
	if b.ordered {
		return errors.New("mongo: Cannot request unacknowledged write concern and ordered writes")
	}
	if b.o.VerboseResults != nil && *b.o.VerboseResults {
		return errors.New("mongo: Cannot request unacknowledged write concern and verbose results")
	}
	return nil
}
