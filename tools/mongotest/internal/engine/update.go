// The command update: changes, replaces or upserts documents. Each statement updates the first match or, with multi,
// all.
//
// Left out: shard keys and sampleId, which is ignored. The values of an update that matches no document are not
// counted.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var updateFields = []field{
	{"updates", 0, array | required}, {"ordered", 0, flag}, {"bypassDocumentValidation", 0, boolean}, {"let", wire.Server50, document},
	{"stmtId", 0, integer}, {"stmtIds", 0, array},
	{"collectionUUID", wire.Server60, uuid}, {"encryptionInformation", wire.Server60, document},
	{"runtimeConstants", 0, document},
	{"bypassEmptyTsReplacement", wire.Server50, boolean},
}

var updateStatement = []field{
	{"q", 0, document | required}, {"u", 0, updating | required}, {"c", 0, document}, {"multi", 0, flag}, {"upsert", 0, flag},
	{"collation", 0, document}, {"arrayFilters", 0, array}, {"hint", 0, hint}, {"sort", wire.Server80, document},
	{"upsertSupplied", 0, flag}, {"sampleId", wire.Server60, uuid}, {"allowShardKeyUpdatesWithoutFullShardKeyInQuery", wire.Server70, flag},
}

func (e *Engine) update(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(updateFields)
	if err != nil {
		return nil, err
	}
	statements, err := r.readStatements(a, "updates", updateStatement)
	if err != nil {
		return nil, err
	}
	if err := checkPipelines(statements); err != nil {
		return nil, err
	}
	var b *batch
	var total outcome
	var upserted []byte
	var upserts int
	err = e.write(ctx, r, func(tx *store.Txn) error {
		b, total, upserted, upserts = &batch{ordered: a.boolOr("ordered", true)}, outcome{}, nil, 0
		r.Outcomes = nil
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		for i, st := range statements {
			o, err := e.updateOnce(ctx, tx, r, name, a, st, statementID(a, i), b)
			r.observe(o, err)
			total.matched += o.matched
			total.modified += o.modified
			if !o.upserted.IsZero() {
				upserted, upserts = appendUpserted(upserted, upserts, i, o.upserted), upserts+1
			}
			if err == errEndOfBatch {
				return nil
			}
			if err != nil {
				if err := b.fail(r, i, err); err != nil {
					return settle(err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	dst = bson.AppendInt32Element(dst, "n", int32(total.matched))
	dst = bson.AppendInt32Element(dst, "nModified", int32(total.modified))
	if upserts > 0 {
		var start int
		dst, start = bson.AppendArrayElementStart(dst, "upserted")
		dst = bson.AppendDocumentEnd(append(dst, upserted...), start)
	}
	return b.append(r, dst), nil
}

// checkPipelines refuses unknown stages in the pipelines of statements.
func checkPipelines(statements []*args) error {
	for _, st := range statements {
		if u := st.get("u"); u.Type == bsontype.Array {
			if err := agg.CheckUpdate(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// updateOnce runs a statement unless an earlier try of the command executed it.
func (e *Engine) updateOnce(ctx context.Context, tx *store.Txn, r *Request, name string, a, st *args, id int32,
	b *batch) (outcome, error) {
	if o, done := r.findExecuted(id); done {
		b.retried = append(b.retried, id)
		return o, nil
	}
	if err := r.begin(tx, id); err != nil {
		return outcome{}, err
	}
	o, err := e.updateStatement(ctx, tx, r, name, a, st)
	if err == nil {
		o.at = tx.Time()
		r.remember(id, o)
	}
	return o, err
}

func appendUpserted(dst []byte, at, index int, id bson.RawValue) []byte {
	doc, start := bson.AppendDocumentStart(nil)
	doc = bson.AppendInt32Element(doc, "index", int32(index))
	doc = bson.AppendRawValueElement(doc, "_id", id)
	doc = bson.AppendDocumentEnd(doc, start)
	dst = bson.AppendArrayIndexHeader(dst, documentType, at)
	return append(dst, doc...)
}

// updateStatement runs one statement. Its writes before an error count.
func (e *Engine) updateStatement(ctx context.Context, tx *store.Txn, r *Request, name string, a, st *args) (outcome, error) {
	t, err := e.newTarget(tx, r.DB, name, a, st, "q")
	if err != nil {
		return outcome{}, err
	}
	multi := st.bool("multi")
	if err := r.checkMulti(multi); err != nil {
		return outcome{}, err
	}
	if err := r.checkSeriesUpdate(t.c, st); err != nil {
		return outcome{}, err
	}
	ch, err := e.newChanger(r, t, name, st, st.get("u"), st.document("c"))
	if err != nil {
		return outcome{}, err
	}
	if multi && ch.whole {
		return outcome{}, status.Errorf(errcode.FailedToParse, "multi update is not supported for replacement-style update")
	}
	if multi && st.has("sort") {
		return outcome{}, status.Errorf(errcode.FailedToParse, "Cannot specify sort with multi=true")
	}
	if ch.valid, err = validatorOf(t.c, r, a); err != nil {
		return outcome{}, err
	}
	var o outcome
	records := t.records()
	for {
		if err := endedError(ctx); err != nil {
			return o, err
		}
		f, ok, err := records.nextRaw()
		if err != nil {
			return o, err
		}
		if !ok {
			break
		}
		o.matched++
		after, err := ch.replace(tx, f)
		if err != nil {
			o.matched--
			return o, err
		}
		if after != nil {
			o.modified++
		}
		if !multi {
			break
		}
	}
	if o.matched > 0 || !st.bool("upsert") {
		return o, nil
	}
	doc, err := ch.upsert(tx)
	if err != nil {
		return o, err
	}
	return outcome{matched: 1, upserted: id(doc)}, nil
}
