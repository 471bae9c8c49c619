package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// writeOutput writes the pipeline's results for $out or $merge.
func (e *Engine) writeOutput(ctx context.Context, r *Request, a *args, out *agg.Output, in agg.Source) error {
	if r.Txn != nil {
		return status.Errorf(errcode.OperationNotSupportedInTransaction, "$out and $merge cannot be used in a transaction")
	}
	docs, err := agg.Drain(in)
	if err != nil {
		return err
	}
	if err := checkName(out.DB, out.Name); err != nil {
		return err
	}
	var failed error
	err = e.write(ctx, r, func(tx *store.Txn) error {
		if c := tx.Collection(out.DB, out.Name); c != nil && !out.Merge {
			if c.Options.Capped {
				return status.Errorf(17152, "namespace '%s' is capped so it can't be used for $out", c.Namespace())
			}
		}
		c, err := e.ensureCollection(tx, r, out.DB, out.Name)
		if err != nil {
			return err
		}
		v, err := validatorOf(c, r, a)
		if err != nil {
			return err
		}
		if out.Merge {
			failed, err = e.merge(tx, r, c, v, out, docs)
			return err
		}
		return e.replaceAll(tx, r, c, v, docs)
	})
	return cmp.Or(err, failed)
}

// replaceAll is $out: the collection keeps its options and indexes, and the new documents replace all others.
func (e *Engine) replaceAll(tx *store.Txn, r *Request, c *store.Collection, v *validator, docs []bson.Raw) error {
	old := tx.Snapshot().Collection(c.DB, c.Name).Scan(0)
	for rec := old.Next(); rec != nil; rec = old.Next() {
		if err := tx.Delete(c.DB, c.Name, rec); err != nil {
			return err
		}
	}
	for _, d := range docs {
		if err := e.insertOne(tx, r, c, v, d); err != nil {
			return err
		}
	}
	return nil
}

// merge is $merge. Its writes are unordered: the first that fails is reported, and the others stay. Before the first write it
// checks that every document has the fields that it is matched by.
func (e *Engine) merge(
	tx *store.Txn, r *Request, c *store.Collection, v *validator, out *agg.Output, docs []bson.Raw,
) (failed, err error) {
	if err := checkMergeKey(c, out.On); err != nil {
		return nil, err
	}
	prepared := make([]bson.Raw, len(docs))
	for i, d := range docs {
		if prepared[i], err = prepare(d, r.WireVersion, tx.Time().BSON()); err != nil {
			return nil, err
		}
		// A document without _id gets one when it is inserted or matched by _id. A matched document keeps its own.
		if slices.Contains(out.On, "_id") {
			docs[i] = prepared[i]
		}
		if _, err := out.Query(docs[i]); err != nil {
			return nil, err
		}
	}
	for i, d := range docs {
		failed = cmp.Or(failed, e.mergeOne(tx, r, c, v, out, d, prepared[i]))
	}
	return failed, nil
}

// mergeOne writes one document. prepared is what is inserted if it matches no other.
func (e *Engine) mergeOne(
	tx *store.Txn, r *Request, c *store.Collection, v *validator, out *agg.Output, d, prepared bson.Raw,
) error {
	rec, err := findOn(tx.Snapshot().Collection(c.DB, c.Name), out, d)
	if err != nil {
		return err
	}
	if rec == nil {
		switch out.Unmatched {
		case "fail":
			return status.Errorf(errcode.MergeStageNoMatchingDocument,
				"$merge could not find a matching document in the target collection for at least one document in the source collection")
		case "insert":
			return e.insertOne(tx, r, c, v, prepared)
		}
		return nil
	}
	after, err := out.Combine(rec.Doc, d)
	if err != nil || after == nil || string(after) == string(rec.Doc) {
		return err
	}
	if after, err = keepID(rec.Doc, after, false); err != nil {
		e := *status.From(err)
		e.Message = "$merge failed to update the matching document, did you attempt to modify the _id or the shard key? " +
			":: caused by :: " + e.Message
		return &e
	}
	if err := v.check(rec.Doc, after); err != nil {
		return err
	}
	var changed bson.Raw
	if out.Matched != "replace" {
		changed = diffForOplog(r, rec.Doc, after)
	}
	return tx.Replace(c.DB, c.Name, rec, after, changed)
}

// checkMergeKey checks that the fields of $merge's on have a unique index.
func checkMergeKey(c *store.Collection, on []string) error {
	for _, x := range c.Indexes() {
		if (!x.Unique && x.Name != "_id_") || len(x.Fields) != len(on) || x.Partial != nil {
			continue
		}
		n := 0
		for _, f := range x.Fields {
			for _, name := range on {
				if f.Name == name {
					n++
				}
			}
		}
		if n == len(on) {
			return nil
		}
	}
	return status.Errorf(51183, "Cannot find index to verify that join fields will be unique")
}

// findOn finds the document with the same values in the fields of $merge's on.
func findOn(c *store.Collection, out *agg.Output, doc bson.Raw) (*store.Record, error) {
	q, err := out.Query(doc)
	if err != nil {
		return nil, err
	}
	f, err := query.Compile(q, query.Options{})
	if err != nil {
		return nil, err
	}
	p, err := makePlan(c, f, nil, bson.RawValue{}, 0)
	if err != nil {
		return nil, err
	}
	return p.newMatches().next()
}
