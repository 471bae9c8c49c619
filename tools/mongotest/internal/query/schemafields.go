package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/regex"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func (c *compiler) objectRule(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	var r rule
	var err error
	switch keyword {
	case "required":
		r, err = compileRequired(v)
	case "properties":
		r, err = c.compileProperties(v)
	case "patternProperties":
		r, err = c.compilePatternProperties(v)
	case "additionalProperties":
		r, err = c.compileAdditional(v, d)
	default:
		r, err = c.compileDependencies(v)
	}
	return func(v bson.RawValue) bool { return v.Type != bsontype.EmbeddedDocument || r(v) }, err
}

func has(v bson.RawValue, name string) bool {
	return v.Type == bsontype.EmbeddedDocument && hasField(v, name)
}

func compileRequired(v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, errMustBe("required", "an array, but found an element of type "+v.Type.String())
	}
	seen := map[string]bool{}
	var names []string
	for _, e := range value.Elements(v) {
		name, ok := e.StringOK()
		switch {
		case !ok:
			return nil, errMustBe("required", "an array of strings, but found an element of type: "+e.Type.String())
		case seen[name]:
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'required' array cannot contain duplicate values")
		}
		seen[name] = true
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'required' cannot be an empty array")
	}
	return hasAll(names), nil
}

func hasAll(names []string) rule {
	return func(v bson.RawValue) bool {
		for _, name := range names {
			if !has(v, name) {
				return false
			}
		}
		return true
	}
}

func (c *compiler) compileProperties(v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, errMustBe("properties", "an object")
	}
	schemas := map[string]schema{}
	for name, e := range d.All() {
		sub, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch, "Nested schema for $jsonSchema property '%s' must be an object", name)
		}
		var err error
		if schemas[name], err = c.compileSchema(sub); err != nil {
			return nil, err
		}
	}
	return func(v bson.RawValue) bool {
		for name, e := range bson.Raw(v.Value).All() {
			if s, ok := schemas[name]; ok && !s.holds(e) {
				return false
			}
		}
		return true
	}, nil
}

// patternSchema is a schema for the fields whose names match a pattern.
type patternSchema struct {
	name *regex.Regexp
	schema
}

func (c *compiler) compilePatterns(v bson.RawValue) (list []patternSchema, err error) {
	d, ok := v.DocumentOK()
	if !ok && !v.IsZero() {
		return nil, errMustBe("patternProperties", "an object")
	}
	for name, e := range d.All() {
		sub, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch,
				"$jsonSchema keyword 'patternProperties' has property '%s' which is not an object", name)
		}
		var p patternSchema
		if p.schema, err = c.compileSchema(sub); err != nil {
			return nil, err
		}
		if p.name, err = regex.CompileTest(name, ""); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (c *compiler) compilePatternProperties(v bson.RawValue) (rule, error) {
	patterns, err := c.compilePatterns(v)
	return func(v bson.RawValue) bool {
		for name, e := range bson.Raw(v.Value).All() {
			for _, p := range patterns {
				if matches(p.name, name) && !p.holds(e) {
					return false
				}
			}
		}
		return true
	}, err
}

// compileAdditional compiles the rule for fields that neither properties nor patternProperties name.
func (c *compiler) compileAdditional(v bson.RawValue, d bson.Raw) (rule, error) {
	patterns, err := c.compilePatterns(path.Field(d, "patternProperties"))
	if err != nil {
		return nil, err
	}
	sub, err := c.compileDefault("additionalProperties", "an object or a boolean", v)
	if err != nil {
		return nil, err
	}
	known, _ := path.Field(d, "properties").DocumentOK()
	return func(v bson.RawValue) bool {
	fields:
		for name, e := range bson.Raw(v.Value).All() {
			for _, p := range patterns {
				if matches(p.name, name) {
					continue fields
				}
			}
			if path.Field(known, name).IsZero() && !sub.holds(e) {
				return false
			}
		}
		return true
	}, nil
}

// compileDefault compiles the schema for fields that no other keyword names. It accepts everything, nothing, or what a schema accepts.
func (c *compiler) compileDefault(keyword, what string, v bson.RawValue) (schema, error) {
	switch v.Type {
	case bsontype.Boolean:
		allowed := value.IsTruthy(v)
		return schema{func(bson.RawValue) bool { return allowed }}, nil
	case bsontype.EmbeddedDocument:
		return c.compileSchema(bson.Raw(v.Value))
	}
	return nil, errMustBe(keyword, what)
}

func (c *compiler) compileDependencies(v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, errMustBe("dependencies", "an object")
	}
	rules := map[string]rule{}
	for name, e := range d.All() {
		switch {
		case e.Type == bsontype.Array:
			names, err := readDependents(name, e)
			if err != nil {
				return nil, err
			}
			rules[name] = hasAll(names)
		case e.Type == bsontype.EmbeddedDocument:
			s, err := c.compileSchema(bson.Raw(e.Value))
			if err != nil {
				return nil, err
			}
			rules[name] = s.holds
		case e.Type != bsontype.String || name != "title" && name != "description":
			return nil, status.Errorf(errcode.TypeMismatch,
				"property '%s' in $jsonSchema keyword 'dependencies' must be either an object or an array", name)
		}
	}
	return func(v bson.RawValue) bool {
		for name, r := range rules {
			if has(v, name) && !r(v) {
				return false
			}
		}
		return true
	}, nil
}

func readDependents(name string, v bson.RawValue) ([]string, error) {
	seen := map[string]bool{}
	var names []string
	for _, e := range value.Elements(v) {
		s, ok := e.StringOK()
		switch {
		case !ok:
			return nil, status.Errorf(errcode.TypeMismatch,
				"array '%s' in $jsonSchema keyword 'dependencies' can only contain strings, but found element of type: %s", name, e.Type)
		case seen[s]:
			return nil, status.Errorf(errcode.FailedToParse,
				"array '%s' in $jsonSchema keyword 'dependencies' contains duplicate element: %s", name, s)
		}
		seen[s] = true
		names = append(names, s)
	}
	if len(names) == 0 {
		return nil, status.Errorf(errcode.FailedToParse,
			"property '%s' in $jsonSchema keyword 'dependencies' cannot be an empty array", name)
	}
	return names, nil
}
