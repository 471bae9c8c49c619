package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) compileOperator(name, op string, v bson.RawValue, ops bson.Raw) (condition, error) {
	switch op {
	case "$eq":
		return c.compileEqual(v)
	case "$ne":
		if v.Type == bsontype.Regex {
			return condition{}, status.Errorf(errcode.BadValue, "Can't have regex as arg to $ne.")
		}
		cond, err := c.compileEqual(v)
		cond.negated = true
		return cond, err
	case "$gt", "$gte", "$lt", "$lte":
		return c.compileOrdered(name, op, v)
	case "$in", "$nin":
		return c.compileIn(op, v)
	case "$exists":
		return condition{
			leaf:    path.Whole,
			negated: !value.IsTruthy(v),
			test:    func(_ *Match, v bson.RawValue) bool { return !v.IsZero() },
		}, nil
	case "$type":
		return compileType(op, v)
	case "$not":
		return c.compileNegation(name, v)
	case "$regex":
		return compileRegexOperator(ops)
	}
	return c.compileRare(op, v)
}

func (c *compiler) compileRare(op string, v bson.RawValue) (condition, error) {
	switch op {
	case "$mod":
		return compileMod(v)
	case "$size":
		return compileSize(v)
	case "$all":
		return c.compileAll(v)
	case "$elemMatch":
		return c.compileElemMatch(v)
	case "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear":
		return compileBits(op, v)
	case "$geoWithin", "$geoIntersects", "$within":
		return compileGeo(op, v)
	case "$near", "$nearSphere", "$geoNear":
		return condition{}, status.Errorf(errcode.BadValue, "near must be first in: %s", element(op, v))
	case "$where":
		return condition{}, status.Errorf(errcode.BadValue, "$where cannot be applied to a field")
	}
	return condition{}, status.Errorf(errcode.BadValue, "unknown operator: %s", op)
}

func (c *compiler) compileNegation(name string, v bson.RawValue) (condition, error) {
	if v.Type == bsontype.Regex {
		cond, err := compileRegex(v)
		cond.negated = true
		return cond, err
	}
	switch {
	case v.Type != bsontype.EmbeddedDocument:
		return condition{}, status.Errorf(errcode.BadValue, "$not needs a regex or a document")
	case bson.Raw(v.Value).Len() == 0:
		return condition{}, status.Errorf(errcode.BadValue, "$not cannot be empty")
	}
	group, err := c.compileOperators(name, bson.Raw(v.Value))
	if err != nil {
		return condition{}, err
	}
	return condition{group: group, negated: true}, nil
}
