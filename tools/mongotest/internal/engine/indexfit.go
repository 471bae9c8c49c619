package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// covers reports whether a partial index has every document that the query can match: the query must imply each
// condition of the index's filter.
func covers(x *store.Index, constraints []query.Constraint, c *collate.Collator) bool {
	for name, v := range x.Filter.All() {
		part := newSingleField(name, v)
		f, err := query.Compile(part, query.Options{})
		if err != nil {
			return false
		}
		wanted := f.Constraints()
		if len(wanted) == 0 || len(wanted) != len(listConditions(part)) {
			return false // the filter has a condition that no constraint states
		}
		for _, w := range wanted {
			if !collate.Same(x.Collation, c) && w.Op != "$exists" && hasText(w.Values) || !isImplied(w, constraints) {
				return false
			}
		}
	}
	return true
}

// hasText reports whether a collation can change how the values compare.
func hasText(values []bson.RawValue) bool {
	return slices.ContainsFunc(values, func(v bson.RawValue) bool {
		return v.Type == bsontype.String || v.Type == bsontype.Symbol || v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array
	})
}

// isImplied reports whether one of the constraints is at least as strict as w.
func isImplied(w query.Constraint, constraints []query.Constraint) bool {
	if w.Negated || len(w.Values) != 1 {
		return false
	}
	for _, c := range constraints {
		switch {
		case c.Path != w.Path || c.Negated || c.Expr:
		case w.Op == "$exists":
			if requiresField(&c) {
				return true
			}
		case c.Op == "$mod" || c.Op == "$type":
		case c.Op == "$in":
			if len(c.Values) > 0 && !slices.ContainsFunc(c.Values, func(v bson.RawValue) bool { return !isStricter("$eq", v, w) }) {
				return true
			}
		case len(c.Values) == 1 && isStricter(c.Op, c.Values[0], w):
			return true
		}
	}
	return false
}

// requiresField reports whether only documents with the field have the condition.
func requiresField(c *query.Constraint) bool {
	switch c.Op {
	case "$exists", "$regex", "$mod", "$type":
		return true
	}
	return len(c.Values) > 0 && !slices.ContainsFunc(c.Values, func(v bson.RawValue) bool {
		return v.Type == bsontype.Null || c.Op != "$eq" && c.Op != "$in" && (v.Type == bsontype.MinKey || v.Type == bsontype.MaxKey)
	})
}

// isStricter reports whether all values that compare with v by op have the constraint w.
func isStricter(op string, v bson.RawValue, w query.Constraint) bool {
	if !compare.Comparable(v, w.Values[0]) || op == "$exists" || op == "$regex" {
		return false
	}
	d := compare.Values(v, w.Values[0], nil)
	switch w.Op {
	case "$eq":
		return op == "$eq" && d == 0
	case "$gt", "$gte":
		return d > 0 && (op == "$eq" || op[1] == 'g') || d == 0 && (op == w.Op || w.Op == "$gte" && op != "$lt" && op != "$lte")
	case "$lt", "$lte":
		return d < 0 && (op == "$eq" || op[1] == 'l') || d == 0 && (op == w.Op || w.Op == "$lte" && op != "$gt" && op != "$gte")
	}
	return false
}

// hasOrder reports whether the index provides the order after its fixed fields, and whether to read it backwards.
func hasOrder(x *store.Index, fixed int, o *order.Order, c *collate.Collator) (back, ok bool) {
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
