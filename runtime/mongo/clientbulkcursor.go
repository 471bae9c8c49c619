package mongo

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// bulkCursor is the cursor with the results of one message.
type bulkCursor struct {
	b          *clientBulk
	out        *exec.Outcome
	caller     context.Context // of BulkWrite, without the deadline of its Timeout
	results    bulk.Results
	empty      int // batches without a result
	collection string
	db         string
}

// read reads all results. A failure ends the operation, and the cursor. Bulk Write, "Top-Level Errors".
func (r *bulkCursor) read(ctx context.Context, reply command.BulkWriteReply) error {
	id := reply.ID
	err := r.batch(reply.Batch)
	if err == nil && id != 0 {
		r.db, r.collection, err = splitNamespace(string(reply.Namespace))
	}
	for err == nil && id != 0 {
		var next command.CursorReply
		if next, err = r.next(ctx, id); err == nil {
			err, id = r.batch(next.Batch), next.ID
		}
	}
	if err == nil {
		err = r.results.Finish(reply.Errors)
	}
	if err != nil && id != 0 {
		return errors.Join(err, r.kill(id))
	}
	return err
}

// maxEmptyBatches is how many empty batches a cursor may send. It has all its results from the start, so a server has
// no reason to send one, and this bound ends a loop.
const maxEmptyBatches = 10

func (r *bulkCursor) batch(list bson.RawArray) error {
	documents := batch.Of(list)
	if !documents.HasMore() {
		if r.empty++; r.empty > maxEmptyBatches {
			return errors.New("mongo: bulkWrite: the server's cursor.nextBatch stays empty, and its cursor.id is not 0")
		}
	}
	for documents.HasMore() {
		doc, err := documents.Next()
		if err != nil {
			return err
		}
		result, err := r.results.Next(doc)
		if err != nil {
			return err
		}
		r.b.note(result)
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

// kill ends the cursor on the server, even if the caller's context has ended. It takes over the cursor's connection.
func (r *bulkCursor) kill(id int64) error {
	if r.out.Conn != nil && r.out.Conn.Conn.IsBroken() {
		return nil // the router that holds the cursor is out of reach
	}
	op := r.operation(&command.KillCursors{Collection: r.collection, Cursors: []int64{id}})
	x, server, conn := r.b.c.exec, r.out.Server, r.out.Conn
	r.out.Conn = nil
	var s *session.Cleanup
	if op.Session != nil {
		s = op.Session.BeginKill()
		op.Session = s.Session()
		defer r.b.op.Session.Settle()
	}
	_, v := timeout.Step(timeout.State{}, timeout.Event{Part: timeout.CloseResults})
	return r.b.c.cleanUp(r.caller, &cleanup{
		bound: v.Bound,
		run: func(ctx context.Context, _ bool) (reached bool, err error) {
			ctx, cancel := context.WithTimeout(ctx, killTimeout)
			defer cancel()
			if s != nil {
				if err := s.AwaitPrevious(ctx); err != nil {
					return false, err
				}
			}
			_, err = r.b.c.run(ctx, op)
			return op.Reached(), err
		},
		release: func() {
			if s != nil {
				s.End()
			}
			x.Release(&exec.Outcome{Server: server, Conn: conn})
		},
	})
}

// operation returns an operation that runs on the server, and on the connection, that the cursor is bound to.
func (r *bulkCursor) operation(cmd exec.Command) *exec.Operation {
	op := &exec.Operation{
		Command: cmd, DB: r.db, Session: r.b.op.Session, Server: r.out.Server, Conn: r.out.Conn,
	}
	op.ContinuesWithin(&r.b.op)
	return op
}

// release gives the cursor's connection back. The session stays for the next message.
func (r *bulkCursor) release() {
	if r.out.Conn != nil {
		r.b.c.exec.Release(&exec.Outcome{Server: r.out.Server, Conn: r.out.Conn})
		r.out.Conn = nil
	}
}
