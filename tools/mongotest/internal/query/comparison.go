package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// flipped maps each comparison to the one with its two sides exchanged.
var flipped = map[string]string{"$eq": "$eq", "$gt": "$lt", "$gte": "$lte", "$lt": "$gt", "$lte": "$gte"}

// comparisons finds the comparisons that must hold. They are in $expr itself and in the parts of $and.
func (c *compiler) comparisons(v bson.RawValue, found []comparison) ([]comparison, error) {
	d, ok := v.DocumentOK()
	first, _ := d.Index(0)
	if !ok || d.Len() != 1 {
		return found, nil
	}
	sides := value.Elements(first.Value)
	if first.Key == "$and" {
		var err error
		for _, part := range sides {
			if found, err = c.comparisons(part, found); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	op := first.Key
	if flipped[op] == "" || len(sides) != 2 {
		return found, nil
	}
	if !isField(sides[0]) {
		sides[0], sides[1], op = sides[1], sides[0], flipped[op]
	}
	if !isField(sides[0]) || !isFree(sides[1]) {
		return found, nil
	}
	operand, err := expr.Compile(sides[1], c.options.Scope)
	return append(found, comparison{value.Text(sides[0])[1:], op, operand}), err
}

func isField(v bson.RawValue) bool {
	s := value.Text(v)
	return len(s) > 1 && s[0] == '$' && s[1] != '$'
}

// isFree reports whether an expression names no field of the document.
func isFree(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.String:
		s := value.Text(v)
		name, isVariable := strings.CutPrefix(s, "$$")
		name, _, _ = strings.Cut(name, ".")
		return isVariable && name != "ROOT" && name != "CURRENT" || !strings.HasPrefix(s, "$")
	case bsontype.EmbeddedDocument, bsontype.Array:
		for key, e := range bson.Raw(v.Value).All() {
			if key != "$literal" && !isFree(e) {
				return false
			}
		}
	}
	return true
}

// Comparisons lists the conditions of $expr with the current values of its variables. Unlike Constraints, they compare
// across types, and they compare an array as a whole.
func (f *Filter) Comparisons() []Constraint {
	var out []Constraint
	comparisonsOf(f.root, &out)
	return out
}

func comparisonsOf(n node, out *[]Constraint) {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			comparisonsOf(child, out)
		}
	case expression:
		for _, c := range n.comparisons {
			if v, err := c.operand.Eval(value.EmptyDocument); err == nil && !v.IsZero() {
				*out = append(*out, Constraint{Path: c.path, Op: c.op, Values: []bson.RawValue{v}, Expr: true})
			}
		}
	}
}
