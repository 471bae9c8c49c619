// The command insert: adds documents and creates a missing collection.
//
// Left out: all documents of a command become visible together. A server commits them in groups.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var insertFields = []field{
	{"documents", 0, array | required}, {"ordered", 0, flag}, {"bypassDocumentValidation", 0, boolean}, {"stmtId", 0, integer},
	{"stmtIds", 0, array}, {"collectionUUID", wire.Server60, uuid}, {"encryptionInformation", wire.Server60, document},
	{"bypassEmptyTsReplacement", wire.Server50, boolean},
}

func (e *Engine) insert(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(insertFields)
	if err != nil {
		return nil, err
	}
	docs, err := r.documents(a, "documents")
	if err != nil {
		return nil, err
	}
	if err := a.checkBatch(len(docs)); err != nil {
		return nil, err
	}
	var b *batch
	var n int32
	err = e.write(ctx, r, func(tx *store.Txn) error {
		b, n = &batch{ordered: a.boolOr("ordered", true)}, 0
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		if b.retried = r.allExecuted(a, len(docs)); b.retried != nil {
			n = int32(len(docs))
			return nil // the collection may be gone since then
		}
		to, unpacked, err := unpackAll(tx, r.DB, name, docs)
		if err != nil {
			return err
		}
		c, err := e.ensureCollection(tx, r, r.DB, to)
		if err != nil {
			return err
		}
		v, err := validatorOf(c, r, a)
		if err != nil {
			return err
		}
		n, err = b.insert(ctx, e, tx, r, a, c, v, unpacked)
		if to != name && b.errors == 0 {
			n = int32(len(docs)) // buckets count, not the measurements in them
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	dst = bson.AppendInt32Element(dst, "n", n)
	return b.append(r, dst), nil
}

// insert stores the documents of a batch and returns their number. An ordered batch ends at the first error.
func (b *batch) insert(ctx context.Context, e *Engine, tx *store.Txn, r *Request, a *args, c *store.Collection, v *validator,
	docs []bson.Raw) (n int32, err error) {
	group := newVector(tx, r, c)
	defer group.end()
	for i, doc := range docs {
		if i&1023 == 1023 {
			if err := endedError(ctx); err != nil {
				return n, err
			}
		}
		statement := statementID(a, i)
		if _, done := r.findExecuted(statement); done {
			b.retried = append(b.retried, statement)
			n++
			continue
		}
		if err := r.begin(tx, statement); err != nil {
			return n, settle(err)
		}
		group.add(len(doc))
		if err := e.insertOne(tx, r, c, v, doc); err != nil {
			group.mixed = true
			if err := b.fail(r, i, err); err != nil {
				return n, settle(err)
			}
			continue
		}
		r.remember(statement, outcome{at: tx.Time(), matched: 1})
		n++
	}
	return n, nil
}

// insertOne prepares, checks and stores one document.
func (e *Engine) insertOne(tx *store.Txn, r *Request, c *store.Collection, v *validator, doc bson.Raw) error {
	doc, err := prepare(doc, r.WireVersion, r.now(tx))
	if err != nil {
		return err
	}
	if err := checkMeasurement(c, doc); err != nil {
		return err
	}
	if s := seriesOf(c); s != nil {
		doc = s.arrange(doc)
	}
	state := &writtenState{e: e, r: r, tx: tx}
	if s := r.schema(c.DB, c.Name); s != nil {
		if doc, err = s.Insert(doc, state); err != nil {
			return err
		}
	}
	if err := v.check(nil, doc); err != nil {
		return err
	}
	if err := tx.Insert(c.DB, c.Name, doc); err != nil {
		return err
	}
	return state.flush()
}
