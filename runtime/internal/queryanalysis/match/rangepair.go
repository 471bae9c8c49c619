package match

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// enterScope begins a conjunction with ranges of its own; leave ends it.
func (b *builder) enterScope() (leave func()) {
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
		if key == analysis.OpAnd {
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
	n, err := b.env.Tree.LookupAny(path)
	if err != nil || n.Kind() != analysis.KindRange {
		return
	}
	for op, v := range ops.All() {
		o, ok := encryption.OperatorByName(op)
		if !ok || len(v.Value) == 0 {
			continue
		}
		b.pairs = b.pairs.Place(path, mark.End{Value: v, Operator: o})
	}
}

// appendBound appends an operator of a range on a field that is indexed for ranges.
func (c condition) appendBound(dst []byte, op string, v bson.RawValue) ([]byte, error) {
	f := c.node.Field()
	if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
		return dst, refusal.New(op, f.Path, "the operator needs one value")
	}
	comparison, _ := encryption.OperatorByName(op)
	r, first := c.marker().RangeOf(c.pairs, c.path, mark.End{Value: v, Operator: comparison})
	return c.marker().AppendRange(dst, op, r, first, f, op)
}
