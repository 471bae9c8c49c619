package expression

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// appendComparison appends the operands of a comparison: literals are marked if the other operand is encrypted.
func (e Env) appendComparison(dst []byte, rule analysis.Expression, name string, operand bson.RawValue) ([]byte, error) {
	values := elements(operand)
	f, err := e.checkTogether(name, values)
	if err != nil {
		return dst, err
	}
	if f == nil {
		return e.appendPlainOperands(dst, name, operand, name)
	}
	if len(values) != 2 {
		return dst, malformedError(name)
	}
	if rule != analysis.ExpressionEqual {
		return dst, refusal.New(name, f.Path, "the operator cannot compute with an encrypted field")
	}
	if err := e.checkDirect(name, values, f); err != nil {
		return dst, err
	}
	return appendList(dst, name, values, func(dst []byte, key string, v bson.RawValue) ([]byte, error) {
		return e.append(dst, key, v, f)
	})
}

// checkTogether checks expressions that are compared with each other, and returns the encrypted field among them, if there is one:
// then the others are literals, or encrypted alike.
func (e Env) checkTogether(name string, values []bson.RawValue) (*schema.Field, error) {
	var f *schema.Field
	var all []Value
	for _, v := range values {
		one, err := e.Value(v)
		if err != nil {
			return nil, err
		}
		if one.Node.IsGone() {
			return nil, refusal.RemovedField(name, fieldName(v, one.Node))
		}
		if one.Node != nil && one.Node.Field() == nil {
			return nil, refusal.New(name, fieldName(v, one.Node),
				"a document that holds an encrypted field, or may hold one, cannot be compared")
		}
		if f == nil {
			f = one.Node.Field()
		}
		all = append(all, one)
	}
	if f == nil {
		return nil, nil
	}
	if e.Marker.Refuse {
		return nil, refusal.Text(name, f.Path, analysis.ComparisonNotSupported())
	}
	if f.Kind == analysis.KindRandom {
		return nil, refusal.Text(name, f.Path, analysis.RandomizedQuery())
	}
	for _, one := range all {
		if other := one.Node.Field(); other != nil && !other.EncryptsLike(f) {
			return nil, refusal.New(name, f.Path, "fields that are encrypted differently cannot be compared")
		} else if other == nil && !one.Literal {
			return nil, e.refuseComputed(name, f)
		}
	}
	return f, nil
}

// checkDirect checks what Queryable Encryption asks of a comparison: the field itself, and literals.
func (e Env) checkDirect(name string, values []bson.RawValue, f *schema.Field) error {
	if !f.Queryable() {
		return nil
	}
	fields := 0
	for _, v := range values {
		if s, ok := isPath(v); ok && !strings.HasPrefix(s, "$$") {
			fields++
		} else if op, _, isOperator, err := splitOperator(v); err != nil || isOperator && op != analysis.OpLiteral {
			return e.refuseComputed(name, f)
		}
	}
	if fields != 1 {
		return refusal.New(name, f.Path, "an encrypted field can be compared only with literals")
	}
	if f.Kind != analysis.KindEquality && f.Kind != analysis.KindRange {
		return refusal.New(name, f.Path, "encryptedFields do not declare this query of an encrypted field")
	}
	return nil
}

// appendIn appends the operands of $in.
func (e Env) appendIn(dst []byte, name string, operand bson.RawValue) ([]byte, error) {
	pair := elements(operand)
	if len(pair) != 2 {
		return dst, malformedError(name)
	}
	group, isList, constant := []bson.RawValue{pair[0]}, false, false
	if op, literal, ok, err := splitOperator(pair[1]); err != nil {
		return dst, err
	} else if ok && op == analysis.OpLiteral && literal.Type == bsontype.Array {
		isList, constant = true, true
		group = append(group, elements(literal)...)
	} else if pair[1].Type == bsontype.Array {
		isList = true
		group = append(group, elements(pair[1])...)
	}
	if !isList {
		return e.appendPlainOperands(dst, name, operand, name)
	}
	checked := group
	if constant {
		checked = group[:1] // the others are not expressions
	}
	f, err := e.checkTogether(name, checked)
	if err != nil {
		return dst, err
	}
	if f == nil {
		return e.appendPlainOperands(dst, name, operand, name)
	}
	if f.Queryable() && f.Kind != analysis.KindEquality {
		return dst, refusal.New(name, f.Path, "encryptedFields do not declare this query of an encrypted field")
	}
	if err := e.checkDirect(name, checked, f); err != nil {
		return dst, err
	}
	dst, start := bson.AppendArrayElementStart(dst, name)
	if dst, err = e.append(dst, "0", group[0], f); err != nil {
		return dst, err
	}
	dst, err = appendList(dst, "1", group[1:], func(dst []byte, key string, v bson.RawValue) ([]byte, error) {
		if constant {
			return e.Marker.AppendCompared(dst, key, v, f, name)
		}
		return e.append(dst, key, v, f)
	})
	if err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendIteration appends $map, $filter or $reduce: their input is plain, and so is each element.
func (e Env) appendIteration(dst []byte, rule analysis.Expression, name string, operand bson.RawValue) ([]byte, error) {
	doc, ok := operand.DocumentOK()
	if !ok {
		return dst, malformedError(name)
	}
	err := refusal.CheckUniqueKeys(name, doc)
	if err != nil {
		return dst, err
	}
	inner := e.withVariable("this", nil)
	switch as, named := doc.Lookup("as").StringOK(); {
	case rule == analysis.ExpressionReduce:
		inner = inner.withVariable("value", nil)
	case named:
		if inner, err = inner.Bind(as, nil); err != nil {
			return dst, err
		}
	}
	dst, start := bson.AppendDocumentElementStart(dst, name)
	for key, v := range doc.All() {
		switch key {
		case "as":
			dst = bson.AppendRawValueElement(dst, key, v)
		case "in", "cond":
			dst, err = inner.AppendPlain(dst, key, v, name)
		case "input", "initialValue", "limit":
			dst, err = e.AppendPlain(dst, key, v, name)
		default:
			err = malformedError(name)
		}
		if err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendSearch appends a search in an encrypted text.
func (e Env) appendSearch(dst []byte, rule analysis.Expression, name string, operand bson.RawValue) ([]byte, error) {
	doc, ok := operand.DocumentOK()
	if !ok {
		return dst, malformedError(name)
	}
	if err := refusal.CheckUniqueKeys(name, doc); err != nil {
		return dst, err
	}
	input := doc.Lookup("input")
	path, isField := isPath(input)
	if !isField || path[1:] == "" || path[1] == '$' {
		return dst, refusal.New(name, "", "a search needs an encrypted field as its input")
	}
	n, err := e.pathNode(path)
	if err != nil {
		return dst, err
	}
	f := n.Field()
	if f == nil {
		return dst, refusal.New(name, path[1:], "a search needs an encrypted field as its input")
	}
	dst, start := bson.AppendDocumentElementStart(dst, name)
	for key, v := range doc.All() {
		switch key {
		case "input":
			dst = bson.AppendRawValueElement(dst, key, v)
		case options.QueryTypePrefix, options.QueryTypeSuffix, options.QueryTypeSubstring, "string":
			if op, literal, ok, err := splitOperator(v); err != nil {
				return dst, err
			} else if ok && op == analysis.OpLiteral {
				v = literal
			} else if _, isField := isPath(v); isField || ok {
				return dst, e.refuseComputed(name, f)
			}
			if dst, err = e.Marker.AppendSearch(dst, key, v, rule, f, name); err != nil {
				return dst, err
			}
		default:
			return dst, malformedError(name)
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}
