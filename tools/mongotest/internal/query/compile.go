package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// depthMax limits the nesting of logical operators; componentsMax limits the length of a path.
const (
	depthMax      = 100
	componentsMax = 200
)

type walkPath func(doc bson.Raw, leaf path.Leaf, visit path.Visit) bool

type compiler struct {
	options Options
	depth   int
	nested  int // how many $elemMatch are open; inside one, conditions do not concern the whole document
	nor     int // how many $nor are open
	search  *fulltext.Search
}

// document compiles a query document. All its fields must match.
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
	return nodes.simplify(), nil
}

func (c *compiler) logical(key string, v bson.RawValue) (node, error) {
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.BadValue, "%s must be an array", key)
	}
	if bson.Raw(v.Value).Len() == 0 {
		return nil, status.Errorf(errcode.BadValue, "$and/$or/$nor must be a nonempty array")
	}
	var children []node
	if key == "$nor" {
		c.nor++
		defer func() { c.nor-- }()
	}
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
	case key == "$nor":
		return not{or(children)}, nil
	case key == "$and" || len(children) == 1:
		return and(children).simplify(), nil
	}
	return or(children), nil
}

// field compiles the condition on one path: a value to equal, or a document of operators.
func (c *compiler) field(name string, v bson.RawValue) (node, error) {
	if strings.Count(name, ".") >= componentsMax {
		return nil, status.Errorf(5729100, "FieldPath is too long")
	}
	walk := walkPath(path.Parse(name).Each)
	if v.Type == bsontype.Regex {
		cond, err := regexCondition(v)
		return &leaf{name, cond, walk}, err
	}
	if !isOperators(v) {
		cond, err := c.equal(v)
		return &leaf{name, cond, walk}, err
	}
	first, _ := bson.Raw(v.Value).Index(0)
	if isNear(first.Key) && (first.Value.Type == bsontype.EmbeddedDocument || first.Value.Type == bsontype.Array) && c.nested == 0 {
		return c.near(name, bson.Raw(v.Value))
	}
	conditions, err := c.operators(name, bson.Raw(v.Value))
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
