package queryanalysis

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// checkJSONSchema refuses a $jsonSchema in a validator that names values of encrypted fields.
func (a *analysisRun) checkJSONSchema(v bson.RawValue) error {
	doc, ok := v.DocumentOK()
	if !ok {
		return refusal.New(analysis.OpJSONSchema, "", "the operator needs a document")
	}
	return checkSubSchema(doc, a.tree, "")
}

// checkSubSchema checks the schema of a path where fields are encrypted.
func checkSubSchema(doc bson.Raw, n *schema.Node, path string) error {
	if n == nil {
		return nil
	}
	for key, v := range doc.All() {
		if err := checkKeyword(key, v, n, path); err != nil {
			return err
		}
	}
	return nil
}

func checkKeyword(key string, v bson.RawValue, n *schema.Node, path string) error {
	switch key {
	case "encrypt", "encryptMetadata", encryption.FieldBSONType, "type", "title", "description",
		"required", "minProperties", "maxProperties":
		return nil
	case "properties":
		doc, ok := v.DocumentOK()
		if !ok {
			break
		}
		for name, sub := range doc.All() {
			one, ok := sub.DocumentOK()
			below := name
			if path != "" {
				below = path + "." + name
			}
			if !ok {
				return refusal.New(analysis.OpJSONSchema, below, "a property must be a document")
			}
			if err := checkSubSchema(one, n.Child(name), below); err != nil {
				return err
			}
		}
		return nil
	case "patternProperties", "additionalProperties":
		if v.Type == bsontype.Boolean || onlyEncrypts(v, 0) {
			return nil
		}
	}
	return refusal.New(analysis.OpJSONSchema, path, "%s: the keyword '%s' is not allowed there", analysis.ComparisonNotSupported(), key)
}

// onlyEncrypts reports whether a schema names no values, at any depth.
func onlyEncrypts(v bson.RawValue, depth int) bool {
	doc, ok := v.DocumentOK()
	if !ok || depth > maxDepth {
		return false
	}
	for key, v := range doc.All() {
		switch key {
		case "encrypt", "encryptMetadata", encryption.FieldBSONType, "type", "title", "description":
		case "properties", "patternProperties", "additionalProperties":
			if !eachOnlyEncrypts(key, v, depth+1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// eachOnlyEncrypts is onlyEncrypts for a keyword that holds other schemas.
func eachOnlyEncrypts(key string, v bson.RawValue, depth int) bool {
	doc, ok := v.DocumentOK()
	switch {
	case !ok:
		return v.Type == bsontype.Boolean
	case key == "additionalProperties":
		return onlyEncrypts(v, depth)
	}
	for _, one := range doc.All() {
		if !onlyEncrypts(one, depth) {
			return false
		}
	}
	return true
}
