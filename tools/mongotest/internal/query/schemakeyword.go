package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func (c *compiler) compileKeyword(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	switch keyword {
	case "title", "description":
		if v.Type != bsontype.String {
			return nil, errMustBe(keyword, "of type string")
		}
		return nil, nil
	case "exclusiveMinimum", "exclusiveMaximum":
		if v.Type != bsontype.Boolean {
			return nil, errMustBe(keyword, "a boolean")
		}
		return nil, nil
	case "bsonType", "type":
		return typeRule(keyword, v)
	case "enum":
		return compileEnum(v)
	case "allOf", "anyOf", "oneOf":
		return c.combine(keyword, v)
	case "not":
		return c.compileNot(v)
	case "encrypt", "encryptMetadata":
		return compileEncrypt(keyword, v)
	case "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "pattern":
		return scalarRule(keyword, v, d)
	case "uniqueItems", "items", "additionalItems":
		return c.arrayRule(keyword, v, d)
	case "required", "properties", "patternProperties", "additionalProperties", "dependencies":
		return c.objectRule(keyword, v, d)
	case "$ref", "$schema", "default", "definitions", "format", "id":
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' is not currently supported", keyword)
	}
	return nil, status.Errorf(errcode.FailedToParse, "Unknown $jsonSchema keyword: %s", keyword)
}
