package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// schemaReasons are the reasons for the keywords that look at one value.
var schemaReasons = map[string]string{
	"bsonType": "type did not match", "type": "type did not match", "enum": "value was not found in enum",
	"minimum": "comparison failed", "maximum": "comparison failed", "exclusiveMinimum": "comparison failed",
	"exclusiveMaximum": "comparison failed", "multipleOf": "considered value is not a multiple of the specified value",
	"minLength": "specified string length was not satisfied", "maxLength": "specified string length was not satisfied",
	"pattern": "regular expression did not match", "minItems": "array did not match specified length",
	"maxItems": "array did not match specified length", "uniqueItems": "found a duplicate item",
	"minProperties": "specified number of properties was not satisfied",
	"maxProperties": "specified number of properties was not satisfied",
}

// breaks reports whether a value breaks one keyword of a schema. Keywords that belong together come together.
func breaks(v bson.RawValue, keywords ...condition) bool {
	schema, start := bson.AppendDocumentStart(nil)
	for _, k := range keywords {
		schema = bson.AppendRawValueElement(schema, k.name, k.v)
	}
	rule := value.Document(bson.AppendDocumentEnd(schema, start))
	properties := newSingleField("properties", value.Document(newSingleField("v", rule)))
	f, err := query.Compile(newSingleField("$jsonSchema", value.Document(properties)), query.Options{})
	if err != nil {
		return false
	}
	ok, err := f.Match(newSingleField("v", v))
	return err == nil && !ok
}

// schemaDetails lists the rules of a schema that a value breaks.
func schemaDetails(schema bson.Raw, v bson.RawValue) []bson.RawValue {
	var out []bson.RawValue
	for name, rule := range schema.All() {
		keywords := []condition{{name, rule}}
		for _, together := range [...][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"},
			{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}, {"additionalProperties", "properties"},
			{"additionalProperties", "patternProperties"}} {
			if other := schema.Lookup(together[1]); name == together[0] && !other.IsZero() {
				keywords = append(keywords, condition{together[1], other})
			}
		}
		if !breaks(v, keywords...) || name == "additionalProperties" && len(extraProperties(schema, v)) == 0 {
			continue
		}
		out = append(out, ruleDetails(name, rule, schema, v))
	}
	return out
}

func ruleDetails(name string, rule bson.RawValue, schema bson.Raw, v bson.RawValue) bson.RawValue {
	return newDetail(name, func(dst []byte) []byte {
		switch name {
		case "properties", "patternProperties":
			return bson.AppendRawValueElement(dst, "propertiesNotSatisfied", value.ArrayOf(propertyDetails(rule, v)...))
		case "allOf", "anyOf", "oneOf":
			return bson.AppendRawValueElement(dst, "schemasNotSatisfied", value.ArrayOf(branchDetails(rule, v)...))
		case "not":
			return bson.AppendStringElement(dst, "reason", "child expression matched")
		case "items":
			return appendItem(dst, rule, v)
		}
		dst = bson.AppendDocumentElement(dst, "specifiedAs", newSingleField(name, rule))
		switch name {
		case "required":
			return bson.AppendRawValueElement(dst, "missingProperties", value.ArrayOf(missingProperties(rule, v)...))
		case "additionalProperties":
			return bson.AppendRawValueElement(dst, "additionalProperties", value.ArrayOf(extraProperties(schema, v)...))
		}
		if reason := schemaReasons[name]; reason != "" {
			dst = bson.AppendStringElement(dst, "reason", reason)
		}
		dst = bson.AppendRawValueElement(dst, "consideredValue", v)
		if name == "bsonType" || name == "type" {
			dst = bson.AppendStringElement(dst, "consideredType", v.Type.String())
		}
		return dst
	})
}

// propertyDetails names the properties that break their schemas.
func propertyDetails(rule, v bson.RawValue) []bson.RawValue {
	var out []bson.RawValue
	d, _ := v.DocumentOK()
	properties, _ := rule.DocumentOK()
	for name, sub := range properties.All() {
		schema, _ := sub.DocumentOK()
		own := d.Lookup(name)
		if own.IsZero() {
			continue
		}
		list := schemaDetails(schema, own)
		if len(list) == 0 {
			continue
		}
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendStringElement(dst, "propertyName", name)
		dst = appendAnnotations(dst, schema)
		dst = bson.AppendRawValueElement(dst, "details", value.ArrayOf(list...))
		out = append(out, value.Document(bson.AppendDocumentEnd(dst, start)))
	}
	return out
}

func branchDetails(rule, v bson.RawValue) []bson.RawValue {
	var out []bson.RawValue
	for i, branch := range value.Elements(rule) {
		schema, _ := branch.DocumentOK()
		if list := schemaDetails(schema, v); len(list) > 0 {
			out = append(out, newClause(int32(i), value.ArrayOf(list...)))
		}
	}
	return out
}

// appendItem reports which array element first breaks the schema of the elements.
func appendItem(dst []byte, rule, v bson.RawValue) []byte {
	schema, _ := rule.DocumentOK()
	for i, item := range value.Elements(v) {
		list := schemaDetails(schema, item)
		if len(list) == 0 {
			continue
		}
		dst = bson.AppendStringElement(dst, "reason", "At least one item did not match the sub-schema")
		dst = bson.AppendInt32Element(dst, "itemIndex", int32(i))
		return bson.AppendRawValueElement(dst, "details", value.ArrayOf(list...))
	}
	return dst
}

// missingProperties returns the required properties that a document lacks.
func missingProperties(rule, v bson.RawValue) []bson.RawValue {
	var out []bson.RawValue
	d, _ := v.DocumentOK()
	for _, name := range value.Elements(rule) {
		if d.Lookup(value.Text(name)).IsZero() {
			out = append(out, name)
		}
	}
	return out
}

// extraProperties returns the properties of a document that the schema neither describes nor allows.
func extraProperties(schema bson.Raw, v bson.RawValue) []bson.RawValue {
	var known []string
	properties, _ := schema.Lookup("properties").DocumentOK()
	for name := range properties.All() {
		known = append(known, name)
	}
	var out []bson.RawValue
	d, _ := v.DocumentOK()
	for name, own := range d.All() {
		only := []condition{{"additionalProperties", schema.Lookup("additionalProperties")}}
		if patterns := schema.Lookup("patternProperties"); patterns.Type == bsontype.EmbeddedDocument {
			only = append(only, condition{"patternProperties", patterns})
		}
		if !slices.Contains(known, name) && breaks(value.Document(newSingleField(name, own)), only...) {
			out = append(out, value.String(name))
		}
	}
	return out
}
