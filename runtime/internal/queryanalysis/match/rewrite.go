package match

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// appendRewritten appends a condition of one operator whose normal form has another operator: the negations, and equality
// on a field that is indexed for ranges. done is false for any other.
func (c condition) appendRewritten(dst []byte, op string, v bson.RawValue) (out []byte, done bool, err error) {
	isRange := c.node.Kind() == analysis.KindRange
	switch {
	case isRange && (op == analysis.OpEq || op == analysis.OpNe || op == analysis.OpIn || op == analysis.OpNin):
		if op == analysis.OpEq || op == analysis.OpNe {
			v = arrayOf(v)
		}
		out, err = c.appendExact(dst, op, v)
		return out, true, err
	case isRange && op == analysis.OpNot:
		out, done, err = c.appendNotExact(dst, v)
		return out, done, err
	case op == analysis.OpNe || op == analysis.OpNin:
		positive := map[string]string{analysis.OpNe: analysis.OpEq, analysis.OpNin: analysis.OpIn}[op]
		dst, start := bson.AppendDocumentElementStart(dst, c.path)
		dst, not := bson.AppendDocumentElementStart(dst, analysis.OpNot)
		if dst, err = c.appendOperator(dst, positive, v); err != nil {
			return dst, true, err
		}
		return bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, not), start), true, nil
	}
	return dst, false, nil
}

// arrayOf returns an array of one value.
func arrayOf(v bson.RawValue) bson.RawValue {
	one := documentOf("0", v)
	one.Type = bsontype.Array
	return one
}

// appendExact appends the ranges of single values: $and for one that must match, else $or, or $nor for those that must not.
func (c condition) appendExact(dst []byte, op string, values bson.RawValue) ([]byte, error) {
	list, ok := values.ArrayOK()
	if !ok {
		return dst, refusal.New(op, c.path, "the operator needs an array")
	}
	if op == analysis.OpEq {
		one, _ := list.Index(0)
		return c.appendClosedRange(dst, one, op)
	}
	if list.Len() == 0 {
		dst, start := bson.AppendDocumentElementStart(dst, c.path)
		dst = bson.AppendRawValueElement(dst, op, values)
		return bson.AppendDocumentEnd(dst, start), nil
	}
	join := analysis.OpOr
	if op != analysis.OpIn {
		join = analysis.OpNor
	}
	dst, start := bson.AppendArrayElementStart(dst, join)
	for i, v := range list.All() {
		var doc int
		var err error
		dst, doc = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		if dst, err = c.appendClosedRange(dst, v, op); err != nil {
			return dst, err
		}
		dst = bson.AppendDocumentEnd(dst, doc)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendClosedRange appends $and with the two ends of the range of a single value.
func (c condition) appendClosedRange(dst []byte, v bson.RawValue, op string) ([]byte, error) {
	r := c.marker().NewRange(mark.End{Value: v, Operator: encryption.OperatorGreaterOrEqual},
		mark.End{Value: v, Operator: encryption.OperatorLessOrEqual}, encryption.OperatorGreaterOrEqual)
	dst, and := bson.AppendArrayElementStart(dst, analysis.OpAnd)
	for i, bound := range []encryption.Operator{encryption.OperatorGreaterOrEqual, encryption.OperatorLessOrEqual} {
		var doc, on int
		var err error
		dst, doc = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		dst, on = bson.AppendDocumentElementStart(dst, c.path)
		if dst, err = c.marker().AppendRange(dst, bound.String(), r, i == 0, c.node.Field(), op); err != nil {
			return dst, err
		}
		dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, on), doc)
	}
	return bson.AppendDocumentEnd(dst, and), nil
}

// appendNotExact appends the negation of operators that include an equality: inside $not no range can express one.
func (c condition) appendNotExact(dst []byte, v bson.RawValue) (out []byte, done bool, err error) {
	ops, ok := operators(v)
	if !ok {
		return dst, false, nil
	}
	needs := false
	for op := range ops.All() {
		switch op {
		case analysis.OpEq, analysis.OpNe, analysis.OpIn, analysis.OpNin, analysis.OpNot:
			needs = true
		}
	}
	if !needs {
		return dst, false, nil
	}
	inner := documentOf(c.path, v)
	nor, start := bson.AppendArrayElementStart(dst, analysis.OpNor)
	nor, err = c.appendSeparate(bson.AppendHeader(nor, bsontype.EmbeddedDocument, "0"), bson.Raw(inner.Value))
	if err != nil {
		return dst, true, err
	}
	return bson.AppendDocumentEnd(nor, start), true, nil
}
