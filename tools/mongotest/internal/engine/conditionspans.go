package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// tightness says how closely spans match a condition.
type tightness uint8

const (
	exact   tightness = iota // a key in the spans means that the condition holds
	covered                  // the key itself has to be tested
	fetched                  // the document has to be tested
)

// indexedCondition is a condition as one field of an index reads it.
type indexedCondition struct {
	x      *store.Index
	f      *store.Field
	c      *query.Constraint
	filter *query.Filter
}

// spans returns the keys that documents with the condition can have. ok is false if the index cannot help.
func (r *indexedCondition) spans() (list []span, t tightness, ok bool) {
	if r.c.Expr {
		return r.readComparison()
	}
	if r.c.Negated && r.c.Op != "$exists" {
		return r.readNegation()
	}
	switch r.c.Op {
	case "$eq":
		return r.equal(r.c.Values[0])
	case "$in":
		return r.in()
	case "$exists":
		return r.exists()
	}
	if r.f.Hashed {
		return nil, 0, false
	}
	switch r.c.Op {
	case "$regex":
		return r.regex(r.c.Values[0])
	case "$mod":
		return []span{numbers}, r.onKeys(), true
	case "$type":
		return r.types(r.c.Values[0])
	}
	return r.readOrder()
}

// isPlain reports whether the keys of the field include one for a document without the field.
func (r *indexedCondition) isPlain() bool {
	return !r.x.Sparse && r.x.Path == "" && !slices.ContainsFunc(r.f.Path, path.IsIndex)
}

// canCompare reports whether the index orders a value like the query.
func (r *indexedCondition) canCompare(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.String, bsontype.Symbol, bsontype.EmbeddedDocument, bsontype.Array:
		return collate.Same(r.x.Collation, r.filter.Collation())
	}
	return true
}

func (r *indexedCondition) equal(v bson.RawValue) ([]span, tightness, bool) {
	switch {
	case v.Type == bsontype.Null:
		return r.null(r.filter.Wire() < wire.Server80), fetched, r.isPlain()
	case !r.canCompare(v), r.x.Path != "" && (v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array):
		return nil, 0, false // a wildcard index has the fields of documents and the elements of arrays
	case v.Type == bsontype.Array && r.f.Hashed:
		return nil, 0, false
	case v.Type == bsontype.Array:
		first := undefined
		if list := value.Elements(v); len(list) > 0 {
			first = list[0]
		}
		return unite([]span{point(first), point(v)}, r.x.Collation), fetched, true
	case r.f.Hashed:
		return []span{point(v)}, fetched, true
	}
	return []span{point(v)}, exact, true
}

// null returns the key of a field that is null or missing. Before version 8.0, null equals undefined too.
func (r *indexedCondition) null(withUndefined bool) []span {
	if withUndefined {
		return []span{point(undefined), point(value.Null)}
	}
	return []span{point(value.Null)}
}

func (r *indexedCondition) in() (all []span, t tightness, ok bool) {
	for _, v := range r.c.Values {
		of := r.equal
		if v.Type == bsontype.Regex {
			if of = r.regex; r.f.Hashed {
				return nil, 0, false
			}
		}
		list, less, ok := of(v)
		if !ok {
			return nil, 0, false
		}
		all, t = append(all, list...), max(t, less)
	}
	return unite(all, r.x.Collation), t, true
}

func (r *indexedCondition) exists() ([]span, tightness, bool) {
	switch {
	case r.f.Hashed:
		return nil, 0, false
	case r.c.Negated:
		return r.null(false), fetched, r.isPlain()
	case r.x.Sparse && len(r.x.Fields) == 1, r.x.Path != "" && len(r.x.Fields) == 2:
		return allValues(), exact, true
	}
	return allValues(), fetched, true
}

func (r *indexedCondition) readOrder() ([]span, tightness, bool) {
	v := r.c.Values[0]
	orEqual := strings.HasSuffix(r.c.Op, "e")
	switch {
	case v.Type == bsontype.Null:
		list, t, ok := r.equal(v)
		return list, t, ok && orEqual
	case number.IsNaN(v):
		return []span{point(v)}, exact, orEqual
	case v.Type == bsontype.EmbeddedDocument && r.x.Path != "", !r.canCompare(v):
		return nil, 0, false
	}
	s, ok := spanOfComparison(v)
	if r.c.Op[1] == 'g' {
		s.low, s.lowOpen = v, !orEqual
	} else {
		s.high, s.highOpen = v, !orEqual
	}
	return unite(notEmpty(s, r.x.Collation), r.x.Collation), exact, ok
}

func notEmpty(s span, c *collate.Collator) []span {
	if s.isEmpty(c) {
		return nil
	}
	return []span{s}
}

// readComparison reads a comparison of $expr, which compares across types.
func (r *indexedCondition) readComparison() ([]span, tightness, bool) {
	v := r.c.Values[0]
	switch v.Type {
	case bsontype.Array, bsontype.Undefined, bsontype.Null, bsontype.MinKey, bsontype.MaxKey, bsontype.Regex:
		return nil, 0, false
	}
	if r.c.Op == "$eq" {
		list, _, ok := r.equal(v)
		return list, fetched, ok
	}
	s := span{low: minKey, high: maxKey}
	if orEqual := strings.HasSuffix(r.c.Op, "e"); r.c.Op[1] == 'g' {
		s.low, s.lowOpen = v, !orEqual
	} else {
		s.high, s.highOpen = v, !orEqual
	}
	return []span{s}, fetched, !r.f.Hashed && r.canCompare(v)
}

// readNegation reads a condition that must not hold. A sparse index lacks the documents without the field, and an index over
// arrays has the elements of [null] and nothing for an empty array.
func (r *indexedCondition) readNegation() ([]span, tightness, bool) {
	c := *r.c
	c.Negated = false
	isNull := c.Op == "$eq" && c.Values[0].Type == bsontype.Null
	if isNull && r.x.Path != "" {
		return allValues(), fetched, !r.x.Multikey
	}
	for _, v := range c.Values {
		if v.Type == bsontype.Array || v.Type == bsontype.Regex || v.Type == bsontype.Null && (r.x.Multikey || !isNull) {
			return nil, 0, false
		}
	}
	if c.Op == "$mod" || c.Op == "$type" || c.Op == "$regex" {
		return nil, 0, false
	}
	if r.f.Hashed || r.x.Path != "" || r.x.Sparse && !isNull || slices.ContainsFunc(r.f.Path, path.IsIndex) {
		return nil, 0, false
	}
	positive := *r
	positive.c = &c
	var list []span
	t, ok := exact, true
	if isNull {
		list = r.null(r.filter.Wire() < wire.Server80)
		t = fetched
	} else {
		list, t, ok = positive.spans()
	}
	if r.x.Multikey {
		t = fetched
	}
	return complement(list, r.x.Collation), t, ok
}
