package expression

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Value says what an expression yields. It checks nothing: Append does.
func (e Env) Value(v bson.RawValue) (Value, error) {
	e, err := e.descend("")
	if err != nil {
		return Value{}, err
	}
	if s, ok := isPath(v); ok {
		n, err := e.pathNode(s)
		return Value{Node: n}, err
	}
	name, operand, ok, err := splitOperator(v)
	switch {
	case err != nil:
		return Value{}, err
	case ok:
		return e.resultOf(name, operand)
	case v.Type == bsontype.EmbeddedDocument:
		return e.documentValue(bson.Raw(v.Value))
	case v.Type == bsontype.Array:
		return e.arrayValue(bson.RawArray(v.Value))
	}
	return Value{Literal: true}, nil
}

// resultOf says what an operator yields.
func (e Env) resultOf(name string, operand bson.RawValue) (Value, error) {
	switch analysis.OfExpression(name) {
	case analysis.ExpressionRefuse:
		return Value{}, refusal.New(name, "", "the operator is not known to be safe with encrypted fields")
	case analysis.ExpressionLiteral:
		return Value{Literal: true}, nil
	case analysis.ExpressionCond, analysis.ExpressionIfNull, analysis.ExpressionSwitch:
		b, err := branchesOf(name, operand)
		if err != nil {
			return Value{}, err
		}
		return e.join(b.values)
	case analysis.ExpressionLet:
		_, in, inner, err := e.readLet(operand)
		if err != nil {
			return Value{}, err
		}
		return inner.Value(in)
	}
	if first, ok := analysis.FirstArgument(name); ok && first == 0 {
		return Value{}, nil // which no operand can be
	}
	return Value{Node: e.Remains(operand)}, nil
}

// Remains says what the operands of an operator that computes leave in its result: one of them may be, or may hold, a document from
// which an encrypted field was removed. None of them is encrypted: Append sees to that.
func (e Env) Remains(operand bson.RawValue) (n *schema.Node) {
	add := func(v bson.RawValue) {
		if one, err := e.Value(v); err == nil && !one.shape().Encrypts() {
			n = n.Overlay(one.shape())
		}
	}
	_, _, isOperator, _ := splitOperator(operand)
	if isOperator || operand.Type != bsontype.EmbeddedDocument && operand.Type != bsontype.Array {
		add(operand)
		return n
	}
	for _, v := range bson.Raw(operand.Value).All() {
		add(v)
	}
	return n
}

// join says what one of several expressions yields.
func (e Env) join(values []bson.RawValue) (Value, error) {
	var out Value
	for i, v := range values {
		one, err := e.Value(v)
		if err != nil {
			return out, err
		}
		switch {
		case i == 0:
			out = one
		case out.Literal && one.Literal:
		case out.Literal && one.Node.Field() != nil:
			out = Value{Node: one.Node, Mixed: true}
		case one.Literal && out.Node.Field() != nil:
			out.Mixed = true
		default:
			out = Value{Node: schema.Merge(out.Node, one.Node), Mixed: out.Mixed || one.Mixed}
		}
	}
	return out, nil
}

func (e Env) documentValue(doc bson.Raw) (Value, error) {
	out := Value{Literal: true}
	for key, v := range doc.All() {
		one, err := e.Value(v)
		if err != nil {
			return out, err
		}
		out.Literal = out.Literal && one.Literal
		if n := one.shape(); n != nil {
			out.Node = out.Node.Replace(key, n)
		}
	}
	return out, nil
}

func (e Env) arrayValue(list bson.RawArray) (Value, error) {
	out := Value{Literal: true}
	for _, v := range list.All() {
		one, err := e.Value(v)
		if err != nil {
			return out, err
		}
		out.Literal = out.Literal && one.Literal
		if one.shape() != nil {
			out.Node = schema.Opaque
		}
	}
	return out, nil
}
