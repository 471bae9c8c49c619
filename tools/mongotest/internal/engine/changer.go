package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/update"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// changer applies one update to documents and stores them. update and findAndModify share it.
type changer struct {
	engine   *Engine
	r        *Request
	target   *target
	name     string
	update   *update.Update
	stages   agg.Update // replaces update for a pipeline
	whole    bool       // the update replaces documents
	rewrites bool       // the last application counts as a change, even if the document is the same
	valid    *validator
	state    *writtenState // the entries that encrypted values add to the state collections
}

func (e *Engine) newChanger(r *Request, t *target, name string, st *args, u bson.RawValue, constants bson.Raw) (*changer, error) {
	ch := &changer{engine: e, r: r, target: t, name: name}
	filters, err := arrayFilters(st)
	if err != nil {
		return nil, err
	}
	if st.bool("upsert") && t.filter.UsesExpr() {
		return nil, status.Errorf(errcode.QueryFeatureNotAllowed, "$expr is not allowed in the query predicate for an upsert")
	}
	if u.Type == bsontype.Array {
		if len(filters) > 0 {
			return nil, status.Errorf(errcode.FailedToParse, "arrayFilters may not be specified for pipeline-syle updates")
		}
		scope := t.query.Scope
		for name, v := range constants.All() {
			scope = scope.With(map[string]bson.RawValue{name: v})
		}
		ch.stages, err = agg.CompileUpdate(u, scope)
		return ch, err
	}
	if constants.Len() > 0 {
		return nil, status.Errorf(51198, "Constant values may only be specified for pipeline updates")
	}
	d := bson.Raw(u.Value)
	ch.whole = update.IsReplacement(d)
	if ch.whole && r.WireVersion < wire.Server50 {
		if err := checkNoDollars(value.Document(d), 0); err != nil {
			return nil, err
		}
	}
	ch.update, err = update.Compile(d, update.Options{ArrayFilters: filters, Query: t.query})
	return ch, err
}

// apply computes the new version of a document as it is stored, and the change that the oplog records.
func (ch *changer) apply(tx *store.Txn, doc bson.Raw, position int, insert bool) (after, changed bson.Raw, err error) {
	ch.state = &writtenState{e: ch.engine, r: ch.r, tx: tx}
	after, changed, err = ch.compute(tx, doc, position, insert)
	schema := ch.r.schema(ch.r.DB, ch.name)
	if err != nil || schema == nil {
		return after, changed, err
	}
	before := doc
	if insert {
		before = nil
	}
	if after, err = schema.Change(before, after, ch.whole, ch.state); err != nil || insert || changed == nil {
		return after, nil, err
	}
	return after, diffForOplog(ch.r, doc, after), nil
}

// compute applies the update or pipeline.
func (ch *changer) compute(tx *store.Txn, doc bson.Raw, position int, insert bool) (after, changed bson.Raw, err error) {
	if ch.update == nil {
		if after, err = ch.stages.Apply(doc); err != nil {
			return nil, nil, err
		}
		ch.rewrites = string(after) != string(doc)
		if after, err = keepID(doc, after, insert); err != nil || insert {
			return after, nil, err
		}
		return after, diffForOplog(ch.r, doc, after), nil
	}
	ch.rewrites = !ch.update.Keeps(doc)
	return ch.update.ApplyLogged(update.Input{
		Doc: doc, Position: position, Insert: insert, Now: ch.engine.now(), Timestamp: (tx.Time() + 1).BSON(),
		KeepTimestamps: ch.r.now(tx) == bson.Timestamp{},
	})
}

// diffForOplog returns the difference that a pipeline made. It is nil if the oplog records the whole document, as it always does
// before 5.0.
func diffForOplog(r *Request, before, after bson.Raw) bson.Raw {
	if r.WireVersion < wire.Server50 || string(before) == string(after) {
		return nil
	}
	return diff.Between(before, after)
}

// keepID restores an _id that a pipeline removed, and refuses a changed one.
func keepID(before, after bson.Raw, insert bool) (bson.Raw, error) {
	old, now := id(before), id(after)
	switch {
	case old.Equal(now), old.IsZero() && insert, !old.IsZero() && !now.IsZero() && compare.Equal(old, now, nil):
		return after, nil
	case now.IsZero():
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendRawValueElement(dst, "_id", old)
		for key, v := range after.All() {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
		return bson.AppendDocumentEnd(dst, start), nil
	}
	return nil, status.Errorf(errcode.ImmutableField,
		"After applying the update, the (immutable) field '_id' was found to have been altered to _id: %s", status.TextOf(now))
}

// replace stores the new version of a record. It returns nil when nothing changes.
func (ch *changer) replace(tx *store.Txn, f found) (bson.Raw, error) {
	after, changed, err := ch.apply(tx, f.rec.Doc, f.position, false)
	if err != nil {
		return nil, err
	}
	if string(after) == string(f.rec.Doc) && !ch.rewrites {
		return nil, nil
	}
	if len(after) > documentMax {
		return nil, status.Errorf(17419, "Resulting document after update is larger than %d", documentMax)
	}
	if c := ch.target.c; c.Options.Capped && ch.r.WireVersion < wire.Server53 && len(after) != len(f.rec.Doc) {
		return nil, status.Errorf(errcode.CannotGrowDocumentInCappedNamespace,
			"Cannot change the size of a document in a capped collection: %d != %d", len(f.rec.Doc), len(after))
	}
	if err := ch.valid.check(f.rec.Doc, after); err != nil {
		return nil, err
	}
	if err := tx.Replace(ch.r.DB, ch.name, f.rec, after, changed); err != nil {
		return nil, err
	}
	return after, ch.state.flush()
}

// upsert inserts the document that the query and the update describe.
func (ch *changer) upsert(tx *store.Txn) (bson.Raw, error) {
	c, err := ch.engine.ensureCollection(tx, ch.r, ch.r.DB, ch.name)
	if err != nil {
		return nil, err
	}
	base, err := ch.seedDocument()
	if err != nil {
		return nil, err
	}
	doc, _, err := ch.apply(tx, base, -1, true)
	if err != nil {
		return nil, err
	}
	now := ch.r.now(tx)
	if ch.update == nil {
		now = bson.Timestamp{} // what a pipeline computes is stored as it is
	}
	if doc, err = prepare(doc, max(ch.r.WireVersion, wire.Server50), now); err != nil {
		return nil, err
	}
	if err := checkMeasurement(c, doc); err != nil {
		return nil, err
	}
	if err := ch.valid.check(nil, doc); err != nil {
		return nil, err
	}
	if err := tx.Insert(c.DB, c.Name, doc); err != nil {
		return nil, err
	}
	return doc, ch.state.flush()
}

// seedDocument returns the document that the query's equalities make. For a replacement it has only the _id.
func (ch *changer) seedDocument() (bson.Raw, error) {
	doc, err := update.Seed(ch.target.filter.Equalities(), ch.whole)
	if err != nil || path.Field(doc, "_id").IsZero() {
		return doc, err
	}
	return prepare(doc, wire.Server80, bson.Timestamp{})
}

// arrayFilters returns the documents of the argument.
func arrayFilters(st *args) ([]bson.Raw, error) {
	var out []bson.Raw
	for _, v := range value.Elements(st.get("arrayFilters")) {
		if v.Type != bsontype.EmbeddedDocument {
			return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'arrayFilters' must hold objects, found %s", v.Type)
		}
		out = append(out, bson.Raw(v.Value))
	}
	return out, nil
}
