package engine

import (
	"context"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// snapshot returns the state that the command reads.
func (e *Engine) snapshot(r *Request) *store.Snapshot {
	switch {
	case r.Txn != nil:
		return r.Txn.Snapshot()
	case r.Snapshot != nil:
		return r.Snapshot
	}
	return e.latestSnapshot()
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
			return r.stopped
		case !status.Is(err, errcode.WriteConflict):
			return err
		}
		select {
		case <-released:
		case <-ctx.Done():
			return endedError(ctx)
		}
	}
}

func (r *Request) origin() store.Origin {
	if r.Retry == nil && r.Txn == nil {
		return store.Origin{}
	}
	o := store.Origin{LSID: r.LSID, TxnNumber: r.TxnNumber, InTxn: r.Txn != nil}
	if o.InTxn {
		o.LSID = setField(r.LSID, "uid", value.Binary(0, r.User[:]))
	}
	return o
}
