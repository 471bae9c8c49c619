package queryanalysis

import (
	"strings"

	"github.com/specdrivers/onion/bson"
)

// valuedSchema is a JSON schema that names the marker as a value of its field.
func (w *world) valuedSchema(s secret) bson.D {
	doc := bson.Doc("enum", bson.A{s.marker})
	parts := strings.Split(s.path, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		if w.chance(10) {
			return bson.Doc(pick(w.Rand, "enum", "allOf", "not", "items"), bson.A{w.put(strings.Join(parts[i:], "."), s.marker)})
		}
		if w.chance(10) {
			doc = append(bson.Doc(pick(w.Rand, "properties", "patternProperties", "additionalProperties"), pick[any](w.Rand, bson.D{}, false)), doc...)
		}
		if w.chance(10) {
			doc = bson.Doc("additionalProperties", doc)
			continue
		}
		key := pick(w.Rand, "properties", "properties", "properties", "patternProperties")
		doc = bson.Doc(key, bson.Doc(parts[i], doc))
		if w.chance(10) {
			doc = bson.Doc(pick(w.Rand, "allOf", "anyOf", "oneOf"), bson.A{doc})
		}
	}
	return doc
}
