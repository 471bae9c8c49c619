package encrypt

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
)

// marker is what must not leave in plain text.
const marker = "MARKER-that-nobody-may-see"

// templates are commands that store a value at an encrypted path, or compare the path with it. In them, PATH is the path, VALUE the
// value, LIST an array of the value, and DOC a document with the value at the path.
var templates = strings.Split(strings.TrimSpace(`
{"insert": "c", "documents": [DOC]}
{"insert": "c", "documents": [{}, DOC, DOC], "ordered": false}
{"insert": "c", "documents": [{"PATH": VALUE}]}
{"insert": "c", "documents": [{"PATH": LIST}]}
{"insert": "c", "documents": [DOC], "bypassDocumentValidation": true}
{"find": "c", "filter": {"PATH": VALUE}}
{"find": "c", "filter": DOC}
{"find": "c", "filter": {"PATH": {"$eq": VALUE}}}
{"find": "c", "filter": {"PATH": {"$in": LIST}}}
{"find": "c", "filter": {"PATH": {"$not": {"$eq": VALUE}}}}
{"find": "c", "filter": {"PATH": {"$gt": VALUE}}}
{"find": "c", "filter": {"PATH": {"$elemMatch": {"$eq": VALUE}}}}
{"find": "c", "filter": {"$or": [{"PATH": VALUE}, {"q": 1}]}}
{"find": "c", "filter": {"$nor": [{"$and": [{"PATH": {"$ne": VALUE}}]}]}}
{"find": "c", "filter": {"$expr": {"$eq": ["$PATH", VALUE]}}}
{"find": "c", "filter": {"$expr": {"$in": ["$PATH", LIST]}}}
{"find": "c", "filter": {"$expr": {"$and": [{"$gte": ["$PATH", VALUE]}, {"$lt": ["$PATH", VALUE]}]}}}
{"find": "c", "filter": {"$expr": {"$let": {"vars": {"v": "$PATH"}, "in": {"$eq": ["$$v", VALUE]}}}}}
{"find": "c", "filter": {"$expr": {"$eq": ["$PATH", {"$literal": VALUE}]}}}
{"find": "c", "filter": {"$expr": {"$encStrStartsWith": {"input": "$PATH", "prefix": VALUE}}}}
{"find": "c", "filter": {"$expr": {"$encStrContains": {"input": "$PATH", "substring": VALUE}}}}
{"find": "c", "filter": {"$expr": {"$eq": ["$PATH", "$$v"]}}, "let": {"v": VALUE}}
{"find": "c", "filter": {}, "min": {"PATH": VALUE}, "hint": {"PATH": 1}}
{"find": "c", "filter": {}, "projection": {"z": {"$eq": ["$PATH", VALUE]}}}
{"count": "c", "query": {"PATH": VALUE}}
{"distinct": "c", "key": "PATH", "query": {"PATH": VALUE}}
{"delete": "c", "deletes": [{"q": {"PATH": VALUE}, "limit": 1}]}
{"delete": "c", "deletes": [{"q": DOC, "limit": 0}]}
{"update": "c", "updates": [{"q": {"PATH": VALUE}, "u": {"$set": {"PATH": VALUE}}}]}
{"update": "c", "updates": [{"q": {}, "u": DOC}]}
{"update": "c", "updates": [{"q": {}, "u": DOC, "upsert": true}]}
{"update": "c", "updates": [{"q": {}, "u": {"$set": DOC}}]}
{"update": "c", "updates": [{"q": {}, "u": {"$setOnInsert": {"PATH": VALUE}}, "upsert": true}]}
{"update": "c", "updates": [{"q": {}, "u": {"$push": {"PATH": VALUE}}}]}
{"update": "c", "updates": [{"q": {}, "u": {"$push": {"PATH": {"$each": LIST}}}}]}
{"update": "c", "updates": [{"q": {}, "u": {"$max": {"PATH": VALUE}}}]}
{"update": "c", "updates": [{"q": {}, "u": [{"$set": {"PATH": VALUE}}]}]}
{"update": "c", "updates": [{"q": {}, "u": {"$set": {"PATH.$[i]": VALUE}}, "arrayFilters": [{"i": VALUE}]}]}
{"update": "c", "updates": [{"q": {}, "u": {"$pull": {"PATH": VALUE}}}]}
{"update": "c", "updates": [{"q": {}, "u": {"$unset": {"PATH": VALUE}}}]}
{"update": "c", "updates": [{"q": {}, "u": {"$rename": {"z": "PATH"}, "$set": {"PATH": VALUE}}}]}
{"findAndModify": "c", "query": {"PATH": VALUE}, "update": {"$set": {"PATH": VALUE}}}
{"findAndModify": "c", "query": {"PATH": VALUE}, "remove": true}
{"findAndModify": "c", "query": {}, "update": DOC, "upsert": true}
{"aggregate": "c", "pipeline": [{"$match": {"PATH": VALUE}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$match": {"$expr": {"$eq": [VALUE, "$PATH"]}}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$addFields": {"z": {"$cond": [{"$eq": ["$PATH", VALUE]}, 1, 0]}}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$set": {"PATH": "constant"}}, {"$unset": "PATH"}, {"$match": {"PATH": VALUE}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$project": {"w": "$PATH"}}, {"$match": {"w": VALUE}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$replaceRoot": {"newRoot": {"r": "$PATH"}}}, {"$match": {"r": VALUE}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$project": {"PATH": {"$cond": ["$z", "$PATH", VALUE]}}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$addFields": {"PATH": {"$ifNull": ["$PATH", {"$literal": VALUE}]}}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$replaceRoot": {"newRoot": {"$cond": ["$z", DOC, "$$ROOT"]}}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$set": {"PATH": {"$ifNull": ["$PATH", VALUE]}}}], "cursor": {}}
{"find": "c", "filter": {}, "projection": {"PATH": {"$ifNull": ["$PATH", VALUE]}}}
{"aggregate": "c", "pipeline": [{"$lookup": {"from": "c", "pipeline": [{"$match": {"PATH": VALUE}}], "as": "o"}}, {"$unwind": "$o"}, {"$match": {"o.PATH": VALUE}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$lookup": {"from": "c", "let": {"v": VALUE}, "pipeline": [{"$match": {"$expr": {"$eq": ["$PATH", "$$v"]}}}], "as": "o"}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$facet": {"f": [{"$match": {"PATH": VALUE}}]}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$unionWith": {"coll": "c", "pipeline": [{"$match": {"PATH": VALUE}}]}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$graphLookup": {"from": "c", "startWith": VALUE, "connectFromField": "z", "connectToField": "PATH", "as": "o"}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$merge": {"into": "c", "whenMatched": [{"$set": {"PATH": VALUE}}]}}], "cursor": {}}
{"aggregate": "c", "pipeline": [{"$group": {"_id": "$PATH", "n": {"$sum": {"$cond": [{"$eq": ["$PATH", VALUE]}, 1, 0]}}}}], "cursor": {}}
{"explain": {"find": "c", "filter": {"PATH": VALUE}}, "verbosity": "queryPlanner"}
{"create": "c", "validator": {"PATH": VALUE}}
{"collMod": "c", "validator": {"$expr": {"$eq": ["$PATH", VALUE]}}}
{"createIndexes": "c", "indexes": [{"key": {"z": 1}, "name": "i", "partialFilterExpression": {"PATH": VALUE}}]}
{"bulkWrite": 1, "ops": [{"insert": 0, "document": DOC}], "nsInfo": [{"ns": "db.c"}]}
{"bulkWrite": 1, "ops": [{"update": 0, "filter": {"PATH": VALUE}, "updateMods": {"$set": {"PATH": VALUE}}}], "nsInfo": [{"ns": "db.c"}]}
`), "\n")

