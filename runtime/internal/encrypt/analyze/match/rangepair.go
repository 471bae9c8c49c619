package match

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/encrypt/analyze/mark"
	"github.com/specdrivers/onion/runtime/internal/encrypt/analyze/refusal"
)

// comparisons are the operators of ranges.
var comparisons = map[string]mark.Comparison{
	"$gt": mark.Greater, "$gte": mark.GreaterOrEqual, "$lt": mark.Less, "$lte": mark.LessOrEqual,
}

// pair is one range of a conjunction. Two ends of one path are one range: the server gets one payload for both.
type pair struct {
	path         string
	lower, upper mark.End
	rng          mark.Range
	numbered     bool
}

func (p *pair) end(c mark.Comparison) *mark.End {
	if c.IsLower() {
		return &p.lower
	}
	return &p.upper
}

// scope begins a conjunction with ranges of its own. The result ends it.
func (b *builder) scope() (leave func()) {
	outer := b.pairs
	b.pairs = nil
	return func() { b.pairs = outer }
}

// pair finds the ranges of a conjunction: the elements of a filter, and of filters below $and.
func (b *builder) pair(doc bson.Raw) { b.pairWithin(doc, 0) }

func (b *builder) pairWithin(doc bson.Raw, depth int) {
	if depth > maxDepth {
		return
	}
	for key, v := range doc.All() {
		if key == "$and" {
			if list, ok := v.ArrayOK(); ok {
				for _, one := range list.All() {
					if doc, ok := one.DocumentOK(); ok {
						b.pairWithin(doc, depth+1)
					}
				}
			}
			continue
		}
		if ops, ok := operators(v); ok && !strings.HasPrefix(key, "$") {
			b.pairOperators(key, ops)
		}
	}
}

// pairOperators finds the ranges of one condition.
func (b *builder) pairOperators(path string, ops bson.Raw) {
	n, err := b.env.Tree.Lookup(path)
	if err != nil || n.Kind() != analysis.KindRange {
		return
	}
	for op, v := range ops.All() {
		c, ok := comparisons[op]
		if !ok || len(v.Value) == 0 {
			continue
		}
		b.place(path, mark.End{Value: v, Operator: c})
	}
}

// place puts an end beside the first one that waits for it.
func (b *builder) place(path string, e mark.End) {
	for i := range b.pairs {
		p := &b.pairs[i]
		if p.path == path && !p.numbered && p.end(e.Operator).Value.IsZero() {
			*p.end(e.Operator) = e
			return
		}
	}
	p := pair{path: path}
	*p.end(e.Operator) = e
	b.pairs = append(b.pairs, p)
}

// bound appends an operator of a range on a field that is indexed for ranges.
func (c condition) bound(dst []byte, op string, v bson.RawValue) ([]byte, error) {
	f, comparison := c.node.Field(), comparisons[op]
	if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
		return dst, refusal.New(op, f.Path, "the operator wants one value")
	}
	for i := range c.pairs {
		p := &c.pairs[i]
		e := p.end(comparison)
		if p.path != c.path || e.Operator != comparison || !e.Value.Equal(v) {
			continue
		}
		first := !p.numbered
		if first {
			p.rng, p.numbered = c.marker().NewRange(p.lower, p.upper, comparison), true
		}
		e.Operator = 0 // written
		return c.marker().Bounded(dst, op, p.rng, first, f, op)
	}
	lone := pair{}
	*lone.end(comparison) = mark.End{Value: v, Operator: comparison}
	return c.marker().Bounded(dst, op, c.marker().NewRange(lone.lower, lone.upper, comparison), true, f, op)
}
