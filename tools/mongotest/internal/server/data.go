package server

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// runOnEngine runs a command of the engine, then waits for the write concern.
func runOnEngine(name string, run engine.Handler) handler {
	return func(ctx context.Context, r *request) (bson.Raw, error) {
		if err := r.failAt(ctx, name); err != nil {
			return nil, err
		}
		ctx, cancel := r.timeLimit(ctx)
		defer cancel()
		if err := interrupt.Err(ctx); err != nil {
			return nil, err
		}
		q := r.engineRequest(ctx, name)
		r.session.Fill(q)
		if r.session.IsActive() || !r.endsWithClient() {
			r.conn.operation.Load().write(true)
			defer r.conn.operation.Load().write(false)
			if err := r.cluster.writeLock.wait(ctx); err != nil {
				return nil, err
			}
			if r.cluster.Set != nil {
				q.MayWrite = func() error { return r.cluster.Set.MayWrite(r.term) }
			}
		}
		if err := r.chooseState(ctx, q); err != nil {
			return nil, err
		}
		r.ownsReply = true
		dst, start := bson.AppendDocumentStart(make([]byte, 0, 320))
		dst, err := run(r.node.engine, ctx, q, dst)
		r.outcomes = q.Outcomes
		if err != nil {
			return nil, err
		}
		if r.cluster.RequireAuth {
			whole, err := r.onlyAuthorized(bson.AppendDocumentEnd(dst, start))
			if err != nil {
				return nil, err
			}
			dst = whole[:len(whole)-1]
		}
		if q.Txn == nil && (q.Applied != 0 || r.command.access == writes) {
			if dst, err = r.afterWrite(ctx, dst, q.Applied); err != nil {
				return nil, err
			}
			// The write took effect, but the client does not learn of it.
			if r.node.failPoints.DropsAfterWrite(q.Executed) {
				return nil, call.ErrDrop
			}
		}
		return bson.AppendDocumentEnd(dst, start), nil
	}
}

// engineRequest returns the request as the engine takes it.
func (r *request) engineRequest(ctx context.Context, name string) *engine.Request {
	q := &engine.Request{
		Name: name, DB: r.DB, Body: r.Body, Sequences: r.Sequences, WireVersion: r.Wire, User: r.conn.owner().Digest(), Caller: r.conn,
		Interrupt: interrupt.New(ctx), Orphans: r.meetsOrphans(), Arrived: r.streamStart(),
		Observed: r.node.profiler.on.Load() > 0,
	}
	if r.Name == "getMore" {
		q.Limit = r.limit
	}
	if r.command.access == writes && r.session.IsRetryable() && r.node.failPoints.FailsWrites() {
		q.BeforeStatement = func() error { return r.node.failPoints.BeforeWrite().Act(r.sleeper(ctx)) }
	}
	if r.read.Named {
		q.ReadLevel = r.read.Level
	}
	return q
}

// chooseState sets the state that a read sees. A cursor and a transaction already have one, and a write uses the
// latest.
func (r *request) chooseState(ctx context.Context, q *engine.Request) (err error) {
	rc := &r.read
	if q.Txn != nil || r.command.access != reads || rc.Level == concern.Local && rc.After == 0 && !r.node.Lagging.Load() {
		return nil
	}
	if q.Snapshot, err = r.readState(ctx); err == nil && q.Snapshot != nil && rc.Level == concern.Snapshot {
		q.ReadTime = max(rc.At, q.Snapshot.Time())
	}
	return err
}

// failAt applies the fail points inside a command, before the command does anything.
func (r *request) failAt(ctx context.Context, name string) error {
	switch {
	case name == "getMore":
		r.node.closeIdleCursors()
		return r.labelStream(r.node.failPoints.OnGetMore().Act(r.sleeper(ctx)))
	}
	return nil
}

// labelStream adds a server's label for errors after which a change stream can resume.
func (r *request) labelStream(err error) error {
	e, ok := errors.AsType[*status.Error](err)
	id, _ := r.Field("getMore").AsInt64OK()
	if !ok || e.Labels != nil || !engine.Resumable(e.Code, r.Wire) || !r.node.engine.Cursors().Follows(id) {
		return err
	}
	labelled := *e
	labelled.Labels = []string{errcode.LabelResumableChangeStreamError}
	return &labelled
}

// afterWrite waits for the write concern. Other commands may use the session meanwhile.
func (r *request) afterWrite(ctx context.Context, dst []byte, at store.Timestamp) ([]byte, error) {
	if at == 0 {
		at = r.cluster.store.Latest().Time()
	}
	if r.command.onlyOK && r.write.IsUnacknowledged() {
		dst, _ = bson.AppendDocumentStart(dst[:0])
	}
	r.conn.operation.Load().write(false)
	r.session.Release()
	if err := r.awaitWriteConcern(ctx, at); err != nil {
		dst = r.appendWriteConcernError(dst, status.From(err))
	}
	return dst, nil
}

// endsWithClient reports whether a server stops the command when the client closes the connection. Writes run to their
// end.
func (r *request) endsWithClient() bool {
	return r.command.access != writes && (r.Name != "aggregate" || !engine.IsWrite(r.Body))
}
