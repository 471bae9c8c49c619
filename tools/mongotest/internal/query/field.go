package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// compileField compiles the condition on one path: a value to equal, or a document of operators.
func (c *compiler) compileField(name string, v bson.RawValue) (node, error) {
	if strings.Count(name, ".") >= componentsMax {
		return nil, status.Errorf(5729100, "FieldPath is too long")
	}
	walk := walkPath(path.Parse(name).Each)
	if v.Type == bsontype.Regex {
		cond, err := compileRegex(v)
		return &leaf{name, cond, walk}, err
	}
	if !isOperators(v) {
		cond, err := c.compileEqual(v)
		return &leaf{name, cond, walk}, err
	}
	first, _ := bson.Raw(v.Value).Index(0)
	if isNear(first.Key) && (first.Value.Type == bsontype.EmbeddedDocument || first.Value.Type == bsontype.Array) && c.nested == 0 {
		return c.compileNear(name, bson.Raw(v.Value))
	}
	conditions, err := c.compileOperators(name, bson.Raw(v.Value))
	if err != nil {
		return nil, err
	}
	var nodes and
	for _, cond := range conditions {
		nodes = append(nodes, bind(name, cond, walk))
	}
	return nodes.simplify(), nil
}

// bind applies a condition to a path. It splits a group so that every part walks the path by itself.
func bind(name string, cond condition, walk walkPath) node {
	if cond.group == nil {
		return &leaf{name, cond, walk}
	}
	var nodes and
	for _, child := range cond.group {
		nodes = append(nodes, bind(name, child, walk))
	}
	if cond.negated {
		return not{nodes.simplify()}
	}
	return nodes.simplify()
}
