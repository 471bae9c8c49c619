package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// plan is how a query finds its documents.
type plan struct {
	c      *store.Collection
	filter *query.Filter
	index  *store.Index // nil for a scan of the collection
	ranges []store.Range
	back   bool
	single *store.Record // the only document that a query on _id finds
	byID   bool
	hinted *store.Index // the hinted index
	sorted bool         // documents come in the requested order
	near   *query.Near  // documents come by distance unless sorted
	text   *fulltext.Search
	score  int // how well the index fits the query

	branches []*plan // replace the index when each branch of an $or has one
}

// rangesMax bounds the product of $in lists.
const rangesMax = 2000

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
	if hinted == nil && hint.Type == bsontype.EmbeddedDocument && !value.Nullish(path.Field(bson.Raw(hint.Value), "$natural")) {
		n, _ := number.Truncated(path.Field(bson.Raw(hint.Value), "$natural"))
		p.back = n < 0
		return p, nil
	}
	if id, ok := f.ID(); ok && hinted == nil && c != nil && len(c.Indexes()) > 0 && c.Indexes()[0].Collation == nil &&
		c.Indexes()[0].Name == idName {
		p.byID, p.single, p.sorted = true, c.FindID(id), true
		return p, nil
	}
	if p.choose(o); p.index == nil || p.score < boundScore && o == nil {
		p.planBranches()
	}
	return p, nil
}

// boundScore is the least score of an index that a condition bounds.
const boundScore = 3

// choose takes the best index for the plan's query, or the hinted one.
func (p *plan) choose(o *order.Order) {
	constraints := p.filter.Constraints()
	for _, x := range p.candidates(constraints) {
		if p.hinted != nil && x.Name != p.hinted.Name || p.hinted == nil && (x.Hidden || !covers(x, constraints)) {
			continue
		}
		ranges, fixed, score := bounds(x, p.conditions(x), p.filter.Collation())
		back, sorted := gives(x, fixed, o, p.filter.Collation())
		if sorted = sorted && len(ranges) < 2 && !x.Multikey; sorted {
			score += 2
		}
		if score <= p.score && p.hinted == nil {
			continue
		}
		if score < boundScore && x.Sparse && p.hinted == nil {
			continue // it lacks documents that the query may match
		}
		p.score = score
		p.index, p.ranges, p.sorted, p.back = x, ranges, o == nil || sorted, sorted && back
	}
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
		} else if b.choose(nil); b.index == nil || b.score < boundScore {
			return false
		}
		plans = append(plans, b)
	}
	if len(plans) == 0 {
		return false
	}
	p.branches, p.index, p.ranges = plans, nil, nil
	return true
}

// conditions are the conditions that an index can serve. The comparisons of $expr treat arrays and missing fields
// differently from some indexes' keys.
func (p *plan) conditions(x *store.Index) []query.Constraint {
	if x.Path != "" {
		on := query.Constraint{Path: pathField, Op: "$eq", Values: []bson.RawValue{value.String(x.Path)}}
		return append([]query.Constraint{on}, p.filter.Constraints()...)
	}
	if x.Multikey || x.Sparse {
		return p.filter.Constraints()
	}
	return slices.Concat(p.filter.Constraints(), p.filter.Comparisons())
}

