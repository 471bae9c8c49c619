package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// isOperators reports whether a value is a document of operators: its first key begins with $, and it is not a DBRef.
func isOperators(v bson.RawValue) bool {
	return startsWithDollar(v) && !(hasField(v, "$ref") && hasField(v, "$id"))
}

func startsWithDollar(v bson.RawValue) bool {
	if v.Type != bsontype.EmbeddedDocument {
		return false
	}
	first, _ := bson.Raw(v.Value).Index(0)
	return strings.HasPrefix(first.Key, "$")
}

func hasField(v bson.RawValue, name string) bool {
	return !path.Field(bson.Raw(v.Value), name).IsZero()
}

// isTopLevel reports whether key is an operator that takes the place of a field name.
func isTopLevel(key string) bool {
	switch key {
	case "$and", "$or", "$nor", "$comment", "$expr", "$jsonSchema", "$alwaysTrue", "$alwaysFalse", "$sampleRate",
		"$where", "$text", "$ref", "$id", "$db":
		return true
	}
	return false
}

// IsFieldOperator reports whether op applies to the values of a path.
func IsFieldOperator(op string) bool {
	switch op {
	case "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$type", "$mod", "$size", "$all",
		"$elemMatch", "$regex", "$options", "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear",
		"$geoWithin", "$geoIntersects", "$within", "$near", "$nearSphere", "$geoNear":
		return true
	}
	return false
}

func isNear(op string) bool { return op == "$near" || op == "$nearSphere" || op == "$geoNear" }

// compileOperators compiles a document of operators; name is the path, for messages.
func (c *compiler) compileOperators(name string, ops bson.Raw) ([]condition, error) {
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
		cond, err := c.operator(c, name, op, v, ops)
		if err != nil {
			return nil, err
		}
		cond.op, cond.operand = op, v
		out = append(out, cond)
	}
	return out, nil
}
