package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) combine(keyword string, v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, errMustBe(keyword, "an array")
	}
	var parts []schema
	for _, e := range value.Elements(v) {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, errMustBe(keyword, "an array of objects, but found an element of type "+e.Type.String())
		}
		s, err := c.compileSchema(d)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return nil, status.Errorf(errcode.BadValue, "$jsonSchema keyword '%s' must be a non-empty array", keyword)
	}
	return func(v bson.RawValue) bool {
		n := 0
		for _, s := range parts {
			if s.holds(v) {
				n++
			}
		}
		return keyword == "allOf" && n == len(parts) || keyword == "anyOf" && n > 0 || keyword == "oneOf" && n == 1
	}, nil
}

func (c *compiler) compileNot(v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, errMustBe("not", "an object, but found an element of type "+v.Type.String())
	}
	s, err := c.compileSchema(d)
	return func(v bson.RawValue) bool { return !s.holds(v) }, err
}
