package expression

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Env is what an expression sees: the document, and variables.
type Env struct {
	Marker *mark.Marker
	Tree   *schema.Node // of the document
	vars   *variable
	depth  int
	pairs  mark.Pairs // of the conjunction that the expression is an operand of, nil outside of one
}

// variable is a list: the innermost variable first.
type variable struct {
	name  string
	node  *schema.Node
	outer *variable
}

// maxDepth bounds the nesting of expressions. MongoDB nests documents no deeper than 180 levels.
const maxDepth = 200

// Bind returns an Env with one more variable. A system variable is refused: binding CURRENT would change what every field path
// means.
func (e Env) Bind(name string, node *schema.Node) (Env, error) {
	if name == "" || name[0] >= 'A' && name[0] <= 'Z' {
		return e, refusal.New("$$"+name, "", "the variable cannot be bound where fields are encrypted")
	}
	return e.withVariable(name, node), nil
}

func (e Env) withVariable(name string, node *schema.Node) Env {
	e.vars = &variable{name, node, e.vars}
	return e
}

func (e Env) descend(at string) (Env, error) {
	if e.depth++; e.depth > maxDepth {
		return e, refusal.New(at, "", "the expression is nested too deeply")
	}
	return e, nil
}

// Value is what is known of an expression's result.
type Value struct {
	Node    *schema.Node // nil: nothing in it is encrypted
	Literal bool         // it is a constant that can be encrypted in place
	Mixed   bool         // it is either a value of Node or a constant
}

// shape is the node of a value that nothing is compared with.
func (v Value) shape() *schema.Node {
	if v.Mixed {
		return schema.Opaque
	}
	return v.Node
}

// pathNode returns the node of a field path or variable. s begins with the dollar sign.
func (e Env) pathNode(s string) (*schema.Node, error) {
	if !strings.HasPrefix(s, "$$") {
		n, err := e.Tree.Lookup(s[1:])
		return n, err
	}
	name, rest, more := strings.Cut(s[2:], ".")
	node, err := e.variableNode(name)
	if err != nil || !more {
		return node, err
	}
	return node.Lookup(rest)
}

func (e Env) variableNode(name string) (*schema.Node, error) {
	if name == "ROOT" || name == "CURRENT" {
		return e.Tree, nil
	}
	for v := e.vars; v != nil; v = v.outer {
		if v.name == name {
			return v.node, nil
		}
	}
	if analysis.SystemVariable(name) {
		return nil, nil
	}
	if name == "" || name[0] >= 'A' && name[0] <= 'Z' {
		return nil, refusal.New("$$"+name, "", "the variable may hold an encrypted field")
	}
	return nil, nil // of the command's let, whose values see no document
}

// splitOperator splits a document that is an operator into its name and its operands.
func splitOperator(v bson.RawValue) (name string, operand bson.RawValue, ok bool, err error) {
	doc, isDoc := v.DocumentOK()
	if !isDoc {
		return "", operand, false, nil
	}
	n := 0
	for key, o := range doc.All() {
		if n++; strings.HasPrefix(key, "$") {
			name, operand = key, o
		}
	}
	if name != "" && n > 1 {
		return name, operand, false, refusal.New(name, "", "an expression operator must be the only field of its document")
	}
	return name, operand, name != "", nil
}

// isPath reports whether a value is a field path or a variable.
func isPath(v bson.RawValue) (string, bool) {
	s, ok := v.StringOK()
	return s, ok && strings.HasPrefix(s, "$")
}

// IsPath reports whether a value is a field path or a variable.
func IsPath(v bson.RawValue) (string, bool) { return isPath(v) }

// elements returns the operands of an operator; a single one need not be an array.
func elements(operand bson.RawValue) []bson.RawValue {
	if operand.Type != bsontype.Array {
		return []bson.RawValue{operand}
	}
	list, _ := bson.RawArray(operand.Value).Values()
	return list
}
