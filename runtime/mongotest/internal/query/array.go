package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

func sizeCondition(v bson.RawValue) (condition, error) {
	want, ok := number.Whole(v)
	switch {
	case !number.Is(v.Type), !ok:
		return condition{}, status.Errorf(errcode.BadValue, "Failed to parse $size. Expected %s in: $size: %s", expected(v), status.TextOf(v))
	case want < 0:
		return condition{}, status.Errorf(errcode.BadValue, "Failed to parse $size. Expected a non-negative number in: $size: %s", status.TextOf(v))
	}
	return condition{leaf: path.Whole, test: func(_ *Match, v bson.RawValue) bool {
		return v.Type == bsontype.Array && int64(bson.RawArray(v.Value).Len()) == want
	}}, nil
}

func expected(v bson.RawValue) string {
	if number.Is(v.Type) {
		return "an integer"
	}
	return "a number"
}

// all is $all: a group of equalities, each of which walks the path by itself, or of $elemMatch conditions.
func (c *compiler) all(v bson.RawValue) (condition, error) {
	if v.Type != bsontype.Array {
		return condition{}, status.Errorf(errcode.BadValue, "$all needs an array")
	}
	list := value.Elements(v)
	cond := condition{list: list}
	for _, e := range list {
		child, err := c.allElement(e)
		if err != nil {
			return condition{}, err
		}
		cond.group = append(cond.group, child)
	}
	if len(list) == 0 {
		cond.test = func(*Match, bson.RawValue) bool { return false }
	}
	return cond, nil
}

func (c *compiler) allElement(e bson.RawValue) (condition, error) {
	if e.Type == bsontype.Regex {
		return regexCondition(e)
	}
	if !isOperators(e) {
		return c.equal(e), nil
	}
	first, _ := bson.Raw(e.Value).Index(0)
	if first.Key != "$elemMatch" {
		return condition{}, status.Errorf(errcode.BadValue, "no $ expressions in $all")
	}
	cond, err := c.elemMatch(first.Value)
	cond.op, cond.operand = first.Key, first.Value
	return cond, err
}

// elemMatch tests the elements of an array: by operators when the document has them, else as documents.
func (c *compiler) elemMatch(v bson.RawValue) (condition, error) {
	if v.Type != bsontype.EmbeddedDocument {
		return condition{}, status.Errorf(errcode.BadValue, "$elemMatch needs an Object")
	}
	if isOperators(v) && !startsLogical(bson.Raw(v.Value)) {
		return c.elemMatchValue(bson.Raw(v.Value))
	}
	sub, err := c.document(bson.Raw(v.Value))
	if err != nil {
		return condition{}, err
	}
	return elements(func(m *Match, e bson.RawValue) bool {
		if e.Type != bsontype.EmbeddedDocument && e.Type != bsontype.Array {
			return false
		}
		return sub.match(m, bson.Raw(e.Value))
	}), nil
}

func startsLogical(d bson.Raw) bool {
	first, _ := d.Index(0)
	switch first.Key {
	case "$and", "$or", "$nor", "$expr", "$jsonSchema", "$where":
		return true
	}
	return false
}

func (c *compiler) elemMatchValue(ops bson.Raw) (condition, error) {
	for key := range ops.All() {
		if !strings.HasPrefix(key, "$") {
			return condition{}, status.Errorf(errcode.BadValue, "unknown operator: %s", key)
		}
	}
	conditions, err := c.operators(ops)
	if err != nil {
		return condition{}, err
	}
	return elements(func(m *Match, e bson.RawValue) bool {
		for i := range conditions {
			if !conditions[i].holds(m, e) {
				return false
			}
		}
		return true
	}), nil
}

// elements is a condition that some element of an array passes the test; it notes which.
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
