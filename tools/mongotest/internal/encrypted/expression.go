package encrypted

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// textOperators are the expressions that search text, each with the argument that holds the payload.
var textOperators = map[string]string{
	"$encStrStartsWith": "prefix", "$encStrEndsWith": "suffix", "$encStrContains": "substring", "$encStrNormalizedEq": "string",
}

// findComparison finds the payloads in an expression that compares a field with them. negated says that the expression must
// not match.
func findComparison(d bson.Raw) (payloads []bson.RawValue, negated bool) {
	first, ok := d.Index(0)
	if !ok || d.Len() != 1 {
		return nil, false
	}
	if argument := textOperators[first.Key]; argument != "" {
		in, _ := first.Value.DocumentOK()
		if v := in.Lookup(argument); isSearch(v) {
			return []bson.RawValue{v}, false
		}
		return nil, false
	}
	sides := value.Elements(first.Value)
	if len(sides) != 2 {
		return nil, false
	}
	switch first.Key {
	case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte":
		for _, side := range sides {
			if isSearch(side) {
				return []bson.RawValue{side}, first.Key == "$ne"
			}
		}
	case "$in":
		if list := value.Elements(sides[1]); len(list) > 0 && isSearch(list[0]) {
			return list, false
		}
	}
	return nil, false
}

// rewriteExpression rewrites an expression that compares a field with payloads: the document must have one of their tags.
func (f *Finder) rewriteExpression(d bson.Raw) (found bool, v bson.RawValue, err error) {
	payloads, negated := findComparison(d)
	if payloads == nil {
		return false, v, nil
	}
	tags, everything, err := f.findTags(payloads...)
	switch {
	case err != nil:
		return true, v, err
	case everything:
		return true, value.Bool(!negated), nil
	}
	own := newOperator("$ifNull", value.ArrayOf(value.String("$"+SafeContent), value.ArrayOf()))
	common := newOperator("$setIntersection", value.ArrayOf(own, newOperator("$literal", value.ArrayOf(tags...))))
	compare := "$gt"
	if negated {
		compare = "$eq"
	}
	return true, newOperator(compare, value.ArrayOf(newOperator("$size", common), value.Int32(0))), nil
}

func newOperator(name string, argument bson.RawValue) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, name, argument)
	return value.Document(bson.AppendDocumentEnd(dst, start))
}
