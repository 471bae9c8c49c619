package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) arrayRule(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	var r rule
	var err error
	switch keyword {
	case "uniqueItems":
		r, err = compileUniqueItems(v)
	case "items":
		r, err = c.compileItems(v)
	default:
		r, err = c.compileAdditionalItems(v, path.Field(d, "items"))
	}
	return func(v bson.RawValue) bool { return v.Type != bsontype.Array || r(v) }, err
}

func compileUniqueItems(v bson.RawValue) (rule, error) {
	want, ok := v.BooleanOK()
	if !ok {
		return nil, errMustBe("uniqueItems", "a boolean")
	}
	return func(v bson.RawValue) bool {
		seen := map[string]bool{}
		for _, e := range value.Elements(v) {
			key := unorderedKey(e)
			if want && seen[key] {
				return false
			}
			seen[key] = true
		}
		return true
	}, nil
}

// compileItems compiles one schema for all elements, or an array with a schema for each of the first elements.
func (c *compiler) compileItems(v bson.RawValue) (rule, error) {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		s, err := c.compileSchema(bson.Raw(v.Value))
		return applyFrom(0, s), err
	case bsontype.Array:
	default:
		return nil, errMustBe("items", "an array or an object, not "+v.Type.String())
	}
	var parts []schema
	for _, e := range value.Elements(v) {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch,
				"$jsonSchema keyword 'items' requires that each element of the array is an object, but found a %s", e.Type)
		}
		s, err := c.compileSchema(d)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return func(v bson.RawValue) bool {
		for i, e := range value.Elements(v) {
			if i < len(parts) && !parts[i].holds(e) {
				return false
			}
		}
		return true
	}, nil
}

// applyFrom applies a schema to the elements from a position on.
func applyFrom(start int, s schema) rule {
	return func(v bson.RawValue) bool {
		for i, e := range value.Elements(v) {
			if i >= start && !s.holds(e) {
				return false
			}
		}
		return true
	}
}

// compileAdditionalItems compiles the rule for elements beyond those that an items array covers.
func (c *compiler) compileAdditionalItems(v, items bson.RawValue) (rule, error) {
	s, err := c.compileDefault("additionalItems", "either an object or a boolean, but got a "+v.Type.String(), v)
	if items.Type != bsontype.Array {
		return func(bson.RawValue) bool { return true }, err
	}
	return applyFrom(len(value.Elements(items)), s), err
}
