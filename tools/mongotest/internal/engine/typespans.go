package engine

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// numbers are all numbers, and NaN.
var numbers = span{low: value.Double(math.NaN()), high: value.Double(math.Inf(1))}

// types reads $type: the values of each type. An index over arrays has the elements of an array instead of the array.
func (r *indexedCondition) types(operand bson.RawValue) (list []span, t tightness, ok bool) {
	wanted := typesOf(operand)
	has := func(t bsontype.Type) bool { return slices.Contains(wanted, t) }
	ofNumbers := 0
	for _, t := range wanted {
		if t == bsontype.Array || t == bsontype.EmbeddedDocument && r.x.Path != "" {
			return allValues(), fetched, true // a wildcard index has the fields of a document instead of the document
		}
		if number.Is(t) {
			ofNumbers++
		}
		list = append(list, spanOf(t))
	}
	switch {
	case r.x.Collation != nil && (has(bsontype.String) || has(bsontype.EmbeddedDocument)), has(bsontype.Null), has(bsontype.Undefined):
		t = fetched
	case ofNumbers%4 != 0, has(bsontype.String) != has(bsontype.Symbol):
		t = r.onKeys()
	}
	return unite(list, r.x.Collation), t, true
}

// typesOf returns the types of an operand of $type, in the order of their numbers.
func typesOf(operand bson.RawValue) (wanted []bsontype.Type) {
	list := []bson.RawValue{operand}
	if operand.Type == bsontype.Array {
		list = value.Elements(operand)
	}
	for _, v := range list {
		types, _ := query.TypesOf(v) // the query has been compiled
		wanted = append(wanted, types...)
	}
	slices.SortFunc(wanted, func(a, b bsontype.Type) int { return int(int8(a)) - int(int8(b)) })
	return slices.Compact(wanted)
}

// shownTypes returns an operand of $type as the server shows it: a list of numbers.
func shownTypes(operand bson.RawValue) bson.RawValue {
	var shown []bson.RawValue
	list := []bson.RawValue{operand}
	if operand.Type == bsontype.Array {
		list = value.Elements(operand)
	}
	all := slices.ContainsFunc(list, func(v bson.RawValue) bool { return value.Text(v) == "number" })
	if all {
		shown = append(shown, value.String("number"))
	}
	for _, t := range typesOf(operand) {
		if !all || !number.Is(t) {
			shown = append(shown, value.Int32(int32(int8(t))))
		}
	}
	return value.ArrayOf(shown...)
}

// spanOf returns the span of the values of one type, as the server writes it: the values of a type without a greatest one end
// where the next type begins.
func spanOf(t bsontype.Type) span {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendJavaScriptElement(dst, "code", "")
	dst = bson.AppendCodeWithScopeElement(dst, "scope", "", value.EmptyDocument)
	first := bson.Raw(bson.AppendDocumentEnd(bson.AppendDBPointerElement(dst, "pointer", "", bson.ObjectID{}), start))
	code, scope, pointer := first.Lookup("code"), first.Lookup("scope"), first.Lookup("pointer")
	switch t {
	case bsontype.Double, bsontype.Int32, bsontype.Int64, bsontype.Decimal128:
		return numbers
	case bsontype.Regex:
		return span{low: value.Regex("", ""), high: pointer, highOpen: true}
	case bsontype.DBPointer:
		return span{low: pointer, high: code, highOpen: true}
	case bsontype.JavaScript:
		return span{low: code, high: scope, highOpen: true}
	case bsontype.CodeWithScope:
		return span{low: scope, high: maxKey, highOpen: true}
	}
	if s, ok := spanOfComparison(bson.RawValue{Type: t}); ok {
		return s
	}
	return point(bson.RawValue{Type: t}) // null, undefined, MinKey and MaxKey have one value each
}
