package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// schema is a compiled $jsonSchema. Every rule must hold. A rule about another type than the value's always holds.
type schema []rule

type rule func(v bson.RawValue) bool

func (s schema) holds(v bson.RawValue) bool {
	for _, r := range s {
		if !r(v) {
			return false
		}
	}
	return true
}

// match applies a schema to a whole document.
func (s schema) match(_ *Match, doc bson.Raw) bool { return s.holds(value.Document(doc)) }

// schema compiles a schema. An unknown keyword is an error, as in the server.
func (c *compiler) schema(d bson.Raw) (schema, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
	}
	if err := checkKeywords(d); err != nil {
		return nil, err
	}
	var s schema
	for keyword, v := range d.All() {
		r, err := c.keyword(keyword, v, d)
		if err != nil {
			return nil, err
		}
		if r != nil {
			s = append(s, r)
		}
	}
	return s, nil
}

// checkKeywords refuses keywords that exclude each other, and duplicate keywords.
func checkKeywords(d bson.Raw) error {
	seen := map[string]bool{}
	for keyword := range d.All() {
		if seen[keyword] {
			return status.Errorf(errcode.FailedToParse, "Duplicate $jsonSchema keyword: %s", keyword)
		}
		seen[keyword] = true
	}
	switch {
	case seen["type"] && seen["bsonType"]:
		return status.Errorf(errcode.FailedToParse, "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'")
	case seen["encrypt"] && seen["encryptMetadata"]:
		return status.Errorf(errcode.FailedToParse, "Cannot specify both $jsonSchema keywords 'encrypt' and 'encryptMetadata'")
	case seen["exclusiveMaximum"] && !seen["maximum"]:
		return status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'maximum' must be a present if exclusiveMaximum is present")
	case seen["exclusiveMinimum"] && !seen["minimum"]:
		return status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'minimum' must be a present if exclusiveMinimum is present")
	}
	for _, other := range [...]string{"type", "bsonType"} {
		if seen["encrypt"] && seen[other] {
			return status.Errorf(errcode.FailedToParse,
				"$jsonSchema keyword 'encrypt' cannot be used in conjunction with '%s', 'encrypt' implies type 'bsonType::BinData'", other)
		}
	}
	return nil
}

func (c *compiler) keyword(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	switch keyword {
	case "title", "description":
		if v.Type != bsontype.String {
			return nil, mustBe(keyword, "of type string")
		}
		return nil, nil
	case "exclusiveMinimum", "exclusiveMaximum":
		if v.Type != bsontype.Boolean {
			return nil, mustBe(keyword, "a boolean")
		}
		return nil, nil
	case "bsonType", "type":
		return typeRule(keyword, v)
	case "enum":
		return enum(v)
	case "allOf", "anyOf", "oneOf":
		return c.combined(keyword, v)
	case "not":
		return c.inverted(v)
	case "encrypt", "encryptMetadata":
		return encrypted(keyword, v)
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

func mustBe(keyword, what string) error {
	return status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must be %s", keyword, what)
}

// jsonTypes maps the names that the keyword type accepts to their BSON aliases.
var jsonTypes = map[string]string{
	"object": "object", "array": "array", "boolean": "bool", "null": "null", "number": "number", "string": "string",
}

func typeRule(keyword string, v bson.RawValue) (rule, error) {
	wanted := map[bsontype.Type]bool{}
	list := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		list = value.Elements(v)
	}
	for _, e := range list {
		name, ok := e.StringOK()
		if !ok {
			return nil, mustBe(keyword, "either a string or an array of strings")
		}
		if keyword == "type" {
			if name == "integer" {
				return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema type 'integer' is not currently supported.")
			}
			if name, ok = jsonTypes[name]; !ok {
				return nil, status.Errorf(errcode.BadValue, "Unknown type name alias: %s", value.Text(e))
			}
		}
		types, err := TypesOf(value.String(name))
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			wanted[t] = true
		}
	}
	if len(wanted) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' must name at least one type", keyword)
	}
	return func(v bson.RawValue) bool { return wanted[v.Type] }, nil
}

func enum(v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, mustBe("enum", "an array, but found an element of type "+v.Type.String())
	}
	known := map[string]bool{}
	for _, e := range value.Elements(v) {
		key := unordered(e)
		if known[key] {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'enum' array cannot contain duplicate values.")
		}
		known[key] = true
	}
	if len(known) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'enum' cannot be an empty array")
	}
	return func(v bson.RawValue) bool { return known[unordered(v)] }, nil
}

func (c *compiler) combined(keyword string, v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, mustBe(keyword, "an array")
	}
	var parts []schema
	for _, e := range value.Elements(v) {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, mustBe(keyword, "an array of objects, but found an element of type "+e.Type.String())
		}
		s, err := c.schema(d)
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

func (c *compiler) inverted(v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, mustBe("not", "an object, but found an element of type "+v.Type.String())
	}
	s, err := c.schema(d)
	return func(v bson.RawValue) bool { return !s.holds(v) }, err
}

// encrypted compiles the keyword encrypt: client-side encryption made the value, of the named type if one is given.
func encrypted(keyword string, v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, mustBe(keyword, "an object ")
	}
	if keyword == "encryptMetadata" {
		if d.Len() == 0 {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'encryptMetadata' cannot be an empty object ")
		}
		return nil, nil
	}
	wanted := map[bsontype.Type]bool{}
	if t := path.Field(d, "bsonType"); !t.IsZero() {
		var err error
		if wanted, err = typeSet(t); err != nil {
			return nil, err
		}
	}
	return func(v bson.RawValue) bool {
		subtype, data, ok := v.BinaryOK()
		if !ok || subtype != bsontype.BinaryEncrypted {
			return false
		}
		if len(wanted) == 0 {
			return true
		}
		s, err := encryption.ParseStored(data)
		fle1 := s.Kind == encryption.FLE1DeterministicEncryptedValue || s.Kind == encryption.FLE1RandomEncryptedValue
		return err == nil && fle1 && wanted[s.Type]
	}, nil
}