// families say how a path is encrypted: by an algorithm of a JSON schema, or by the queries of encryptedFields.
var families = []string{
	"Deterministic", "Random", "", `{"queryType": "equality", "contention": 1}`,
	`[{"queryType": "prefix", "strMinQueryLength": 2, "strMaxQueryLength": 40, "caseSensitive": true, "diacriticSensitive": true},
	  {"queryType": "suffix", "strMinQueryLength": 2, "strMaxQueryLength": 40, "caseSensitive": false, "diacriticSensitive": true}]`,
	`{"queryType": "substring", "strMaxLength": 40, "strMinQueryLength": 2, "strMaxQueryLength": 30, "caseSensitive": true,
	  "diacriticSensitive": false}`,
}

const fuzzKey = `{"$binary": {"base64": "EjRWeBI0mHYSNBI0VniQEg==", "subType": "04"}}`

// fuzzRing holds the keys, which are read only once.
var fuzzRing struct {
	sync.Once
	*key.Ring
}

// newAutoForPath returns a client that encrypts a path of collection c, as its options or the server say.
func newAutoForPath(t *testing.T, family, path string, server bool) *Auto {
	fuzzRing.Do(func() { fuzzRing.Ring = ringOfVectors(t, "keys") })
	a := &Auto{Ring: fuzzRing.Ring, Random: rand.Reader}
	if schema, algorithm := jsonSchemaOf(family, path); algorithm {
		if server {
			schema = fmt.Sprintf(`{"name": "c", "type": "collection", "options": {"validator": {"$jsonSchema": %s}}}`, schema)
		} else {
			a.Schemas = map[string]bson.Raw{"db.c": parseRaw(t, schema)}
		}
		return a.learnFrom(t, schema)
	}
	queries := ""
	if family != "" {
		queries = `, "queries": ` + family
	}
	fields := fmt.Sprintf(`{"fields": [{"path": %q, "bsonType": "string", "keyId": %s%s}]}`, path, fuzzKey, queries)
	if !server {
		a.EncryptedFields = map[string]bson.Raw{"db.c": parseRaw(t, fields)}
	}
	return a.learnFrom(t, fmt.Sprintf(`{"name": "c", "type": "collection", "options": {"encryptedFields": %s}}`, fields))
}

