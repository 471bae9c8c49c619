package encrypted

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Rewrite returns a filter or pipeline that searches for tags instead of payloads. Without payloads it returns the
// value itself.
func (f *Finder) Rewrite(v bson.RawValue) (bson.RawValue, error) {
	if !hasSearch(v) {
		return v, nil
	}
	return f.rewriteValue(v)
}

// hasSearch reports whether a value contains a search payload, at any depth.
func hasSearch(v bson.RawValue) bool {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return isSearch(v)
	}
	for _, e := range bson.Raw(v.Value).All() {
		if hasSearch(e) {
			return true
		}
	}
	return false
}

// rewriteValue rewrites a filter, an expression, or an array of either.
func (f *Finder) rewriteValue(v bson.RawValue) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		if found, other, err := f.rewriteExpression(bson.Raw(v.Value)); found || err != nil {
			return other, err
		}
		d, err := f.rewriteFilter(bson.Raw(v.Value))
		return value.Document(d), err
	case bsontype.Array:
		var list []bson.RawValue
		for _, e := range value.Elements(v) {
			other, err := f.rewriteValue(e)
			if err != nil {
				return v, err
			}
			list = append(list, other)
		}
		return value.ArrayOf(list...), nil
	}
	return v, nil
}

// rewriteFilter rewrites the conditions of a filter, or any other document.
func (f *Finder) rewriteFilter(doc bson.Raw) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	for key, v := range doc.All() {
		operators, isDocument := v.DocumentOK()
		var err error
		switch onField := !strings.HasPrefix(key, "$"); {
		case onField && isSearch(v):
			dst, err = f.appendCondition(dst, "$in", v)
		case onField && isDocument && hasPayloads(operators):
			dst, err = f.appendOperators(dst, key, operators)
		default:
			if v, err = f.rewriteValue(v); err == nil {
				dst = bson.AppendRawValueElement(dst, key, v)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// hasPayloads reports whether the operators on a field have payloads as operands. In an expression the field is an operand
// too, next to the payload.
func hasPayloads(operators bson.Raw) bool {
	if found, _ := findComparison(operators); found != nil {
		return false
	}
	for op, v := range operators.All() {
		inner, isDocument := v.DocumentOK()
		switch {
		case !strings.HasPrefix(op, "$"):
			return false
		case isSearch(v), op == "$not" && isDocument && hasPayloads(inner):
			return true
		case op == "$in" || op == "$nin":
			for _, e := range value.Elements(v) {
				if isSearch(e) {
					return true
				}
			}
		}
	}
	return false
}

// appendOperators appends the conditions on a field. Conditions with payloads become conditions on tags.
func (f *Finder) appendOperators(dst []byte, field string, operators bson.Raw) ([]byte, error) {
	rest, start := bson.AppendDocumentStart(nil)
	for op, v := range operators.All() {
		inner, isDocument := v.DocumentOK()
		var err error
		switch {
		case op == "$ne" && isSearch(v):
			dst, err = f.appendCondition(dst, "$nin", v)
		case isSearch(v):
			dst, err = f.appendCondition(dst, "$in", v)
		case op == "$not" && isDocument && hasPayloads(inner):
			var negated []byte
			if negated, err = f.appendOperators(nil, field, inner); err == nil {
				dst = appendNor(dst, negated)
			}
		case (op == "$in" || op == "$nin") && hasSearch(v):
			dst, err = f.appendCondition(dst, op, value.Elements(v)...)
		default:
			rest = bson.AppendRawValueElement(rest, op, v)
		}
		if err != nil {
			return nil, err
		}
	}
	if rest = bson.AppendDocumentEnd(rest, start); len(rest) > 5 {
		dst = bson.AppendDocumentElement(dst, field, rest)
	}
	return dst, nil
}

// appendNor appends the negation of some elements of a filter.
func appendNor(dst, elements []byte) []byte {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendDocumentEnd(append(d, elements...), start)
	return bson.AppendRawValueElement(dst, "$nor", value.ArrayOf(value.Document(d)))
}

// appendCondition appends the condition that a document has, or does not have, the tags of some payloads. A payload
// that matches everything needs no condition.
func (f *Finder) appendCondition(dst []byte, op string, payloads ...bson.RawValue) ([]byte, error) {
	tags, everything, err := f.findTags(payloads...)
	switch {
	case err != nil:
		return nil, err
	case everything && op == "$in":
		return dst, nil
	case everything:
		return appendNor(dst, nil), nil
	}
	d, start := bson.AppendDocumentElementStart(dst, SafeContent)
	d = bson.AppendRawValueElement(d, op, value.ArrayOf(tags...))
	return bson.AppendDocumentEnd(d, start), nil
}
