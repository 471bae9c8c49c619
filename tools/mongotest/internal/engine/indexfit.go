package engine

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

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
