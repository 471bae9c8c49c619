package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/encrypted"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Request is one command and its surroundings.
type Request struct {
	Name        string // the command's name as in Command.Name
	DB          string
	Body        bson.Raw
	Sequences   map[string][]bson.Raw // kind 1 sections by identifier
	WireVersion int32

	Snapshot  *store.Snapshot // the state to read; nil means that every read takes the latest
	ReadLevel string          // the command's read concern level
	ReadTime  store.Timestamp // atClusterTime in the replies; 0 for none
	Txn       *store.Txn      // the open transaction, or nil
	User      UserDigest      // the user who sent the command
	LSID      bson.Raw        // owner of the cursors that the command opens, or nil
	Retry     *Retry          // executed statements of a retryable write, or nil
	TxnNumber int64
	Interrupt *interrupt.Check // stops the command; if nil, only waits can stop
	MayWrite  func() error     // called before a write, while no other write runs; nil allows it

	encryption []*encrypted.Schema // of the command's collections with encrypted fields

	done    map[int32]outcome // statements that count as executed once the write commits
	written store.Timestamp   // when the last of them committed, or the value before it

	// Applied is set by a command that wrote: the time of its last write. Executed says that a statement of a retryable
	// write took effect. A statement that an earlier try executed does not count.
	Applied  store.Timestamp
	Executed bool
}

// snapshot is the state that the command reads.
func (e *Engine) snapshot(r *Request) *store.Snapshot {
	switch {
	case r.Txn != nil:
		return r.Txn.Snapshot()
	case r.Snapshot != nil:
		return r.Snapshot
	}
	return e.latest()
}

// write runs f in the open transaction, or in a new one. A write that meets a document of an open transaction waits for
// that transaction to end and runs again. f must therefore be able to start over.
func (e *Engine) write(ctx context.Context, r *Request, f func(*store.Txn) error) error {
	if r.Txn != nil {
		r.Txn.Origin = r.origin()
		return f(r.Txn)
	}
	for {
		released := e.store.Released()
		ts, err := e.store.Update(func(tx *store.Txn) error {
			if r.MayWrite != nil {
				if err := r.MayWrite(); err != nil {
					return err
				}
			}
			tx.Origin = r.origin()
			r.done, r.written = nil, tx.Time()
			tx.OnCommit(r.commitRetry)
			return f(tx)
		})
		switch {
		case err == nil:
			r.Applied = ts
			return nil
		case !status.Is(err, errcode.WriteConflict):
			return err
		}
		select {
		case <-released:
		case <-ctx.Done():
			return expired(ctx)
		}
	}
}

func (r *Request) origin() store.Origin {
	if r.Retry == nil && r.Txn == nil {
		return store.Origin{}
	}
	o := store.Origin{LSID: r.LSID, TxnNumber: r.TxnNumber, InTxn: r.Txn != nil}
	if o.InTxn {
		o.LSID = withField(r.LSID, "uid", value.Binary(0, r.User[:]))
	}
	return o
}

// scope is the variables that the command's expressions may use.
func (e *Engine) scope(a *args, c *collate.Collator) (*expr.Scope, error) {
	s := &expr.Scope{Now: e.now(), Collation: c, WireVersion: a.wire, Interrupt: a.check, Scripts: e.scripts, Meta: &expr.Metadata{}}
	ts := e.store.Latest().Time()
	s.ClusterTime = value.Timestamp(ts.T(), ts.I())
	let := a.document("let")
	if len(let) <= 5 {
		return s, nil
	}
	vars := map[string]bson.RawValue{}
	for name, v := range let.All() {
		if err := expr.CheckVariable(name); err != nil {
			return nil, err
		}
		node, err := expr.Compile(v, s)
		if err != nil {
			return nil, err
		}
		got, err := node.Eval(value.EmptyDocument)
		if err != nil {
			return nil, err
		}
		vars[name] = got
		s = s.With(vars)
	}
	return s, nil
}

// expired turns the end of the context into the server's error.
func expired(ctx context.Context) error { return interrupt.Of(ctx) }

// id is the document's _id.
func id(doc bson.Raw) bson.RawValue { return path.Field(doc, "_id") }