// findHint finds the hinted index. It returns nil without a hint or with $natural.
func findHint(c *store.Collection, hint bson.RawValue) (*store.Index, error) {
	switch hint.Type {
	case 0:
		return nil, nil
	case bsontype.String:
		if x := c.Index(value.Text(hint)); x != nil && x.Name != "" {
			return x, nil
		}
	case bsontype.EmbeddedDocument:
		d := bson.Raw(hint.Value)
		if d.Len() == 0 || !path.Field(d, "$natural").IsZero() {
			return nil, nil
		}
		for _, x := range c.Indexes() {
			if compare.Documents(x.KeyPattern(), d, nil) == 0 {
				return x, nil
			}
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

// bounds turns constraints into ranges of the index. fixed is the number of leading fields with a single value.
func bounds(x *store.Index, constraints []query.Constraint, c *collate.Collator) (ranges []store.Range, fixed, score int) {
	prefixes := [][]bson.RawValue{nil}
	points := true
	for _, f := range x.Fields {
		values, interval := fieldBounds(f.Name, constraints, x, c)
		if values != nil && len(prefixes)*len(values) <= rangesMax {
			prefixes = cross(prefixes, values)
			if points = points && len(values) == 1; points {
				fixed++
			}
			score += 4
			continue
		}
		if interval != nil {
			for _, prefix := range prefixes {
				ranges = append(ranges, x.Range(prefix, interval))
			}
			return ranges, fixed, score + 3
		}
		break
	}
	for _, prefix := range prefixes {
		ranges = append(ranges, x.Range(prefix, nil))
	}
	return ranges, fixed, score
}

// covers reports whether a partial index has every document that the query can match: the query must imply each
// condition of the index's filter.
func covers(x *store.Index, constraints []query.Constraint) bool {
	for name, v := range x.Filter.All() {
		wanted, err := query.Compile(singleField(name, v), query.Options{})
		if err != nil {
			return false
		}
		for _, w := range wanted.Constraints() {
			if !implied(w, constraints) {
				return false
			}
		}
		if len(wanted.Constraints()) == 0 {
			return false
		}
	}
	return true
}

func singleField(name string, v bson.RawValue) bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, name, v)
	return bson.AppendDocumentEnd(d, start)
}

// implied reports whether one of the constraints is at least as strict as w.
func implied(w query.Constraint, constraints []query.Constraint) bool {
	for _, c := range constraints {
		if c.Path != w.Path || len(c.Values) != 1 || len(w.Values) != 1 || !compare.Comparable(c.Values[0], w.Values[0]) {
			continue
		}
		d := compare.Values(c.Values[0], w.Values[0], nil)
		switch w.Op {
		case "$eq":
			if c.Op == "$eq" && d == 0 {
				return true
			}
		case "$gt", "$gte":
			if d > 0 && (c.Op == "$eq" || c.Op[1] == 'g') || d == 0 && (c.Op == w.Op || w.Op == "$gte" && c.Op != "$lt" && c.Op != "$lte") {
				return true
			}
		case "$lt", "$lte":
			if d < 0 && (c.Op == "$eq" || c.Op[1] == 'l') || d == 0 && (c.Op == w.Op || w.Op == "$lte" && c.Op != "$gt" && c.Op != "$gte") {
				return true
			}
		}
	}
	return false
}

func cross(prefixes [][]bson.RawValue, values []bson.RawValue) [][]bson.RawValue {
	var out [][]bson.RawValue
	for _, p := range prefixes {
		for _, v := range values {
			out = append(out, append(p[:len(p):len(p)], v))
		}
	}
	return out
}

// fieldBounds are the points or the interval that the query allows for one field.
func fieldBounds(name string, constraints []query.Constraint, x *store.Index, c *collate.Collator) ([]bson.RawValue, *store.Interval) {
	var interval *store.Interval
	for i := range constraints {
		cs := &constraints[i]
		if cs.Path != name || !usable(cs.Values, x, c) {
			continue
		}
		v := &cs.Values
		switch cs.Op {
		case "$eq", "$in":
			return *v, nil
		}
		if isHashed(name, x) {
			continue
		}
		switch cs.Op {
		case "$gt", "$gte":
			if interval == nil || !x.Multikey && interval.Low == nil {
				interval = orNew(interval)
				interval.Low, interval.LowExclusive = &(*v)[0], cs.Op == "$gt"
			}
		case "$lt", "$lte":
			if interval == nil || !x.Multikey && interval.High == nil {
				interval = orNew(interval)
				interval.High, interval.HighExclusive = &(*v)[0], cs.Op == "$lt"
			}
		}
	}
	return nil, interval
}

// isHashed reports whether the index stores a field's hashes, whose order differs from the values'.
func isHashed(name string, x *store.Index) bool {
	return slices.ContainsFunc(x.Fields, func(f store.Field) bool { return f.Hashed && f.Name == name })
}

func orNew(i *store.Interval) *store.Interval {
	if i == nil {
		return &store.Interval{}
	}
	return i
}

// usable reports whether the index can find the values: arrays have separate keys, and strings need its collation.
func usable(values []bson.RawValue, x *store.Index, c *collate.Collator) bool {
	for _, v := range values {
		switch v.Type {
		case bsontype.Array, bsontype.Undefined, bsontype.Null, bsontype.MinKey, bsontype.MaxKey, bsontype.Regex:
			return false
		case bsontype.String, bsontype.Symbol, bsontype.EmbeddedDocument:
			if v.Type == bsontype.EmbeddedDocument && x.Path != "" {
				return false // the index has the fields of documents, not whole documents
			}
			if !collate.Same(x.Collation, c) {
				return false
			}
		}
	}
	return len(values) > 0
}

// gives reports whether the index provides the order after its fixed fields, and whether to read it backwards.
func gives(x *store.Index, fixed int, o *order.Order, c *collate.Collator) (back, ok bool) {
	if o == nil || x.Sparse || x.Partial != nil || !collate.Same(x.Collation, c) {
		return false, false
	}
	for skip := 0; skip <= fixed; skip++ {
		if back, ok := follows(x.Fields[skip:], o.Fields); ok {
			return back, true
		}
	}
	return false, false
}

func follows(fields []store.Field, want []order.Field) (back, ok bool) {
	if len(want) > len(fields) {
		return false, false
	}
	for i, w := range want {
		if fields[i].Name != w.Name || fields[i].Hashed {
			return false, false
		}
		b := fields[i].Descending != w.Descending
		if i > 0 && b != back {
			return false, false
		}
		back = b
	}
	return back, true
}

// scan is the walk of the plan. Its documents still have to be tested.
func (p *plan) scan() scan {
	switch {
	case p.branches != nil:
		return &union{branches: p.branches, seen: map[store.RecordID]bool{}}
	case p.index != nil:
		return p.c.Walk(p.index, p.back, p.ranges...)
	case isClustered(p.c):
		x := p.c.Indexes()[0]
		return p.c.Walk(x, p.back, x.Range(nil, nil))
	case p.back:
		return p.c.ScanBack()
	}
	return p.c.Scan(0)
}

// scan yields records; nil at the end.
type scan interface{ Next() *store.Record }

// union is one walk after another, without repeated records.
type union struct {
	branches []*plan
	current  scan
	seen     map[store.RecordID]bool
}

// Next is the next record of any branch.
func (u *union) Next() *store.Record {
	for {
		if u.current == nil {
			if len(u.branches) == 0 {
				return nil
			}
			u.current, u.branches = u.branches[0].scan(), u.branches[1:]
		}
		r := u.current.Next()
		switch {
		case r == nil:
			u.current = nil
		case !u.seen[r.ID]:
			u.seen[r.ID] = true
			return r
		}
	}
}
