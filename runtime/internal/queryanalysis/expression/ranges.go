package expression

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// mirror returns the operator that means the same with the two sides swapped.
func mirror(o encryption.Operator) encryption.Operator {
	switch o {
	case encryption.OperatorGreater:
		return encryption.OperatorLess
	case encryption.OperatorGreaterOrEqual:
		return encryption.OperatorLessOrEqual
	case encryption.OperatorLess:
		return encryption.OperatorGreater
	}
	return encryption.OperatorGreaterOrEqual
}

// appendRange appends a comparison with a field that is indexed for ranges. done is false for anything else.
func (e Env) appendRange(dst []byte, key, name string, operand bson.RawValue) (out []byte, done bool, err error) {
	_, isOrder := encryption.OperatorByName(name)
	if !isOrder && name != analysis.OpEq && name != analysis.OpNe {
		return dst, false, nil
	}
	values := elements(operand)
	if len(values) != 2 {
		return dst, false, nil
	}
	f, err := e.checkTogether(name, values)
	if err != nil || f == nil || f.Kind != analysis.KindRange {
		return dst, false, err
	}
	if err := e.checkDirect(name, values, f); err != nil {
		return dst, false, err
	}
	path, literal, left := values[0], values[1], true
	if _, ok := isPath(path); !ok {
		path, literal, left = literal, path, false
	}
	if !isOrder {
		out, err = e.appendExact(dst, key, name, path, unwrapLiteral(literal), f)
		return out, true, err
	}
	c, ok := readComparison(name, operand)
	if !ok {
		return dst, false, e.refuseComputed(name, f)
	}
	r, whole := e.Marker.RangeOf(e.pairs, c.path, c.end)
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst, pair := bson.AppendArrayElementStart(dst, name)
	for i, k := range []string{"0", "1"} {
		if (i == 0) == left {
			dst = bson.AppendRawValueElement(dst, k, path)
		} else if dst, err = e.Marker.AppendRange(dst, k, r, whole, f, name); err != nil {
			return dst, true, err
		}
	}
	return bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, pair), start), true, nil
}

// appendExact appends the range of a single value, or its negation.
func (e Env) appendExact(dst []byte, key, name string, path, literal bson.RawValue, f *schema.Field) ([]byte, error) {
	r := e.Marker.NewRange(mark.End{Value: literal, Operator: encryption.OperatorGreaterOrEqual},
		mark.End{Value: literal, Operator: encryption.OperatorLessOrEqual}, encryption.OperatorGreaterOrEqual)
	dst, start := bson.AppendDocumentElementStart(dst, key)
	if name != analysis.OpNe {
		dst, err := e.appendBoth(dst, r, path, f, name)
		if err != nil {
			return dst, err
		}
		return bson.AppendDocumentEnd(dst, start), nil
	}
	dst, not := bson.AppendArrayElementStart(dst, analysis.OpNot)
	dst, inner := bson.AppendDocumentElementStart(dst, "0")
	dst, err := e.appendBoth(dst, r, path, f, name)
	if err != nil {
		return dst, err
	}
	dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, inner), not)
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendBoth appends $and with the two ends of a range.
func (e Env) appendBoth(dst []byte, r mark.Range, path bson.RawValue, f *schema.Field, name string) ([]byte, error) {
	dst, and := bson.AppendArrayElementStart(dst, analysis.OpAnd)
	for i, op := range []encryption.Operator{encryption.OperatorGreaterOrEqual, encryption.OperatorLessOrEqual} {
		var doc, pair int
		var err error
		dst, doc = bson.AppendDocumentElementStart(dst, []string{"0", "1"}[i])
		dst, pair = bson.AppendArrayElementStart(dst, op.String())
		dst = bson.AppendRawValueElement(dst, "0", path)
		if dst, err = e.Marker.AppendRange(dst, "1", r, i == 0, f, name); err != nil {
			return dst, err
		}
		dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, pair), doc)
	}
	return bson.AppendDocumentEnd(dst, and), nil
}
