package queryanalysis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// world is a random collection: its schema, and which paths are encrypted in it.
type world struct {
	*rand.Rand
	t      testing.TB
	qe     bool
	schema *Schema
	fields []secret
}

// secret is an encrypted path with the marker that a command holds there or compares with it.
type secret struct {
	path   string
	origin string // the path in the collection
	marker any
	gone   bool   // a stage removed it
	kind   string // det, rand, equality, range, text or unindexed
}

// The markers: a text, and a number. The test also finds the bytes of the number.
const markerText = "SECRETMARKER"

const markerNumber = int32(0x5EC2E7A5)

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

var keyID = bson.UUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

func newWorld(t testing.TB, seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 7)), t: t}
	var err error
	if w.qe = w.chance(40); w.qe {
		w.schema, err = FromEncryptedFields(w.raw(bson.Doc("fields", w.encryptedFields())))
	} else {
		doc := w.object("", 0)
		w.schema, err = FromJSONSchema(w.raw(doc), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) raw(doc bson.D) bson.Raw {
	raw, err := bson.Marshal(doc)
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

var names = []string{"a", "b", "c", "d", "e"}

// object is a random JSON schema of documents. Its first field is always encrypted.
func (w *world) object(above string, depth int) bson.D {
	var properties bson.D
	for i, name := range names[:1+w.IntN(4)] {
		switch path := above + name; {
		case depth < 3 && w.chance(35) && i > 0:
			properties = append(properties, bson.E{Key: name, Value: w.object(path+".", depth+1)})
		case w.chance(60) || i == 0:
			properties = append(properties, bson.E{Key: name, Value: bson.Doc("encrypt", w.encrypt(path))})
		default:
			properties = append(properties, bson.E{Key: name, Value: bson.Doc("bsonType", "string")})
		}
	}
	doc := bson.Doc("bsonType", "object", "properties", properties)
	if w.chance(20) {
		doc = append(doc, bson.E{Key: "patternProperties", Value: bson.Doc("^p_", bson.Doc("encrypt", w.encrypt(above+"p_x")))})
	}
	if w.chance(10) { // encrypt the first field in two ways
		doc = append(doc, bson.E{Key: "patternProperties", Value: bson.Doc("^a$", bson.Doc("encrypt", w.encrypt(above+"a")))})
	}
	if w.chance(15) {
		doc = append(doc, bson.E{Key: "additionalProperties", Value: bson.Doc("encrypt", w.encrypt(above+"zz"))})
	}
	return doc
}

func (w *world) encrypt(path string) bson.D {
	s := secret{path: path, kind: pick(w.Rand, "det", "det", "rand")}
	typ := w.marker(&s, "string", "string", "int")
	algorithm := map[string]string{"det": "AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic", "rand": "AEAD_AES_256_CBC_HMAC_SHA_512-Random"}
	s.origin = s.path
	w.fields = append(w.fields, s)
	return bson.Doc("keyId", bson.A{bson.Binary{Subtype: bsontype.BinaryUUID, Data: keyID[:]}}, "bsonType", typ, "algorithm", algorithm[s.kind])
}

// marker chooses the type of a field, and its marker.
func (w *world) marker(s *secret, types ...string) string {
	typ := pick(w.Rand, types...)
	if s.marker = any(markerText + fmt.Sprint(w.IntN(10))); typ == "int" {
		s.marker = markerNumber
	}
	return typ
}

func (w *world) encryptedFields() bson.A {
	var out bson.A
	for i := range 1 + w.IntN(5) {
		s := secret{path: names[i], kind: pick(w.Rand, "equality", "equality", "range", "text", "unindexed")}
		for range w.IntN(3) {
			s.path += "." + pick(w.Rand, names...)
		}
		doc := bson.Doc("path", s.path, "keyId", bson.Binary{Subtype: bsontype.BinaryUUID, Data: keyID[:]})
		switch s.kind {
		case "equality":
			doc = append(doc, bson.Doc("bsonType", w.marker(&s, "string", "int"), "queries", bson.Doc("queryType", "equality"))...)
		case "range":
			doc = append(doc, bson.Doc("bsonType", w.marker(&s, "int"), "queries", bson.Doc("queryType", "range"))...)
		case "text":
			doc = append(doc, bson.Doc("bsonType", w.marker(&s, "string"), "queries", bson.A{bson.Doc("queryType", "prefix",
				"strMinQueryLength", 1, "strMaxQueryLength", 9, "caseSensitive", true, "diacriticSensitive", true)})...)
		default:
			w.marker(&s, "string", "int")
		}
		s.origin = s.path
		w.fields = append(w.fields, s)
		out = append(out, doc)
	}
	return out
}

// findLeak returns where a value holds a marker outside a placeholder.
func findLeak(v bson.RawValue, at string) string {
	switch v.Type {
	case bsontype.EmbeddedDocument, bsontype.Array:
		for key, c := range bson.Raw(v.Value).All() {
			if strings.Contains(key, markerText) {
				return at + "." + key
			}
			if found := findLeak(c, at+"."+key); found != "" {
				return found
			}
		}
		return ""
	case bsontype.Binary:
		if subtype, data, _ := v.BinaryOK(); subtype == bsontype.BinaryEncrypted && len(data) > 0 && (data[0] == 0 || data[0] == 3) {
			return ""
		}
	}
	if n, ok := v.Int32OK(); ok && n == markerNumber || strings.Contains(string(v.Value), markerText) {
		return at
	}
	return ""
}
