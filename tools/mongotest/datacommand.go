package mongotest

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// apiCommands are the data commands of Stable API version 1.
var apiCommands = map[string]bool{
	"aggregate": true, "bulkWrite": true, "collMod": true, "count": true, "create": true, "createIndexes": true,
	"createSearchIndexes": true, "delete": true, "drop": true, "dropDatabase": true, "dropIndexes": true,
	"dropSearchIndex": true, "explain": true, "find": true, "findAndModify": true, "getMore": true, "insert": true,
	"killCursors": true, "listCollections": true, "listDatabases": true, "listIndexes": true, "renameCollection": true,
	"update": true, "updateSearchIndex": true,
}

// unchecked are the commands that any member answers, whatever the read preference: a cursor is where it was opened.
var unchecked = map[string]bool{"getMore": true, "killCursors": true}

// statements are the commands that may run in a transaction, create and createIndexes from version 4.4 on.
var statements = map[string]bool{
	"aggregate": true, "bulkWrite": true, "create": true, "createIndexes": true, "delete": true, "distinct": true, "find": true,
	"findAndModify": true, "getMore": true, "insert": true, "killCursors": true, "update": true,
}

// dataCommands are the commands over documents, which the engine carries out.
func dataCommands() []command {
	var rows []command
	for _, c := range engine.Commands() {
		row := command{name: c.Name, since: c.Since, run: runData(c)}
		switch {
		case c.Write:
			row.traits = writes
		case !unchecked[c.Name]:
			row.traits = reads
		}
		if statements[c.Name] {
			row.traits |= inTxn
		}
		if apiCommands[c.Name] {
			row.traits |= apiV1
		}
		rows = append(rows, row)
		for _, alias := range c.Aliases {
			row.name = alias
			rows = append(rows, row)
		}
	}
	return rows
}

// runData runs a command of the engine, then waits for what the write concern asks for.
func runData(c engine.Command) func(*request) (bson.Raw, error) {
	return func(r *request) (bson.Raw, error) {
		if err := r.failAt(c); err != nil {
			return nil, err
		}
		ctx, cancel := r.timeLimit(c)
		defer cancel()
		level := ""
		if r.concerns.read.named {
			level = r.concerns.read.level
		}
		q := &engine.Request{
			Name: c.Name, DB: r.db, Body: r.body, Sequences: r.sequences, WireVersion: r.d.config.wireVersion,
			ReadLevel: level, User: r.owner().digest(),
		}
		if r.session != nil {
			q.LSID = r.session.id
			if r.session.txnNumber != nil {
				q.TxnNumber = *r.session.txnNumber
			}
			if r.isRetryable() {
				q.Retry = r.session.retry.Load()
			}
			if r.session.open != nil {
				q.Txn = r.session.open.txn
			}
		}
		if err := r.chooseState(ctx, c, q); err != nil {
			return nil, err
		}
		r.ownsReply = true
		dst, start := bson.AppendDocumentStart(make([]byte, 0, 320))
		dst, err := c.Run(r.node.engine, ctx, q, dst)
		if err != nil {
			return nil, err
		}
		if q.Txn == nil && (q.Applied != 0 || c.Write) {
			if dst, err = r.afterWrite(ctx, dst, q.Applied); err != nil {
				return nil, err
			}
		}
		return bson.AppendDocumentEnd(dst, start), nil
	}
}

// chooseState sets the state that a read sees. A cursor or a transaction has it already, and a write works on the latest.
func (r *request) chooseState(ctx context.Context, c engine.Command, q *engine.Request) (err error) {
	rc := &r.concerns.read
	if q.Txn != nil || c.Write || unchecked[c.Name] || rc.level == "local" && rc.after == 0 && r.node.behind.Load() == 0 {
		return nil
	}
	if q.Snapshot, err = r.readState(ctx); err == nil && q.Snapshot != nil && rc.level == "snapshot" {
		q.ReadTime = max(rc.at, q.Snapshot.Time())
	}
	return err
}

// timeLimit bounds a command by its maxTimeMS. That of a getMore is how long it waits, which the engine sees to.
func (r *request) timeLimit(c engine.Command) (context.Context, context.CancelFunc) {
	ms, ok := r.field("maxTimeMS").AsInt64OK()
	if !ok || ms <= 0 || c.Name == "getMore" {
		return r.ctx, func() {}
	}
	return context.WithTimeout(r.ctx, time.Duration(ms)*time.Millisecond)
}

// failAt lets the fail points act that stand inside a command, before it does anything.
func (r *request) failAt(c engine.Command) error {
	switch {
	case c.Name == "getMore":
		r.node.closeIdleCursors()
		if point := r.node.failPoints.take(failGetMoreAfterCursor, func(*failPoint) bool { return true }); point != nil {
			return r.labelStream(point.act(r))
		}
	case c.Write && r.isRetryable():
		points := &r.node.failPoints
		point := points.take(onTransactionalWrite, func(p *failPoint) bool { return p.errorCode != nil })
		if point != nil {
			return point.act(r)
		}
	}
	return nil
}

// labelStream adds to the error of a fail point what a server says of one that meets a change stream.
func (r *request) labelStream(err error) error {
	e, ok := errors.AsType[*status.Error](err)
	id, _ := r.field("getMore").AsInt64OK()
	if !ok || e.Labels != nil || !engine.Resumable(e.Code, r.d.config.wireVersion) || !r.node.engine.Cursors().Follows(id) {
		return err
	}
	labelled := *e
	labelled.Labels = []string{errcode.LabelResumableChangeStreamError}
	return &labelled
}

// isRetryable reports whether a write may be the retry of another, which the statements of a transaction are not.
func (r *request) isRetryable() bool {
	return r.session != nil && r.session.txnNumber != nil && !r.session.inTransaction
}

// plainWrites are the commands that answer nothing but ok when the write concern is {w: 0}.
var plainWrites = map[string]bool{"insert": true, "update": true, "delete": true}

// afterWrite waits for the write concern, while other commands may use the session, and drops the connection where a fail
// point asks for it: the write is done, and the client does not hear of it.
func (r *request) afterWrite(ctx context.Context, dst []byte, at store.Timestamp) ([]byte, error) {
	if at == 0 {
		at = r.d.data.store.Latest().Time()
	}
	if r.concerns.write.unacknowledged() && plainWrites[r.name] {
		dst, _ = bson.AppendDocumentStart(dst[:0]) // what the write did is not told
	}
	if r.session != nil && r.session.release != nil {
		r.session.release()
	}
	if err := r.awaitWriteConcern(ctx, at); err != nil {
		dst = r.appendWriteConcernError(dst, status.From(err))
	}
	if r.isRetryable() {
		drops := func(p *failPoint) bool { return p.errorCode == nil && p.closeConnection }
		if point := r.node.failPoints.take(onTransactionalWrite, drops); point != nil {
			return nil, errDrop
		}
	}
	return dst, nil
}
