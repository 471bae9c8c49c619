package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// rangesMax bounds the product of $in lists.
const rangesMax = 2000

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
