package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileEqual compiles equality. Null also matches missing fields, and undefined before 8.0.
func (c *compiler) compileEqual(want bson.RawValue) (condition, error) {
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

func (c *compiler) compileOrdered(name, op string, want bson.RawValue) (condition, error) {
	switch want.Type {
	case bsontype.Regex:
		return condition{}, status.Errorf(errcode.BadValue, "Can't have RegEx as arg to predicate over field '%s'.", name)
	case bsontype.Undefined:
		return condition{}, status.Errorf(errcode.BadValue, "cannot compare to undefined")
	}
	collation := c.options.Collation
	orEqual := strings.HasSuffix(op, "e")
	if want.Type == bsontype.Null {
		return condition{test: func(_ *Match, v bson.RawValue) bool { return orEqual && value.IsNullish(v) }}, nil
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

func (c *compiler) compileIn(op string, v bson.RawValue) (condition, error) {
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
			cond, err := compileRegex(e)
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
