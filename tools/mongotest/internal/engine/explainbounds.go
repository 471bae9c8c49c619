package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// shown is an interval of one field as explain prints it.
type shown struct {
	low, high                   string
	lowExclusive, highExclusive bool
}

func (i shown) String() string {
	open, shut := "[", "]"
	if i.lowExclusive {
		open = "("
	}
	if i.highExclusive {
		shut = ")"
	}
	return open + i.low + ", " + i.high + shut
}

// reversed is the interval read from its upper end.
func (i shown) reversed() shown { return shown{i.high, i.low, i.highExclusive, i.lowExclusive} }

// appendBounds appends indexBounds: the intervals to read, for each field of the plan's index.
func (p *plan) appendBounds(dst []byte) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "indexBounds")
	open := false // an earlier field has an interval, so later fields are read whole
	conditions := p.conditions(p.index)
	for _, f := range p.index.Fields {
		list := []shown{{low: "MinKey", high: "MaxKey"}}
		if !open {
			values, interval := fieldBounds(f.Name, conditions, p.index, p.filter.Collation())
			switch open = values == nil; {
			case values != nil:
				list = points(values)
				if f.Hashed {
					list = hashes(values, p.index)
				}
			case interval != nil:
				list = []shown{shownInterval(interval)}
			}
		}
		if f.Descending != p.back {
			slices.Reverse(list)
		}
		texts := make([]bson.RawValue, len(list))
		for i, s := range list {
			if f.Descending != p.back {
				s = s.reversed()
			}
			texts[i] = value.String(s.String())
		}
		dst = bson.AppendRawValueElement(dst, f.Name, value.ArrayOf(texts...))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// points are the single-value intervals, in order.
func points(values []bson.RawValue) []shown {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b bson.RawValue) int { return compare.Values(a, b, nil) })
	var list []shown
	for _, v := range values {
		text := status.TextOf(v)
		list = append(list, shown{low: text, high: text})
	}
	return slices.Compact(list)
}

// hashes are the intervals of the values' hashes.
func hashes(values []bson.RawValue, x *store.Index) []shown {
	sums := make([]bson.RawValue, len(values))
	for i, v := range values {
		sums[i] = x.Hash(v)
	}
	return points(sums)
}

// shownInterval is an interval as the server prints it. The server replaces an open end with the bound of the other
// end's type.
func shownInterval(i *store.Interval) shown {
	s := shown{lowExclusive: i.LowExclusive, highExclusive: i.HighExclusive}
	given := i.Low
	if given == nil {
		given = i.High
	}
	least, most, exclusive := typeEnds(*given)
	if s.low = least; i.Low != nil {
		s.low = status.TextOf(*i.Low)
	}
	if s.high = most; i.High != nil {
		s.high = status.TextOf(*i.High)
	} else {
		s.highExclusive = exclusive
	}
	return s
}

// typeEnds are the bounds of a type: its least value, and its greatest or the next type's first.
func typeEnds(v bson.RawValue) (least, most string, exclusive bool) {
	switch {
	case number.Is(v.Type):
		return "-inf.0", "inf.0", false
	case v.Type == bsontype.String:
		return `""`, "{}", true
	case v.Type == bsontype.DateTime:
		return "new Date(-9223372036854775808)", "new Date(9223372036854775807)", false
	case v.Type == bsontype.ObjectID:
		return "ObjectId('000000000000000000000000')", "ObjectId('ffffffffffffffffffffffff')", false
	case v.Type == bsontype.Boolean:
		return "false", "true", false
	case v.Type == bsontype.Timestamp:
		return "Timestamp(0, 0)", "Timestamp(4294967295, 4294967295)", false
	}
	return "MinKey", "MaxKey", false
}

// residual is the part of a filter that the index bounds do not cover. Each document is tested against it.
func (p *plan) residual(filter bson.Raw) bson.Raw {
	done := p.consumed()
	dst, start := bson.AppendDocumentStart(nil)
	for name, v := range filter.All() {
		var left []condition
		parts := conditions(name, v)
		for _, c := range parts {
			if !done(c) {
				left = append(left, c)
			}
		}
		if len(left) == len(parts) {
			dst = bson.AppendRawValueElement(dst, name, v)
			continue
		}
		if len(left) == 0 {
			continue
		}
		operators, in := bson.AppendDocumentStart(nil)
		for _, c := range left {
			operators = appendElements(operators, bson.Raw(c.v.Value))
		}
		dst = bson.AppendDocumentElement(dst, name, bson.AppendDocumentEnd(operators, in))
	}
	return bson.AppendDocumentEnd(dst, start)
}

func appendElements(dst []byte, d bson.Raw) []byte {
	for key, v := range d.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return dst
}

// consumed returns a function that reports whether the bounds cover a condition. An interval over arrays uses only one
// of its ends.
func (p *plan) consumed() func(condition) bool {
	type part struct{ path, op string }
	done := map[part]bool{}
	constraints := p.filter.Constraints()
	if p.index.Path != "" {
		constraints = p.conditions(p.index)
	}
	for _, f := range p.index.Fields {
		values, interval := fieldBounds(f.Name, constraints, p.index, p.filter.Collation())
		count := 0
		for _, c := range constraints {
			if c.Path == f.Name {
				count++
			}
		}
		for _, c := range constraints {
			exact := values != nil && (c.Op == "$eq" || c.Op == "$in") && count == 1 || values == nil && interval != nil &&
				(!p.index.Multikey || count == 1)
			exact = exact && !f.Hashed && usable(c.Values, p.index, p.filter.Collation())
			if c.Path == f.Name && exact && (count == 1 || !repeated(constraints, c)) {
				done[part{c.Path, c.Op}] = true
			}
		}
		if values == nil {
			break
		}
	}
	return func(c condition) bool {
		op := "$eq"
		if d, ok := c.v.DocumentOK(); ok {
			if first, _ := d.Index(0); strings.HasPrefix(first.Key, "$") {
				op = first.Key
			}
		}
		return done[part{c.name, op}]
	}
}

// repeated reports whether a field has two bounds at the same end.
func repeated(constraints []query.Constraint, c query.Constraint) bool {
	n := 0
	for _, other := range constraints {
		if other.Path == c.Path && other.Op[:2] == c.Op[:2] {
			n++
		}
	}
	return n > 1
}
