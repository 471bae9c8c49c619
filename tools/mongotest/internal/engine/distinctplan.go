package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// findDistinctPlan finds an index whose keys alone tell the different values of a field, so the server skips from one value
// to the next. It returns nil if there is none.
func (e *Engine) findDistinctPlan(a *args, c *store.Collection) (*plan, error) {
	if c == nil || c.IsView() {
		return nil, nil
	}
	f, err := e.compileFilter(a, c, "query")
	if err != nil {
		return nil, err
	}
	hinted, err := findHint(c, a.get("hint"))
	if err != nil || hinted == nil && !a.get("hint").IsZero() {
		return nil, err
	}
	p := &plan{c: c, filter: f, sorted: true, hinted: hinted}
	score := 0
	for _, x := range c.Indexes() {
		if x.Opaque || !collate.Same(x.Collation, f.Collation()) || hinted != nil && x.Name != hinted.Name || hinted == nil && x.Hidden {
			continue
		}
		if s := p.distinctScore(x, a.text("key")); s > score {
			score, p.index = s, x
		}
	}
	if p.index == nil {
		return nil, nil
	}
	p.bounds = boundIndex(p.index, p.conditions(p.index), f)
	p.ranges = p.bounds.ranges()
	return p, nil
}

// fieldsMax is more than the fields of any index.
const fieldsMax = 100

// distinctScore tells how well an index gives the different values of a field, or 0 if it cannot. Without a query the field
// must be the index's first one, and the index with the fewest fields is the best. With a query the bounds must state all of
// it, and the field must have no arrays: one of an array's elements may lie within the bounds, and another one not.
func (p *plan) distinctScore(x *store.Index, key string) int {
	at := -1
	for i, f := range x.Fields {
		if f.Name == key && !f.Hashed {
			at = i
		}
	}
	switch {
	case at < 0:
		return 0
	case p.filter.Raw().Len() == 0:
		if at > 0 || x.Filter != nil || x.Multikey && strings.Contains(key, ".") {
			return 0
		}
		return fieldsMax - len(x.Fields)
	case x.Multikey && (x.Arrays == nil || x.Arrays[at] != 0), !covers(x, p.filter.Constraints(), p.filter.Collation()):
		return 0
	}
	scan := &plan{c: p.c, filter: p.filter, index: x}
	keys, docs := scan.residualFilter(p.filter.Raw())
	if !scan.shownBounds().isBounded() || keys.Len()+docs.Len() > 0 {
		return 0
	}
	return scan.bounds.score
}

// distinctShape returns the projection of a distinct scan, {_id: 0, <key>: 1}.
func distinctShape(key string) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if key != "_id" {
		dst = bson.AppendInt32Element(dst, "_id", 0)
	}
	return bson.AppendDocumentEnd(bson.AppendInt32Element(dst, key, 1), start)
}

// scanDistinct explains a distinct scan. The keys of an index with a collation are not the values themselves, so the
// documents are fetched.
func (x *explanation) scanDistinct(a *args, p *plan) error {
	key := a.text("key")
	x.found, x.filter = &results{walk: p.newMatches(), limit: -1}, documentOrEmpty(a.document("query"))
	shape := stage{"PROJECTION_COVERED", func(dst []byte) []byte {
		return bson.AppendDocumentElement(dst, "transformBy", distinctShape(key))
	}}
	if strings.Contains(key, ".") {
		shape.name = "PROJECTION_DEFAULT"
	}
	if p.index.Collation != nil {
		shape = stage{name: "FETCH"}
	}
	x.above, x.skips = append(x.above, shape), true
	if x.verbosity == "queryPlanner" {
		return nil
	}
	list, err := x.e.distinctValues(&x.r, a, x.name, func() error { return nil })
	x.values = int32(len(list))
	return err
}
