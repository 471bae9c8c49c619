package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// depthMax bounds the nesting of logical operators.
const depthMax = 100

type walkPath func(doc bson.Raw, leaf path.Leaf, visit path.Visit) bool

type compiler struct {
	options Options
	depth   int
}

// document compiles a query document: all its fields must match.
func (c *compiler) document(filter bson.Raw) (node, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
	}
	var nodes and
	for key, v := range filter.All() {
		var n node
		var err error
		if strings.HasPrefix(key, "$") {
			n, err = c.topLevel(key, v)
		} else {
			n, err = c.field(key, v)
		}
		if err != nil {
			return nil, err
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	return nodes, nil
}

func (c *compiler) topLevel(key string, v bson.RawValue) (node, error) {
	switch key {
	case "$and", "$or", "$nor":
		return c.logical(key, v)
	case "$comment":
		return nil, nil
	case "$expr":
		eval, err := expr.Compile(v, c.options.Scope)
		if err != nil {
			return nil, err
		}
		return expression{eval}, nil
	case "$jsonSchema":
		if v.Type != bsontype.EmbeddedDocument {
			return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema must be an object")
		}
		return c.schema(bson.Raw(v.Value))
	case "$alwaysTrue":
		return constant(true), nil
	case "$alwaysFalse":
		return constant(false), nil
	case "$where":
		return nil, status.Errorf(errcode.BadValue, "no globalScriptEngine in $where parsing")
	case "$text":
		return nil, status.Errorf(errcode.IndexNotFound, "text index required for $text query")
	case "$ref", "$id", "$db":
		return c.field(key, v)
	}
	return nil, status.Errorf(errcode.BadValue, "unknown top level operator: %s. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.", key)
}

func (c *compiler) logical(key string, v bson.RawValue) (node, error) {
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.BadValue, "%s must be an array", key)
	}
	var children []node
	for _, e := range bson.Raw(v.Value).All() {
		if e.Type != bsontype.EmbeddedDocument {
			return nil, status.Errorf(errcode.BadValue, "$or/$and/$nor entries need to be full objects")
		}
		n, err := c.document(bson.Raw(e.Value))
		if err != nil {
			return nil, err
		}
		children = append(children, n)
	}
	switch {
	case len(children) == 0:
		return nil, status.Errorf(errcode.BadValue, "$and/$or/$nor must be a nonempty array")
	case key == "$and":
		return and(children), nil
	case key == "$or":
		return or(children), nil
	}
	return not{or(children)}, nil
}

// field compiles the condition on one path: a value to be equal to, or a document of operators.
func (c *compiler) field(name string, v bson.RawValue) (node, error) {
	walk := walkPath(path.Parse(name).Each)
	if v.Type == bsontype.Regex {
		cond, err := regexCondition(v)
		return &leaf{name, cond, walk}, err
	}
	if !isOperators(v) {
		return &leaf{name, c.equal(v), walk}, nil
	}
	conditions, err := c.operators(bson.Raw(v.Value))
	if err != nil {
		return nil, err
	}
	var nodes and
	for _, cond := range conditions {
		nodes = append(nodes, bind(name, cond, walk))
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	return nodes, nil
}

// bind makes a condition on a path; a group is split so that every part walks the path by itself.
func bind(name string, cond condition, walk walkPath) node {
	if cond.group == nil {
		return &leaf{name, cond, walk}
	}
	var nodes and
	for _, child := range cond.group {
		nodes = append(nodes, bind(name, child, walk))
	}
	if cond.negated {
		return not{nodes}
	}
	return nodes
}
