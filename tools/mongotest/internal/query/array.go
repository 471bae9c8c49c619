package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func compileSize(v bson.RawValue) (condition, error) {
	want, err := nonNegativeInt("$size", v)
	if err != nil {
		return condition{}, status.Errorf(errcode.BadValue, "Failed to parse $size. %s", status.From(err).Message)
	}
	return condition{leaf: path.Whole, test: func(_ *Match, v bson.RawValue) bool {
		return v.Type == bsontype.Array && int64(bson.RawArray(v.Value).Len()) == want
	}}, nil
}

// compileAll compiles $all. It is a group of equalities or of $elemMatch conditions, each of which walks the path by itself.
func (c *compiler) compileAll(v bson.RawValue) (condition, error) {
	if v.Type != bsontype.Array {
		return condition{}, status.Errorf(errcode.BadValue, "$all needs an array")
	}
	list := value.Elements(v)
	cond := condition{list: list}
	if len(list) == 0 {
		cond.test = func(*Match, bson.RawValue) bool { return false }
		return cond, nil
	}
	element := c.compileAllValue
	if firstKey(list[0]) == "$elemMatch" {
		element = c.compileAllElemMatch
	}
	for _, e := range list {
		child, err := element(e)
		if err != nil {
			return condition{}, err
		}
		cond.group = append(cond.group, child)
	}
	return cond, nil
}

func firstKey(v bson.RawValue) string {
	if v.Type != bsontype.EmbeddedDocument {
		return ""
	}
	first, _ := bson.Raw(v.Value).Index(0)
	return first.Key
}

func (c *compiler) compileAllValue(e bson.RawValue) (condition, error) {
	switch {
	case e.Type == bsontype.Regex:
		return compileRegex(e)
	case IsFieldOperator(firstKey(e)):
		return condition{}, status.Errorf(errcode.BadValue, "no $ expressions in $all")
	}
	return c.compileEqual(e)
}

func (c *compiler) compileAllElemMatch(e bson.RawValue) (condition, error) {
	if firstKey(e) != "$elemMatch" {
		return condition{}, status.Errorf(errcode.BadValue, "$all/$elemMatch has to be consistent")
	}
	first, _ := bson.Raw(e.Value).Index(0)
	cond, err := c.compileElemMatch(first.Value)
	cond.operand = first.Value
	return cond, err
}

// compileElemMatch tests the elements of an array. It applies operators if the document has them, else a query on element
// documents.
func (c *compiler) compileElemMatch(v bson.RawValue) (condition, error) {
	if v.Type != bsontype.EmbeddedDocument {
		return condition{}, status.Errorf(errcode.BadValue, "$elemMatch needs an Object")
	}
	c.nested++
	defer func() { c.nested-- }()
	reference := hasField(v, "$ref") || hasField(v, "$id") || hasField(v, "$db")
	if startsWithDollar(v) && !reference && !isTopLevel(firstKey(v)) {
		return c.compileElemMatchValue(bson.Raw(v.Value))
	}
	sub, err := c.compileDocument(bson.Raw(v.Value))
	if err != nil {
		return condition{}, err
	}
	cond := elements(func(m *Match, e bson.RawValue) bool {
		if e.Type != bsontype.EmbeddedDocument && e.Type != bsontype.Array {
			return false
		}
		return sub.match(m, bson.Raw(e.Value))
	})
	cond.fields = sub
	return cond, nil
}

func (c *compiler) compileElemMatchValue(ops bson.Raw) (condition, error) {
	conditions, err := c.compileOperators("", ops)
	if err != nil {
		return condition{}, err
	}
	cond := elements(func(m *Match, e bson.RawValue) bool {
		for i := range conditions {
			if !conditions[i].holds(m, e) {
				return false
			}
		}
		return true
	})
	cond.values = conditions
	return cond, nil
}

// elements returns a condition that holds if some element of an array passes the test. It records which one.
func elements(test func(*Match, bson.RawValue) bool) condition {
	return condition{op: "$elemMatch", leaf: path.Whole, test: func(m *Match, v bson.RawValue) bool {
		if v.Type != bsontype.Array {
			return false
		}
		i := 0
		for _, e := range bson.Raw(v.Value).All() {
			if test(m, e) {
				m.Position = i
				return true
			}
			i++
		}
		return false
	}}
}
