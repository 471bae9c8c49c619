package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
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
	shapes *store.Index // the geospatial index that finds a region; mongotest reads the whole collection for it
	text   *fulltext.Search
	bounds *bounds // what the plan reads of the index; nil unless it chose the index itself

	branches []*plan // replace the index when each branch of an $or has one
}

// conditions returns the conditions that an index can serve. The comparisons of $expr treat arrays and missing fields
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

// newScan returns the walk of the plan. Its documents still have to be tested.
func (p *plan) newScan() scan {
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

// Next returns the next record of any branch.
func (u *union) Next() *store.Record {
	for {
		if u.current == nil {
			if len(u.branches) == 0 {
				return nil
			}
			u.current, u.branches = u.branches[0].newScan(), u.branches[1:]
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
