package query

import (
	"regexp"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	regex "github.com/specdrivers/onion/runtime/mongotest/internal/pattern"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

func (c *compiler) items(keyword string, v bson.RawValue) (rule, error) {
	if v.Type == bsontype.Boolean || keyword == "additionalItems" {
		return nil, nil
	}
	if v.Type == bsontype.Array {
		var parts []schema
		for _, e := range value.Elements(v) {
			s, err := c.schema(bson.Raw(e.Value))
			if err != nil {
				return nil, err
			}
			parts = append(parts, s)
		}
		return func(v bson.RawValue) bool {
			for i, e := range value.Elements(v) {
				if v.Type == bsontype.Array && i < len(parts) && !parts[i].holds(e) {
					return false
				}
			}
			return true
		}, nil
	}
	s, err := c.schema(bson.Raw(v.Value))
	return func(v bson.RawValue) bool {
		if v.Type != bsontype.Array {
			return true
		}
		for _, e := range value.Elements(v) {
			if !s.holds(e) {
				return false
			}
		}
		return true
	}, err
}

func (c *compiler) properties(keyword string, v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "$jsonSchema keyword '%s' must be an object", keyword)
	}
	if keyword == "dependencies" {
		return c.dependencies(d)
	}
	schemas := map[string]schema{}
	patterns := map[string]*regexp.Regexp{}
	for name, e := range d.All() {
		sub, ok := e.DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.TypeMismatch, "Nested schema for $jsonSchema property '%s' must be an object", name)
		}
		s, err := c.schema(sub)
		if err != nil {
			return nil, err
		}
		schemas[name] = s
		if keyword == "patternProperties" {
			if patterns[name], err = regex.Compile(name, ""); err != nil {
				return nil, err
			}
		}
	}
	return func(v bson.RawValue) bool {
		if v.Type != bsontype.EmbeddedDocument {
			return true
		}
		for name, e := range bson.Raw(v.Value).All() {
			if s, ok := schemas[name]; ok && keyword == "properties" && !s.holds(e) {
				return false
			}
			for pattern, re := range patterns {
				if re.MatchString(name) && !schemas[pattern].holds(e) {
					return false
				}
			}
		}
		return true
	}, nil
}

func (c *compiler) dependencies(d bson.Raw) (rule, error) {
	rules := map[string]rule{}
	for name, e := range d.All() {
		if e.Type == bsontype.Array {
			r, err := required(e)
			if err != nil {
				return nil, err
			}
			rules[name] = r
			continue
		}
		s, err := c.schema(bson.Raw(e.Value))
		if err != nil {
			return nil, err
		}
		rules[name] = s.holds
	}
	return func(v bson.RawValue) bool {
		for name, r := range rules {
			if v.Type == bsontype.EmbeddedDocument && !path.Field(bson.Raw(v.Value), name).IsZero() && !r(v) {
				return false
			}
		}
		return true
	}, nil
}

// additional rules over the fields that neither properties nor patternProperties name.
func (c *compiler) additional(v bson.RawValue, d bson.Raw) (rule, error) {
	known := bson.Raw(path.Field(d, "properties").Value)
	var patterns []*regexp.Regexp
	for pattern := range bson.Raw(path.Field(d, "patternProperties").Value).All() {
		re, err := regex.Compile(pattern, "")
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, re)
	}
	allowed := value.Truthy(v)
	sub := schema{func(bson.RawValue) bool { return allowed }}
	if v.Type == bsontype.EmbeddedDocument {
		var err error
		if sub, err = c.schema(bson.Raw(v.Value)); err != nil {
			return nil, err
		}
	}
	return func(v bson.RawValue) bool {
		if v.Type != bsontype.EmbeddedDocument {
			return true
		}
		for name, e := range bson.Raw(v.Value).All() {
			if path.Field(known, name).IsZero() && !matchesAny(patterns, name) && !sub.holds(e) {
				return false
			}
		}
		return true
	}, nil
}

func matchesAny(patterns []*regexp.Regexp, s string) bool {
	for _, re := range patterns {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}
