package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// collation returns the command's collation, or else the collection's.
func collation(a *args, c *store.Collection) (*collate.Collator, error) {
	spec := a.document("collation")
	if len(spec) <= 5 && c != nil && c.Options.Document != nil {
		spec, _ = c.Options.Document.Lookup("collation").DocumentOK()
	}
	return collate.New(spec)
}

// compileFilter compiles the query in an argument.
func (e *Engine) compileFilter(a *args, c *store.Collection, name string) (*query.Filter, error) {
	col, err := collation(a, c)
	if err != nil {
		return nil, err
	}
	scope, err := e.scope(a, col)
	if err != nil {
		return nil, err
	}
	q := a.document(name)
	if q == nil {
		q = value.EmptyDocument
	}
	return query.Compile(q, query.Options{Collation: col, Scope: scope, Text: textIndex(c, a.ns)})
}

// compileFind compiles a find into a source.
func (e *Engine) compileFind(a *args, c *store.Collection) (*results, error) {
	f, err := e.compileFilter(a, c, "filter")
	if err != nil {
		return nil, err
	}
	s := &results{skip: a.int("skip"), limit: -1}
	if n := a.int("limit"); n > 0 {
		s.limit = n
	}
	scope, err := e.scope(a, f.Collation())
	if err != nil {
		return nil, err
	}
	s.meta, scope.Meta.Once = scope.Meta, true
	sort, natural, err := readSort(a.document("sort"), scope.Wire(), f.Collation(), scope.Meta)
	if err != nil {
		return nil, err
	}
	if d := a.document("projection"); len(d) > 5 {
		if s.projection, err = project.Compile(d, project.Options{Filter: f, Scope: scope}); err != nil {
			return nil, err
		}
	}
	if err := checkMeta(scope.Meta, f, sort); err != nil {
		return nil, err
	}
	if scope.Meta.Wants(expr.SortKey) && sort == nil {
		return nil, status.Errorf(errcode.BadValue, "cannot use sortKey $meta projection without a sort")
	}
	p, err := makePlan(c, f, sort, a.get("hint"), natural)
	if err != nil {
		return nil, err
	}
	if err := p.setBounds(a.document("min"), a.document("max")); err != nil {
		return nil, err
	}
	if s.placed = a.bool("showRecordId"); a.bool("returnKey") {
		s.placed = false // returnKey drops the record id
		if s.keyed, err = p.keyMaker(); err != nil {
			return nil, err
		}
	}
	s.walk, s.sortKey = p.newMatches(), sort
	if !p.sorted {
		s.order = sort
	}
	return s, nil
}

// readSort reads a sort document; {$natural: 1} gives a direction instead.
func readSort(d bson.Raw, version int32, c *collate.Collator, m *expr.Metadata) (o *order.Order, natural int, err error) {
	if len(d) <= 5 {
		return nil, 0, nil
	}
	if v := path.Field(d, "$natural"); !v.IsZero() {
		if n, ok := number.ExactInt64(v); ok && (n == 1 || n == -1) && d.Len() == 1 {
			return nil, int(n), nil
		}
		return nil, 0, status.Errorf(errcode.BadValue, "$natural sort cannot be set to a value other than -1 or 1.")
	}
	if err := order.CheckDuplicates(d, version); err != nil {
		return nil, 0, err
	}
	o, err = order.ParseMeta(d, c, m.Of)
	return o, 0, err
}
