package engine

import (
	"cmp"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// rangesMax bounds the product of $in lists.
const rangesMax = 2000

// bounds are the keys of an index that a query can match.
type bounds struct {
	x      *store.Index
	fields [][]span // for each field; nil is every value
	uses   []use
	score  int // how well the index fits the query
	fixed  int // the leading fields with a single value
}

// use is a condition that bounds a field.
type use struct {
	field int
	query.Constraint
	tightness
}

// boundIndex turns the conditions of a query into bounds of an index.
func boundIndex(x *store.Index, conditions []query.Constraint, filter *query.Filter) *bounds {
	b := &bounds{x: x, fields: make([][]span, len(x.Fields))}
	conditions = slices.Clone(conditions)
	slices.SortStableFunc(conditions, func(a, b query.Constraint) int { return cmp.Compare(rank(&a), rank(&b)) })
	open := false
	for i := range x.Fields {
		best := 0
		for j := range conditions {
			c := &conditions[j]
			if c.Path != x.Fields[i].Name || !b.mayUse(i, c) {
				continue
			}
			r := indexedCondition{x: x, f: &x.Fields[i], c: c, filter: filter}
			list, t, ok := r.spans()
			if !ok {
				continue
			}
			if b.fields[i] != nil {
				list = intersect(b.fields[i], list, x.Collation)
			}
			if c.Element != nil {
				t = fetched
			}
			b.fields[i], best = list, max(best, worth(c, list))
			b.uses = append(b.uses, use{i, *c, t})
		}
		if open = open || b.fields[i] == nil; !open {
			b.score += best
		}
	}
	if x.Path != "" {
		b.finishWildcard()
	}
	for _, list := range b.fields {
		if len(list) != 1 || !list[0].isPoint() {
			break
		}
		b.fixed++
	}
	return b
}

// isBounded reports whether a condition bounds the first field of the index.
func (b *bounds) isBounded() bool { return b.fields[0] != nil }

// rank orders conditions as the server does. An index over arrays can use only one of them, and takes the best.
func rank(c *query.Constraint) int {
	if c.Negated {
		return 9
	}
	return slices.Index([]string{"$eq", "$in", "$lte", "$lt", "$gt", "$gte", "$regex", "$mod", "$exists", "$type"}, c.Op)
}

// worth returns how much a condition's spans help to choose an index.
func worth(c *query.Constraint, list []span) int {
	for _, s := range list {
		if !s.isPoint() {
			if c.Negated || isWhole(list) {
				return 1
			}
			return 3
		}
	}
	return 4
}

// mayUse reports whether a condition can bound a field in addition to the conditions already used. Two conditions on an array
// may hold for different elements, which have different keys.
func (b *bounds) mayUse(field int, c *query.Constraint) bool {
	if !b.x.Multikey {
		return true
	}
	for i := range b.uses {
		u := &b.uses[i]
		together := sharedParts(b.x.Fields[field].Path, b.x.Fields[u.field].Path)
		for at := c.Shared(&u.Constraint); at < together; at++ {
			if b.x.Arrays == nil || b.x.Arrays[field]&(1<<min(at, 63)) != 0 {
				return false
			}
		}
	}
	return true
}

// sharedParts returns the number of components with which both paths begin.
func sharedParts(a, b path.Path) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// ranges returns the key ranges to read: every value of the leading fields that have single values, with the spans of the
// field after them.
func (b *bounds) ranges() (out []store.Range) {
	prefixes := [][]bson.RawValue{nil}
	for _, list := range b.fields {
		if list == nil || len(prefixes)*len(list) > rangesMax {
			break
		}
		if !slices.ContainsFunc(list, func(s span) bool { return !s.isPoint() }) {
			prefixes = cross(prefixes, list)
			continue
		}
		for _, prefix := range prefixes {
			for _, s := range list {
				out = append(out, b.x.Range(prefix, &store.Interval{
					Low: &s.low, High: &s.high, LowExclusive: s.lowOpen, HighExclusive: s.highOpen,
				}))
			}
		}
		return out
	}
	for _, prefix := range prefixes {
		out = append(out, b.x.Range(prefix, nil))
	}
	return out
}

func cross(prefixes [][]bson.RawValue, points []span) [][]bson.RawValue {
	var out [][]bson.RawValue
	for _, p := range prefixes {
		for _, s := range points {
			out = append(out, append(p[:len(p):len(p)], s.low))
		}
	}
	return out
}
