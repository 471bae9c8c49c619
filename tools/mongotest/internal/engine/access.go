package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
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
	follows    *streamSpec // what $changeStream asks for
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
		return x.openView(c, f)
	}
	p, err := makePlan(c, f, nil, bson.RawValue{}, 0)
	if err != nil {
		return nil, err
	}
	s := &results{walk: p.newMatches(), limit: -1, meta: x.scope.Meta}
	return s.next, nil
}

func (x *access) openView(v *store.Collection, f *query.Filter) (agg.Source, error) {
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
	s := &results{walk: (&plan{c: c, filter: all, sorted: true}).newMatches(), limit: -1}
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

func callHook(f func(*Request, bson.Raw) ([]bson.Raw, error), r *Request, spec bson.Raw) ([]bson.Raw, error) {
	if f == nil {
		return nil, nil
	}
	return f(r, spec)
}
