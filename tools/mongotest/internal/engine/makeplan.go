package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// makePlan chooses an index by the fields that it fixes and the order that it provides. natural is the direction of a
// $natural hint or sort, or zero.
func makePlan(c *store.Collection, f *query.Filter, o *order.Order, hint bson.RawValue, natural int) (*plan, error) {
	p := &plan{c: c, filter: f, sorted: o == nil, back: natural < 0}
	if p.near = f.Near(); p.near != nil && c != nil {
		p.hinted = geoIndex(c, p.near)
		if p.hinted == nil {
			return nil, status.Errorf(errcode.NoQueryExecutionPlans,
				"error processing query: ns=%s planner returned error :: caused by :: unable to find index for $geoNear query",
				c.Namespace())
		}
		return p, nil
	}
	if f.Text() != nil && c != nil {
		return p, p.planText(hint)
	}
	if natural != 0 {
		return p, nil
	}
	hinted, err := findHint(c, hint)
	if err != nil {
		return nil, err
	}
	p.hinted = hinted
	if hinted == nil && hint.Type == bsontype.EmbeddedDocument && !value.IsNullish(path.Field(bson.Raw(hint.Value), "$natural")) {
		n, _ := number.TruncateInt64(path.Field(bson.Raw(hint.Value), "$natural"))
		p.back = n < 0
		return p, nil
	}
	if id, ok := f.ID(); ok && hinted == nil && c != nil && len(c.Indexes()) > 0 && c.Indexes()[0].Collation == nil &&
		c.Indexes()[0].Name == idName {
		p.byID, p.single, p.sorted = true, c.FindID(id), true
		return p, nil
	}
	if p.choose(o); p.index == nil || !p.bounds.isBounded() && o == nil {
		p.planBranches()
	}
	if p.index == nil && p.branches == nil {
		p.shapes = p.regionIndex()
	}
	return p, nil
}

// choose takes the best index for the plan's query, or the hinted one.
func (p *plan) choose(o *order.Order) {
	constraints := p.filter.Constraints()
	score := 0
	for _, x := range p.candidates(constraints) {
		if p.hinted != nil && x.Name != p.hinted.Name || p.hinted == nil && (x.Hidden || !covers(x, constraints, p.filter.Collation())) {
			continue
		}
		b := boundIndex(x, p.conditions(x), p.filter)
		back, sorted := hasOrder(x, b.fixed, o, p.filter.Collation())
		if sorted = sorted && !x.Multikey; sorted {
			b.score += 2
		}
		if p.hinted == nil && (b.score <= score || !b.isBounded() && x.Sparse) {
			continue // a sparse index lacks documents that the query may match
		}
		score = b.score
		p.bounds, p.index, p.ranges, p.sorted, p.back = b, x, b.ranges(), o == nil || sorted, sorted && back
	}
}

// candidates returns the indexes that a plan may use: the ordered ones, and the wildcard indexes for each path of the
// query.
func (p *plan) candidates(constraints []query.Constraint) (list []*store.Index) {
	for _, x := range p.c.Indexes() {
		w, ok := x.Maker.(*wildcardKeys)
		if !ok {
			if !x.Opaque {
				list = append(list, x)
			}
			continue
		}
		var done []string
		for _, c := range constraints {
			if w.covers(c.Path) && !slices.Contains(done, c.Path) && !slices.ContainsFunc(strings.Split(c.Path, "."), path.IsIndex) {
				done = append(done, c.Path)
				along := x.AlongPath(c.Path, w.fieldsAlong(c.Path))
				if b := boundIndex(along, p.conditions(along), p.filter); b.fields[w.at+1] != nil {
					list = append(list, along)
				}
			}
		}
	}
	return list
}

// planBranches finds an index for every branch of the query's $or; the documents come branch by branch.
func (p *plan) planBranches() bool {
	if p.hinted != nil {
		return false
	}
	var plans []*plan
	for _, f := range p.filter.Branches() {
		b := &plan{c: p.c, filter: f, sorted: true}
		if f.Text() != nil && f.TextAlways() {
			if b.planText(bson.RawValue{}) != nil {
				return false
			}
		} else if b.choose(nil); b.index == nil || !b.bounds.isBounded() {
			if b.index, b.shapes = nil, b.regionIndex(); b.shapes == nil {
				return false
			}
		}
		plans = append(plans, b)
	}
	if len(plans) == 0 {
		return false
	}
	p.branches, p.index, p.ranges = plans, nil, nil
	return true
}

// planText plans a query with $text, which uses the text index.
func (p *plan) planText(hint bson.RawValue) error {
	fail := func(code errcode.Code, why string) error {
		return status.Errorf(code, "error processing query: ns=%s planner returned error :: caused by :: %s", p.c.Namespace(), why)
	}
	search := p.filter.Text()
	if !hint.IsZero() {
		return status.Errorf(errcode.BadValue, "text and hint not allowed in same query")
	}
	if !p.filter.TextAlways() {
		if p.planBranches() {
			return nil
		}
		return fail(errcode.NoQueryExecutionPlans,
			"Failed to produce a solution for TEXT under OR - other non-TEXT clauses under OR have to be indexed as well.")
	}
	var prefix []byte
	for _, name := range search.Index().Prefix {
		v, ok := fixedValue(name, p.filter.Constraints())
		if !ok {
			return fail(errcode.NoQueryExecutionPlans, "failed to use text index to satisfy $text query (if text index is compound, are "+
				"equality predicates given for all prefix fields?)")
		}
		prefix = compare.AppendKey(prefix, v, nil)
	}
	p.index, p.text = findText(p.c), search
	p.ranges = make([]store.Range, 0, len(search.Terms))
	for _, term := range search.Terms {
		p.ranges = append(p.ranges, store.PrefixRange(string(compare.AppendKey(prefix[:len(prefix):len(prefix)], value.String(term), nil))))
	}
	return nil
}

// findHint finds the hinted index. It returns nil without a hint or with $natural. A hidden index cannot be hinted.
func findHint(c *store.Collection, hint bson.RawValue) (*store.Index, error) {
	switch hint.Type {
	case 0:
		return nil, nil
	case bsontype.String:
		if x := c.Index(value.Text(hint)); x != nil && x.Name != "" && !x.Hidden {
			return x, nil
		}
	case bsontype.EmbeddedDocument:
		d := bson.Raw(hint.Value)
		if d.Len() == 0 || !path.Field(d, "$natural").IsZero() {
			return nil, nil
		}
		var found *store.Index
		for _, x := range c.Indexes() {
			switch {
			case x.Hidden || compare.Documents(x.KeyPattern(), d, nil) != 0:
			case found != nil:
				return nil, status.Errorf(errcode.IndexNotFound,
					"error processing query: ns=%s planner returned error :: caused by :: Hint matched multiple indexes, must hint by "+
						"index name. Matched: %s and %s", c.Namespace(), found.Name, x.Name)
			default:
				found = x
			}
		}
		if found != nil {
			return found, nil
		}
	default:
		return nil, status.Errorf(errcode.FailedToParse, "Hint must be a string or an object")
	}
	if c == nil {
		return nil, nil
	}
	return nil, status.Errorf(errcode.BadValue,
		"error processing query: ns=%s planner returned error :: caused by :: hint provided does not correspond to an "+
			"existing index", c.Namespace())
}
