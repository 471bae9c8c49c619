package expression

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Append appends an expression with its literals marked where they are compared with encrypted fields, and returns the node
// of its result.
func (e Env) Append(dst []byte, key string, v bson.RawValue) ([]byte, *schema.Node, error) {
	value, err := e.Value(v)
	if err != nil {
		return dst, nil, err
	}
	dst, err = e.append(dst, key, v, nil)
	return dst, value.shape(), err
}

// AppendPlain is Append for an expression whose result must not be encrypted.
func (e Env) AppendPlain(dst []byte, key string, v bson.RawValue, operator string) ([]byte, error) {
	dst, n, err := e.Append(dst, key, v)
	switch {
	case err != nil:
	case n.IsGone():
		err = refusal.RemovedField(operator, fieldName(v, n))
	case n.Encrypts():
		err = refusal.New(operator, fieldName(v, n),
			"the operator cannot compute with an encrypted field, or with a document that holds one")
	}
	return dst, err
}

// fieldName names a field for an error.
func fieldName(v bson.RawValue, n *schema.Node) string {
	if f := n.Field(); f != nil {
		return f.Path
	}
	s, _ := isPath(v)
	return s
}

// append appends an expression whose literals are marked as values of the field want, unless that is nil.
func (e Env) append(dst []byte, key string, v bson.RawValue, want *schema.Field) ([]byte, error) {
	e, err := e.descend("")
	if err != nil {
		return dst, err
	}
	if s, ok := isPath(v); ok {
		_, err := e.pathNode(s)
		return bson.AppendRawValueElement(dst, key, v), err
	}
	name, operand, ok, err := splitOperator(v)
	if err != nil {
		return dst, err
	}
	if ok {
		return e.appendOperator(dst, key, name, operand, v, want)
	}
	if want != nil {
		return e.Marker.AppendCompared(dst, key, v, want, "an expression")
	}
	switch v.Type {
	case bsontype.EmbeddedDocument, bsontype.Array:
		return e.appendContainer(dst, key, v)
	}
	return bson.AppendRawValueElement(dst, key, v), nil
}

// appendContainer appends the expressions in a document or an array, each on its own: they are not operands of a conjunction above.
func (e Env) appendContainer(dst []byte, key string, v bson.RawValue) ([]byte, error) {
	e.pairs = nil
	dst = bson.AppendHeader(dst, v.Type, key)
	dst, start := bson.AppendDocumentStart(dst)
	var err error
	for name, child := range bson.Raw(v.Value).All() {
		if dst, err = e.append(dst, name, child, nil); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendOperator appends an operator with its operands.
func (e Env) appendOperator(dst []byte, key, name string, operand, whole bson.RawValue, want *schema.Field) ([]byte, error) {
	rule := analysis.OfExpression(name)
	switch rule {
	case analysis.ExpressionLiteral:
		if want != nil {
			return e.Marker.AppendCompared(dst, key, operand, want, name)
		}
		return bson.AppendRawValueElement(dst, key, whole), nil
	case analysis.ExpressionPass:
		if err := checkSimple(name, operand); err != nil {
			return dst, err
		}
		return bson.AppendRawValueElement(dst, key, whole), e.refuseComputed(name, want)
	}
	if out, done, err := e.appendRange(dst, key, name, operand); done || err != nil {
		return out, err
	}
	e = e.enterOperands(name, operand)
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst, err := e.appendOperands(dst, rule, name, operand, want)
	if err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// checkSimple refuses an operand that is more than a word, where an operator takes no expression.
func checkSimple(name string, operand bson.RawValue) error {
	doc, isDoc := operand.DocumentOK()
	if s, ok := operand.StringOK(); ok && !strings.HasPrefix(s, "$") || isDoc && doc.Len() == 0 {
		return nil
	}
	return malformedError(name)
}

// refuseComputed refuses a computed result where a value of an encrypted field is wanted.
func (e Env) refuseComputed(name string, want *schema.Field) error {
	if want == nil {
		return nil
	}
	return refusal.New(name, want.Path, "an encrypted field can be compared only with literals, not with computed values")
}

func (e Env) appendOperands(dst []byte, rule analysis.Expression, name string, operand bson.RawValue, want *schema.Field) ([]byte, error) {
	switch rule {
	case analysis.ExpressionCond, analysis.ExpressionIfNull, analysis.ExpressionSwitch:
		return e.appendBranches(dst, name, operand, want)
	case analysis.ExpressionLet:
		return e.appendLet(dst, name, operand, want)
	}
	if err := e.refuseComputed(name, want); err != nil {
		return dst, err
	}
	switch rule {
	case analysis.ExpressionEvaluate:
		return e.appendPlainOperands(dst, name, operand, name)
	case analysis.ExpressionEqual, analysis.ExpressionOrder:
		return e.appendComparison(dst, rule, name, operand)
	case analysis.ExpressionIn:
		return e.appendIn(dst, name, operand)
	case analysis.ExpressionMap, analysis.ExpressionFilter, analysis.ExpressionReduce:
		return e.appendIteration(dst, rule, name, operand)
	case analysis.ExpressionPrefix, analysis.ExpressionSuffix, analysis.ExpressionSubstring, analysis.ExpressionExact:
		return e.appendSearch(dst, rule, name, operand)
	}
	return dst, refusal.New(name, "", "the operator is not known to be safe with encrypted fields")
}

// appendPlainOperands appends operands that must be plain: one, the elements of an array or the fields of a document.
func (e Env) appendPlainOperands(dst []byte, key string, operand bson.RawValue, name string) ([]byte, error) {
	_, _, isOperator, err := splitOperator(operand)
	if err != nil {
		return dst, err
	}
	if operand.Type != bsontype.Array && operand.Type != bsontype.EmbeddedDocument || isOperator {
		return e.AppendPlain(dst, key, operand, name)
	}
	dst = bson.AppendHeader(dst, operand.Type, key)
	dst, start := bson.AppendDocumentStart(dst)
	for k, v := range bson.Raw(operand.Value).All() {
		if dst, err = e.AppendPlain(dst, k, v, name); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendList appends an array whose elements appendOne appends.
func appendList(
	dst []byte, key string, values []bson.RawValue, appendOne func([]byte, string, bson.RawValue) ([]byte, error),
) ([]byte, error) {
	dst, start := bson.AppendArrayElementStart(dst, key)
	var err error
	for i, v := range values {
		if dst, err = appendOne(dst, strconv.Itoa(i), v); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}