// jsonSchemaOf returns the JSON schema that encrypts a path. ok is false for the families of Queryable Encryption.
func jsonSchemaOf(family, path string) (schema string, ok bool) {
	if family != "Deterministic" && family != "Random" {
		return "", false
	}
	schema = `{"encrypt": {"keyId": [` + fuzzKey + `], "bsonType": "string", "algorithm": "AEAD_AES_256_CBC_HMAC_SHA_512-` + family + `"}}`
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		schema = fmt.Sprintf(`{"bsonType": "object", "properties": {%q: %s}}`, names[i], schema)
	}
	return schema, true
}

// learnFrom gives a the answer of a server that describes the collection by info.
func (a *Auto) learnFrom(t *testing.T, info string) *Auto {
	a.Collections = func(context.Context, string, []string) ([]bson.Raw, error) { return []bson.Raw{parseRaw(t, info)}, nil }
	return a
}

// fillTemplate replaces the placeholders in a template.
func fillTemplate(r *mathrand.Rand, template, path string) string {
	text := marker + strings.Repeat("x", r.IntN(3))
	value := []string{`"` + text + `"`, `{"$symbol": "` + text + `"}`, `{"$code": "` + text + `"}`, `["` + text + `"]`, `{"z": "` + text + `"}`,
		`{"$binary": {"base64": "` + base64.StdEncoding.EncodeToString([]byte(text)) + `", "subType": "00"}}`}[max(0, r.IntN(12)-6)]
	doc := value
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		doc = fmt.Sprintf(`{%q: %s}`, names[i], doc)
		if i > 0 && r.IntN(10) == 0 {
			doc = "[" + doc + "]"
		}
	}
	if !strings.HasPrefix(doc, "{") {
		doc = `{"l": ` + doc + "}"
	}
	list := "[" + strings.Repeat(`"other", `, r.IntN(2)) + value + "]"
	return strings.NewReplacer("PATH", path, "VALUE", value, "LIST", list, "DOC", doc).Replace(template)
}

// encryptRandom encrypts a random command of the client and fails if the marker is in what would be sent. It reports whether anything would.
func encryptRandom(t *testing.T, seed uint64) bool {
	r := mathrand.New(mathrand.NewPCG(seed, 20))
	path := []string{"a", "a.b", "a.b.c", "x-y", "Ä"}[r.IntN(5)]
	family := families[r.IntN(len(families))]
	template := templates[r.IntN(len(templates))]
	text := fillTemplate(r, template, path)
	// The server does not know a collection that is yet to be created.
	a := newAutoForPath(t, family, path, r.IntN(2) == 0 && !strings.HasPrefix(template, `{"create"`))
	cmd := parseRaw(t, text)
	sent, err := a.Encrypt(t.Context(), database(cmd), cmd)
	if err != nil {
		if strings.Contains(err.Error(), marker) {
			t.Errorf("seed %d: the error %v of %s repeats the value", seed, err, text)
		}
		return false
	}
	if bytes.Contains(sent, []byte(marker)) {
		t.Errorf("seed %d: path %s, family %s: the marker leaves in plain text:\n%s\nbecame\n%s", seed, path, family, text, sent)
	}
	if err := sent.Validate(); err != nil {
		t.Errorf("seed %d: %s became malformed: %v", seed, text, err)
	}
	opened, err := a.Decrypt(t.Context(), sent)
	if err != nil {
		t.Errorf("seed %d: what %s became does not open: %v", seed, text, err)
	} else if strings.Contains(text, `"insert": "c"`) && !bytes.Contains(opened, []byte(marker)) {
		t.Errorf("seed %d: %s lost its value: %s", seed, text, opened)
	}
	return true
}

var seeds = flag.Int("seeds", 3000, "how many random commands to encrypt")

// TestNothingIsSentInPlainText checks the first rule on the bytes that are sent.
func TestNothingIsSentInPlainText(t *testing.T) {
	sent := 0
	for seed := range uint64(*seeds) {
		if encryptRandom(t, seed) {
			sent++
		}
	}
	if sent < *seeds/10 {
		t.Errorf("only %d of %d commands were sent: the test says little", sent, *seeds)
	}
	t.Logf("%d of %d commands were sent, the others were refused", sent, *seeds)
}

func FuzzNothingIsSentInPlainText(f *testing.F) {
	for seed := range uint64(64) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { encryptRandom(t, seed) })
}
