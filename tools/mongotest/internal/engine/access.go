package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// access gives a pipeline the other collections, and the lists that the server keeps.
type access struct {
	e          *Engine
	r          *Request
	snap       *store.Snapshot
	scope      *expr.Scope
	collection string
	target     *store.Collection // the pipeline's collection, or the one under its view
	missing    bool
	onDatabase bool
	follows    *following // what $changeStream asks for
}

// Text finds the text index of a collection of the pipeline's state.
func (x *access) Text(db, name string) (*fulltext.Index, error) {
	return textIndex(x.snap.Collection(db, name), db+"."+name)()
}

// Open reads a collection or view.
func (x *access) Open(db, name string) (agg.Source, error) {
	f, err := query.Compile(value.EmptyDocument, query.Options{})
	if err != nil {
		return nil, err
	}
	return x.Find(db, name, f)
}

// Find reads the documents of a collection or view that match a query. Only a collection's indexes can help.
func (x *access) Find(db, name string, f *query.Filter) (agg.Source, error) {
	c := x.snap.Collection(db, name)
	if c != nil && c.IsView() {
		return x.view(c, f)
	}
	p, err := makePlan(c, f, nil, bson.RawValue{}, 0)
	if err != nil {
		return nil, err
	}
	s := &results{walk: p.matches(), limit: -1, meta: x.scope.Meta}
	return s.next, nil
}

func (x *access) view(v *store.Collection, f *query.Filter) (agg.Source, error) {
	c, stages, err := resolve(x.snap, v, value.ArrayOf(), 0)
	if err != nil {
		return nil, err
	}
	p, err := agg.Compile(stages, agg.Options{DB: v.DB, Scope: x.scope, Access: x})
	if err != nil {
		return nil, err
	}
	all, err := query.Compile(value.EmptyDocument, query.Options{})
	if err != nil {
		return nil, err
	}
	s := &results{walk: (&plan{c: c, filter: all, sorted: true}).matches(), limit: -1}
	in := p.Run(s.next)
	return func() (bson.Raw, error) {
		for {
			d, err := in()
			if d == nil || err != nil {
				return nil, err
			}
			if ok, err := f.Match(d); ok || err != nil {
				return d, err
			}
		}
	}, nil
}

// Initial runs the stages that make documents.
func (x *access) Initial(name string, spec bson.RawValue) ([]bson.Raw, bool, error) {
	d, _ := spec.DocumentOK()
	switch name {
	case "$listLocalSessions", "$listSessions":
		docs, err := x.listSessions(name, spec)
		return docs, true, err
	case "$shardedDataDistribution":
		docs, err := hook(x.e.hooks.Distribution, x.r, d)
		return docs, true, err
	case "$currentOp":
		docs, err := x.currentOp(spec)
		return docs, true, err
	case "$collStats":
		if x.missing {
			return nil, true, status.Errorf(errcode.NamespaceNotFound, "Collection [%s.%s] not found.", x.r.DB, x.collection)
		}
		docs, err := x.e.collStatsStage(x, d)
		return docs, true, err
	case "$planCacheStats", "$queryStats", "$querySettings", "$listSampledQueries":
		return nil, true, nil // nothing is collected
	case "$listClusterCatalog":
		return x.catalog(), true, nil
	case "$indexStats":
		return x.e.indexStats(x), true, nil
	case "$listSearchIndexes":
		if x.r.WireVersion < wire.Server70 {
			return nil, false, nil
		}
		if x.e.hooks.SearchIndexes != nil {
			docs, err := x.e.hooks.SearchIndexes(x.r, d)
			return docs, true, err
		}
		return nil, true, x.r.searchNotEnabled(6047401, "$listSearchIndexes stage is only allowed on MongoDB Atlas")
	case "$geoNear":
		docs, err := x.geoNear(d)
		return docs, true, err
	case "$changeStream":
		f, err := x.changeStream(spec)
		x.follows = f
		return nil, true, err
	}
	return nil, false, nil
}

// catalog is $listClusterCatalog. It lists what listCollections knows of the database's collections; on admin, of every
// database's.
func (x *access) catalog() (docs []bson.Raw) {
	databases := []string{x.r.DB}
	if x.r.DB == "admin" {
		databases = x.snap.Databases()
	}
	for _, db := range databases {
		for _, c := range x.snap.Collections(db) {
			d := describe(c)
			dst, start := bson.AppendDocumentStart(nil)
			dst = bson.AppendStringElement(dst, "ns", c.Namespace())
			dst = bson.AppendStringElement(dst, "db", db)
			for _, name := range [...]string{"type", "idIndex", "options", "info"} {
				if v := d.Lookup(name); !v.IsZero() {
					dst = bson.AppendRawValueElement(dst, name, v)
				}
			}
			docs = append(docs, bson.AppendDocumentEnd(bson.AppendBooleanElement(dst, "sharded", false), start))
		}
	}
	return docs
}

func hook(f func(*Request, bson.Raw) ([]bson.Raw, error), r *Request, spec bson.Raw) ([]bson.Raw, error) {
	if f == nil {
		return nil, nil
	}
	return f(r, spec)
}
