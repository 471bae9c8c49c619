package expression

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// RefuseConstant refuses an expression that may yield either a constant or an encrypted value, for the value of a path that was
// encrypted so far: the constant would leave in plain text among the values of the field. n is what the expression yields. If nothing
// in it is encrypted, a plain value replaces the field in every document, which is allowed.
func (e Env) RefuseConstant(operator, path string, v bson.RawValue, n *schema.Node) error {
	at, err := e.Tree.Lookup(path)
	if err != nil || !at.Encrypts() || !n.Encrypts() {
		return err
	}
	if at.Field() == nil && IsFields(v) {
		return e.RefuseConstantIn(operator, path+".", v, n)
	}
	f := at.Field()
	flag := f == nil && at.IsOpaque() || f != nil && f.Takes(bsontype.Boolean)
	if hasConstant(v) || flag && mayYieldBoolean(v) {
		return refusal.New(operator, path, "a constant cannot replace an encrypted field in only some documents")
	}
	return nil
}

// RefuseConstantIn is RefuseConstant for the fields of a document at a path that ends with a dot, or of the whole document.
func (e Env) RefuseConstantIn(operator, above string, v bson.RawValue, n *schema.Node) error {
	if !n.Encrypts() {
		return nil
	}
	return e.refuseConstantIn(operator, above, v, n, false)
}

// refuseConstantIn looks at the operands of an operator at any depth, because any document in them can become the result: a branch, a
// variable or an argument of $mergeObjects. What each of them yields says nothing of the others.
func (e Env) refuseConstantIn(operator, above string, v bson.RawValue, n *schema.Node, operand bool) error {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return nil
	}
	for key, inner := range bson.Raw(v.Value).All() {
		isField := v.Type == bsontype.EmbeddedDocument && !strings.HasPrefix(key, "$")
		if isField {
			if err := e.RefuseConstant(operator, above+key, inner, n.LookupOrOpaque(key)); err != nil {
				return err
			}
		}
		if isField && !operand {
			continue
		}
		if key == analysis.OpArrayToObject && e.namesEncrypted(above, inner) {
			return refusal.New(operator, above, "a constant of $arrayToObject names an encrypted field")
		}
		if err := e.refuseConstantIn(operator, above, inner, schema.Opaque, operand || v.Type == bsontype.EmbeddedDocument); err != nil {
			return err
		}
	}
	return nil
}

// namesEncrypted reports whether a text in an expression is the name of an encrypted field.
func (e Env) namesEncrypted(above string, v bson.RawValue) bool {
	if text, ok := v.StringOK(); ok && !strings.HasPrefix(text, "$") {
		at, err := e.Tree.Lookup(above + text)
		return err != nil || at.Encrypts()
	}
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return false
	}
	for _, inner := range bson.Raw(v.Value).All() {
		if e.namesEncrypted(above, inner) {
			return true
		}
	}
	return false
}

// mayYieldBoolean reports whether an expression may yield a constant boolean.
func mayYieldBoolean(v bson.RawValue) bool {
	name, operand, ok, _ := splitOperator(v)
	switch {
	case !ok:
		return v.Type == bsontype.Boolean
	case name == analysis.OpLiteral:
		return operand.Type == bsontype.Boolean
	}
	b, _ := branchesOf(name, operand) // only these operators have branches
	return slices.ContainsFunc(b.values, mayYieldBoolean)
}

// RefuseNumber refuses a number that chooses an encrypted field in a projection, and is neither 0 nor 1: it looks like a value.
func (e Env) RefuseNumber(operator, path string, v bson.RawValue) error {
	if IsFields(v) {
		for key, inner := range bson.Raw(v.Value).All() {
			if err := e.RefuseNumber(operator, path+"."+key, inner); err != nil {
				return err
			}
		}
		return nil
	}
	if !isNumber(v) || isFlag(v) {
		return nil
	}
	if at, err := e.Tree.Lookup(path); err != nil || !at.Encrypts() {
		return err
	}
	return refusal.New(operator, path, "a number that chooses an encrypted field must be 0 or 1")
}

// IsFields reports whether a value is a document of fields and not an operator.
func IsFields(v bson.RawValue) bool {
	doc, ok := v.DocumentOK()
	first, _ := doc.Index(0)
	return ok && doc.Len() > 0 && !strings.HasPrefix(first.Key, "$")
}

// hasConstant reports whether an expression holds a constant that could be the value of a field.
func hasConstant(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.String:
		text, _ := v.StringOK()
		return text != "" && !strings.HasPrefix(text, "$")
	case bsontype.EmbeddedDocument, bsontype.Array:
		for key, inner := range bson.Raw(v.Value).All() {
			if v.Type == bsontype.EmbeddedDocument && strings.HasPrefix(key, "$") {
				if operatorHasConstant(key, inner) {
					return true
				}
			} else if hasConstant(inner) {
				return true
			}
		}
		return false
	case bsontype.Null, bsontype.Boolean:
		return false
	}
	return true
}

// isFlag reports whether a number is 0 or 1.
func isFlag(v bson.RawValue) bool {
	n, ok := v.AsFloat64OK()
	return ok && (n == 0 || n == 1)
}

func isNumber(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		return true
	}
	return false
}

// operatorHasConstant is hasConstant for an operator. A number that is an argument, such as an index, does not count.
func operatorHasConstant(name string, operand bson.RawValue) bool {
	if name == analysis.OpLiteral {
		return couldBeValue(operand)
	}
	first, ok := analysis.FirstArgument(name)
	if !ok || first > 0 && operand.Type != bsontype.Array {
		return hasConstant(operand)
	}
	if operand.Type != bsontype.Array {
		return !isNumber(operand) && hasConstant(operand)
	}
	i := 0
	for _, v := range bson.Raw(operand.Value).All() {
		if (i < first || !isNumber(v)) && hasConstant(v) {
			return true
		}
		i++
	}
	return false
}

// couldBeValue reports whether the operand of $literal could be the value of a field. No text in it is a path.
func couldBeValue(v bson.RawValue) bool {
	text, isText := v.StringOK()
	return v.Type != bsontype.Null && v.Type != bsontype.Boolean && (!isText || text != "")
}
