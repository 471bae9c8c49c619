// The command delete: removes documents. Each statement removes all matches or the first.
//
// Left out: sampleId is ignored.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var deleteFields = []field{
	{"deletes", 0, array | required}, {"ordered", 0, flag}, {"let", wire.Server50, document}, {"stmtId", 0, integer}, {"stmtIds", 0, array},
	{"collectionUUID", wire.Server60, uuid}, {"encryptionInformation", wire.Server60, document}, {"bypassDocumentValidation", 0, boolean},
	{"bypassEmptyTsReplacement", wire.Server50, boolean}, {"runtimeConstants", 0, document},
}

var deleteStatement = []field{
	{"q", 0, document | required}, {"limit", 0, anything | required}, {"collation", 0, document}, {"hint", wire.Server44, hint},
	{"sampleId", wire.Server60, uuid},
}

func (e *Engine) delete(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(deleteFields)
	if err != nil {
		return nil, err
	}
	statements, err := r.readStatements(a, "deletes", deleteStatement)
	if err != nil {
		return nil, err
	}
	var b *batch
	var n int64
	err = e.write(ctx, r, func(tx *store.Txn) error {
		b, n = &batch{ordered: a.boolOr("ordered", true)}, 0
		r.Outcomes = nil
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		for i, st := range statements {
			statement := statementID(a, i)
			if o, done := r.findExecuted(statement); done {
				b.retried = append(b.retried, statement)
				n += o.matched
				r.observe(o, nil)
				continue
			}
			if err := r.begin(tx, statement); err != nil {
				return settle(err)
			}
			deleted, err := e.deleteStatement(ctx, tx, r, name, a, st)
			n += deleted
			r.observe(outcome{matched: deleted}, err)
			if err != nil {
				if err := b.fail(r, i, err); err != nil {
					return settle(err)
				}
				continue
			}
			r.remember(statement, outcome{at: tx.Time(), matched: deleted})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	dst = bson.AppendInt32Element(dst, "n", int32(n))
	return b.append(r, dst), nil
}

func (e *Engine) deleteStatement(ctx context.Context, tx *store.Txn, r *Request, name string, a, st *args) (int64, error) {
	limit := st.int("limit")
	if err := r.checkMulti(limit == 0); err != nil {
		return 0, err
	}
	t, err := e.newTarget(tx, r.DB, name, a, st, "q")
	if err != nil || t.c == nil {
		return 0, err
	}
	if err := r.checkRemovable(t.c); err != nil {
		return 0, err
	}
	if err := r.checkSeriesDelete(t.c, documentOrEmpty(st.document("q")), limit); err != nil {
		return 0, err
	}
	n := int64(0)
	w := t.plan.newMatches()
	for {
		if err := endedError(ctx); err != nil {
			return n, err
		}
		rec, err := w.next()
		if rec == nil || err != nil {
			return n, err
		}
		if err := tx.Delete(r.DB, name, rec); err != nil {
			return n, err
		}
		if n++; limit == 1 {
			return n, nil
		}
	}
}

// checkRemovable refuses deletes from a capped collection. Servers before 5.0 always refuse them; later ones only in a
// transaction.
func (r *Request) checkRemovable(c *store.Collection) error {
	switch {
	case !c.Options.Capped:
		return nil
	case r.WireVersion < wire.Server50:
		return status.Errorf(errcode.IllegalOperation, "cannot remove from a capped collection: %s", c.Namespace())
	case r.Txn != nil:
		return status.Errorf(errcode.IllegalOperation,
			"Cannot remove from a capped collection in a multi-document transaction: %s", c.Namespace())
	}
	return nil
}
