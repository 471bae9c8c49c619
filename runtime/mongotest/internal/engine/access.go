package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/agg"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// access gives a pipeline the other collections and the server's lists.
type access struct {
	e          *Engine
	r          *Request
	snap       *store.Snapshot
	scope      *expr.Scope
	collection string
	missing    bool
}

// Open reads a collection or view.
func (x *access) Open(db, name string) (agg.Source, error) {
	c := x.snap.Collection(db, name)
	stages := value.ArrayOf()
	if c != nil && c.IsView() {
		var err error
		if c, stages, err = resolve(x.snap, c, stages, 0); err != nil {
			return nil, err
		}
	}
	f, err := query.Compile(value.EmptyDocument, query.Options{})
	if err != nil {
		return nil, err
	}
	p, err := agg.Compile(stages, agg.Options{DB: db, Scope: x.scope, Access: x})
	if err != nil {
		return nil, err
	}
	s := &results{walk: (&plan{c: c, filter: f, sorted: true}).matches(), limit: -1}
	return p.Run(s.next), nil
}

// Initial runs the stages that make documents.
func (x *access) Initial(name string, spec bson.RawValue) ([]bson.Raw, bool, error) {
	d, _ := spec.DocumentOK()
	switch name {
	case "$listLocalSessions", "$listSessions":
		docs, err := hook(x.e.hooks.LocalSessions, x.r, d)
		return docs, true, err
	case "$currentOp":
		if x.r.DB != "admin" {
			return nil, true, status.Errorf(errcode.InvalidNamespace, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
		}
		docs, err := hook(x.e.hooks.CurrentOp, x.r, d)
		return docs, true, err
	case "$collStats":
		if x.missing {
			return nil, true, status.Errorf(errcode.NamespaceNotFound, "Collection [%s.%s] not found.", x.r.DB, x.collection)
		}
		docs, err := x.e.collStatsStage(x, d)
		return docs, true, err
	case "$indexStats":
		return x.e.indexStats(x), true, nil
	case "$listSearchIndexes":
		return nil, true, searchNotEnabled("$listSearchIndexes stage")
	case "$changeStream":
		return nil, true, status.Errorf(40573, "The $changeStream stage is only supported on replica sets")
	}
	return nil, false, nil
}

func hook(f func(*Request, bson.Raw) ([]bson.Raw, error), r *Request, spec bson.Raw) ([]bson.Raw, error) {
	if f == nil {
		return nil, nil
	}
	return f(r, spec)
}
