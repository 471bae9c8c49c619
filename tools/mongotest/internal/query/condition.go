package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// condition is one operator without its path.
type condition struct {
	op      string
	operand bson.RawValue
	list    []bson.RawValue // the operands of $in and $all
	leaf    path.Leaf
	negated bool // the condition holds if no value of the path passes the test
	test    func(m *Match, v bson.RawValue) bool
	group   []condition // $not: all of these must hold; replaces test
}

// holds applies the condition to one value, as $elemMatch does.
func (cond *condition) holds(m *Match, v bson.RawValue) bool {
	if cond.group == nil {
		return cond.test(m, v) != cond.negated
	}
	for i := range cond.group {
		if !cond.group[i].holds(m, v) {
			return cond.negated
		}
	}
	return !cond.negated
}

// operators compiles a document of operators; name is the path, for messages.
func (c *compiler) operators(name string, ops bson.Raw) ([]condition, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
	}
	if first, _ := ops.Index(0); isNear(first.Key) &&
		(first.Value.Type == bsontype.EmbeddedDocument || first.Value.Type == bsontype.Array) {
		return nil, status.Errorf(errcode.BadValue, "$geoNear, $near, and $nearSphere are not allowed in this context")
	}
	var out []condition
	for op, v := range ops.All() {
		if op == "$options" {
			if path.Field(ops, "$regex").IsZero() {
				return nil, status.Errorf(errcode.BadValue, "$options needs a $regex")
			}
			continue
		}
		cond, err := c.operator(name, op, v, ops)
		if err != nil {
			return nil, err
		}
		cond.op, cond.operand = op, v
		out = append(out, cond)
	}
	return out, nil
}

func (c *compiler) operator(name, op string, v bson.RawValue, ops bson.Raw) (condition, error) {
	switch op {
	case "$eq":
		return c.equal(v)
	case "$ne":
		if v.Type == bsontype.Regex {
			return condition{}, status.Errorf(errcode.BadValue, "Can't have regex as arg to $ne.")
		}
		cond, err := c.equal(v)
		cond.negated = true
		return cond, err
	case "$gt", "$gte", "$lt", "$lte":
		return c.ordered(name, op, v)
	case "$in", "$nin":
		return c.in(op, v)
	case "$exists":
		return condition{
			leaf:    path.Whole,
			negated: !value.Truthy(v),
			test:    func(_ *Match, v bson.RawValue) bool { return !v.IsZero() },
		}, nil
	case "$type":
		return typeCondition(op, v)
	case "$not":
		return c.negation(name, v)
	case "$regex":
		return regexOperator(ops)
	}
	return c.lesser(op, v)
}

func (c *compiler) lesser(op string, v bson.RawValue) (condition, error) {
	switch op {
	case "$mod":
		return modCondition(v)
	case "$size":
		return sizeCondition(v)
	case "$all":
		return c.all(v)
	case "$elemMatch":
		return c.elemMatch(v)
	case "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear":
		return bitsCondition(op, v)
	case "$geoWithin", "$geoIntersects", "$within":
		return geoCondition(op, v)
	case "$near", "$nearSphere", "$geoNear":
		return condition{}, status.Errorf(errcode.BadValue, "near must be first in: %s", element(op, v))
	case "$where":
		return condition{}, status.Errorf(errcode.BadValue, "$where cannot be applied to a field")
	}
	return condition{}, status.Errorf(errcode.BadValue, "unknown operator: %s", op)
}

func isNear(op string) bool { return op == "$near" || op == "$nearSphere" || op == "$geoNear" }

// equal compiles equality. Null also matches missing fields, and undefined before 8.0.
func (c *compiler) equal(want bson.RawValue) (condition, error) {
	if want.Type == bsontype.Undefined {
		return condition{}, status.Errorf(errcode.BadValue, "cannot compare to undefined")
	}
	collation := c.options.Collation
	undefined := c.options.Scope.Wire() < wire.Server80
	return condition{op: "$eq", operand: want, test: func(_ *Match, v bson.RawValue) bool {
		if v.IsZero() || v.Type == bsontype.Undefined && undefined {
			return want.Type == bsontype.Null
		}
		return compare.Equal(v, want, collation)
	}}, nil
}

func (c *compiler) ordered(name, op string, want bson.RawValue) (condition, error) {
	switch want.Type {
	case bsontype.Regex:
		return condition{}, status.Errorf(errcode.BadValue, "Can't have RegEx as arg to predicate over field '%s'.", name)
	case bsontype.Undefined:
		return condition{}, status.Errorf(errcode.BadValue, "cannot compare to undefined")
	}
	collation := c.options.Collation
	orEqual := strings.HasSuffix(op, "e")
	if want.Type == bsontype.Null {
		return condition{test: func(_ *Match, v bson.RawValue) bool { return orEqual && value.Nullish(v) }}, nil
	}
	edge := want.Type == bsontype.MinKey || want.Type == bsontype.MaxKey // these compare with all types and missing fields
	less := op[1] == 'l'
	nan := number.IsNaN(want)
	return condition{test: func(_ *Match, v bson.RawValue) bool {
		if !edge && (v.IsZero() || !compare.Comparable(v, want)) {
			return false
		}
		if nan || number.IsNaN(v) && !edge {
			return orEqual && nan && number.IsNaN(v)
		}
		d := compare.Values(v, want, collation)
		return d == 0 && orEqual || d < 0 && less || d > 0 && !less
	}}, nil
}

func (c *compiler) in(op string, v bson.RawValue) (condition, error) {
	if v.Type != bsontype.Array {
		return condition{}, status.Errorf(errcode.BadValue, "%s needs an array", op)
	}
	list := value.Elements(v)
	var tests []func(*Match, bson.RawValue) bool
	known := map[string]bool{}
	null := false
	for _, e := range list {
		switch {
		case e.Type == bsontype.Regex:
			cond, err := regexCondition(e)
			if err != nil {
				return condition{}, err
			}
			tests = append(tests, cond.test)
		case isOperators(e):
			return condition{}, status.Errorf(errcode.BadValue, "cannot nest $ under $in")
		case e.Type == bsontype.Undefined:
			return condition{}, status.Errorf(errcode.BadValue, "InMatchExpression equality cannot be undefined")
		default:
			null = null || e.Type == bsontype.Null
			known[string(compare.AppendKey(nil, e, c.options.Collation))] = true
		}
	}
	collation := c.options.Collation
	return condition{list: list, negated: op == "$nin", test: func(m *Match, v bson.RawValue) bool {
		if v.IsZero() {
			return null
		}
		var buffer [64]byte
		if known[string(compare.AppendKey(buffer[:0], v, collation))] {
			return true
		}
		for _, test := range tests {
			if test(m, v) {
				return true
			}
		}
		return false
	}}, nil
}

func (c *compiler) negation(name string, v bson.RawValue) (condition, error) {
	if v.Type == bsontype.Regex {
		cond, err := regexCondition(v)
		cond.negated = true
		return cond, err
	}
	switch {
	case v.Type != bsontype.EmbeddedDocument:
		return condition{}, status.Errorf(errcode.BadValue, "$not needs a regex or a document")
	case bson.Raw(v.Value).Len() == 0:
		return condition{}, status.Errorf(errcode.BadValue, "$not cannot be empty")
	}
	group, err := c.operators(name, bson.Raw(v.Value))
	if err != nil {
		return condition{}, err
	}
	return condition{group: group, negated: true}, nil
}
