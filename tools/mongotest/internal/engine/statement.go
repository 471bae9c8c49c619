package engine

import (
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// readStatements reads the elements of updates or deletes.
func (r *Request) readStatements(a *args, name string, fields []field) ([]*args, error) {
	docs, err := r.documents(a, name)
	if err != nil {
		return nil, err
	}
	if err := a.checkBatch(len(docs)); err != nil {
		return nil, err
	}
	list := make([]*args, len(docs))
	for i, d := range docs {
		if list[i], err = r.parseStatement(r.Name+"."+name, d, fields); err != nil {
			return nil, err
		}
		// A fraction is not truncated, and a value that is not a number counts as zero.
		if n := number.Float64(list[i].get("limit")); n != 0 && n != 1 {
			return nil, status.Errorf(errcode.FailedToParse, "The limit field in delete objects must be 0 or 1. Got %g", n)
		}
	}
	return list, nil
}

// target is the collection that a write statement works on, and the plan that finds its documents.
type target struct {
	c      *store.Collection
	filter *query.Filter
	plan   *plan
	order  *order.Order // nil when the plan already has the order
	query  query.Options
	meta   *expr.Metadata
}

// newTarget compiles the query of a write statement. st has the statement's arguments, and a has let.
func (e *Engine) newTarget(tx *store.Txn, db, name string, a, st *args, q string) (*target, error) {
	t := &target{c: tx.Snapshot().Collection(db, name)}
	if err := checkNotView(t.c); err != nil {
		return nil, err
	}
	if strings.HasPrefix(name, store.BucketsPrefix) && t.c != nil {
		return nil, status.Errorf(errcode.InvalidNamespace, "mongotest changes no buckets: write to the time series of %s.%s", db, name)
	}
	col, err := collation(st, t.c)
	if err != nil {
		return nil, err
	}
	scope, err := e.scope(a, col)
	if err != nil {
		return nil, err
	}
	t.query = query.Options{Collation: col, Scope: scope}
	searching := t.query
	searching.Text = textIndex(t.c, db+"."+name)
	d := st.document(q)
	if d == nil {
		d = value.EmptyDocument
	}
	if t.filter, err = query.Compile(d, searching); err != nil {
		return nil, err
	}
	sort, natural, err := readSort(st.document("sort"), scope.Wire(), col, scope.Meta)
	if err != nil {
		return nil, err
	}
	if err := checkMeta(scope.Meta, t.filter, sort); err != nil {
		return nil, err
	}
	t.meta = scope.Meta
	if t.plan, err = makePlan(t.c, t.filter, sort, st.get("hint"), natural); err != nil {
		return nil, err
	}
	if !t.plan.sorted {
		t.order = sort
	}
	return t, nil
}

// records yields the target's records in the requested order.
func (t *target) records() *results {
	return &results{walk: t.plan.newMatches(), order: t.order, limit: -1, meta: t.meta}
}
