package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	regex "github.com/specdrivers/onion/runtime/mongotest/internal/pattern"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// schema is a compiled $jsonSchema: every rule must hold. A rule for another type than the value's holds.
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

// schema compiles a schema; what it does not know is an error, as in the server.
func (c *compiler) schema(d bson.Raw) (schema, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, status.Errorf(errcode.BadValue, "exceeded maximum query tree depth")
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

func (c *compiler) keyword(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	switch keyword {
	case "title", "description", "exclusiveMinimum", "exclusiveMaximum", "encryptMetadata":
		return nil, nil
	case "bsonType", "type":
		return typeRule(keyword, v)
	case "required":
		return required(v)
	case "enum":
		return enum(v)
	case "allOf", "anyOf", "oneOf", "not":
		return c.combined(keyword, v)
	case "minimum", "maximum", "multipleOf":
		return numberRule(keyword, v, d)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return lengthRule(keyword, v)
	case "pattern":
		return patternRule(v)
	case "uniqueItems":
		return uniqueItems(v), nil
	case "items", "additionalItems":
		return c.items(keyword, v)
	case "properties", "patternProperties", "dependencies":
		return c.properties(keyword, v)
	case "additionalProperties":
		return c.additional(v, d)
	case "$ref", "$schema", "default", "definitions", "format", "id":
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' is not currently supported", keyword)
	}
	return nil, status.Errorf(errcode.FailedToParse, "Unknown $jsonSchema keyword: %s", keyword)
}

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
			return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must be either a string or an array of strings", keyword)
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
	return func(v bson.RawValue) bool { return wanted[v.Type] }, nil
}

func required(v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword 'required' must be an array, but found an element of type %s", v.Type)
	}
	names := value.Elements(v)
	if len(names) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'required' cannot be an empty array")
	}
	return func(v bson.RawValue) bool {
		for _, name := range names {
			if v.Type == bsontype.EmbeddedDocument && path.Field(bson.Raw(v.Value), value.Text(name)).IsZero() {
				return false
			}
		}
		return true
	}, nil
}

func enum(v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array || bson.Raw(v.Value).Len() == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'enum' must be a non-empty array")
	}
	list := value.Elements(v)
	return func(v bson.RawValue) bool {
		for _, e := range list {
			if compare.Equal(v, e, nil) {
				return true
			}
		}
		return false
	}, nil
}

func (c *compiler) combined(keyword string, v bson.RawValue) (rule, error) {
	list := []bson.RawValue{v}
	if keyword != "not" {
		list = value.Elements(v)
	}
	var parts []schema
	for _, e := range list {
		d, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must hold objects", keyword)
		}
		s, err := c.schema(d)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return func(v bson.RawValue) bool {
		n := 0
		for _, s := range parts {
			if s.holds(v) {
				n++
			}
		}
		switch keyword {
		case "allOf":
			return n == len(parts)
		case "anyOf":
			return n > 0
		case "oneOf":
			return n == 1
		}
		return n == 0
	}, nil
}

func numberRule(keyword string, limit bson.RawValue, d bson.Raw) (rule, error) {
	if !number.Is(limit.Type) {
		return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must be a number", keyword)
	}
	exclusive := value.Truthy(path.Field(d, "exclusiveMinimum")) && keyword == "minimum" ||
		value.Truthy(path.Field(d, "exclusiveMaximum")) && keyword == "maximum"
	return func(v bson.RawValue) bool {
		if !number.Is(v.Type) {
			return true
		}
		if keyword == "multipleOf" {
			return number.IsZeroValue(number.Mod(v, limit))
		}
		d := number.Compare(v, limit)
		return d == 0 && !exclusive || d > 0 && keyword == "minimum" || d < 0 && keyword == "maximum"
	}, nil
}

func lengthRule(keyword string, v bson.RawValue) (rule, error) {
	limit, ok := number.Whole(v)
	if !ok || limit < 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' must be a non-negative integer", keyword)
	}
	return func(v bson.RawValue) bool {
		var n int64
		switch {
		case v.Type == bsontype.String && keyword[3:] == "Length":
			n = int64(len([]rune(value.Text(v))))
		case v.Type == bsontype.Array && keyword[3:] == "Items",
			v.Type == bsontype.EmbeddedDocument && keyword[3:] == "Properties":
			n = int64(bson.Raw(v.Value).Len())
		default:
			return true
		}
		return keyword[:3] == "min" && n >= limit || keyword[:3] == "max" && n <= limit
	}, nil
}

func patternRule(v bson.RawValue) (rule, error) {
	pattern, ok := v.StringOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword 'pattern' must be a string")
	}
	re, err := regex.Compile(pattern, "")
	if err != nil {
		return nil, err
	}
	return func(v bson.RawValue) bool {
		s, isString := v.StringOK()
		return !isString || re.MatchString(s)
	}, nil
}

func uniqueItems(want bson.RawValue) rule {
	return func(v bson.RawValue) bool {
		if v.Type != bsontype.Array || !value.Truthy(want) {
			return true
		}
		seen := map[string]bool{}
		for _, e := range value.Elements(v) {
			key := string(compare.AppendKey(nil, e, nil))
			if seen[key] {
				return false
			}
			seen[key] = true
		}
		return true
	}
}
