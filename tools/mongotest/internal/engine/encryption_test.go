package engine_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

const encryptedFields = `{fields: [
	{path: 'e', bsonType: 'string', keyId: {'$uuid': '00000000-0000-4000-8000-000000000001'}, queries: {queryType: 'equality', contention: 2}},
	{path: 'in.e', bsonType: 'string', keyId: {'$uuid': '00000000-0000-4000-8000-000000000002'}, queries: [{queryType: 'equality'}]},
	{path: 'r', bsonType: 'string', keyId: {'$uuid': '00000000-0000-4000-8000-000000000003'}, queries: {queryType: 'range'}},
	{path: 't', bsonType: 'string', keyId: {'$uuid': '00000000-0000-4000-8000-000000000004'}, queries: {queryType: 'prefix'}},
	{path: 'u', keyId: {'$uuid': '00000000-0000-4000-8000-000000000005'}}]}`

const information = `encryptionInformation: {type: 1, schema: {'db.c': ` + encryptedFields + `}}`

// newEncryptedServer has a collection with encrypted fields.
func newEncryptedServer(t *testing.T) *server {
	t.Helper()
	s := newServer(t)
	s.wire = 29
	s.run(t, `{create: 'c', encryptedFields: `+encryptedFields+`}`)
	return s
}

// ids returns the _id of what a find returns, joined.
func (s *server) ids(t *testing.T, command string) string {
	t.Helper()
	var out []string
	docs, _ := s.run(t, command).Lookup("cursor", "firstBatch").ArrayOK()
	for _, v := range docs.All() {
		d, _ := v.DocumentOK()
		out = append(out, d.Lookup("_id").String())
	}
	return strings.Join(out, " ")
}

func (s *server) document(t *testing.T, id int) bson.Raw {
	t.Helper()
	d, _ := s.run(t, fmt.Sprintf(`{find: 'c', filter: {_id: %d}}`, id)).Lookup("cursor", "firstBatch", "0").DocumentOK()
	return d
}

func findStored(t *testing.T, d bson.Raw, path ...string) sealed.Stored[encryption.Payload] {
	t.Helper()
	_, data, ok := d.Lookup(path...).BinaryOK()
	if !ok {
		t.Fatalf("no value at %v in %v", path, d)
	}
	v, err := sealed.ParseStored[encryption.Payload](data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkTags checks that a document has the tags of its values and no others.
func checkTags(t *testing.T, d bson.Raw, want int, paths ...[]string) {
	t.Helper()
	have := map[sealed.Token]bool{}
	list, _ := d.Lookup("__safeContent__").ArrayOK()
	for _, v := range list.All() {
		_, data, _ := v.BinaryOK()
		have[sealed.Token(data)] = true
	}
	if len(have) != want || list.Len() != want {
		t.Errorf("%d tags, %d different, want %d", list.Len(), len(have), want)
	}
	for _, path := range paths {
		v := findStored(t, d, path...)
		for _, tag := range v.Tags() {
			if !have[tag] {
				t.Errorf("tag %x of %v is not in the document", tag, path)
			}
		}
	}
}

func TestEncryptedInserts(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	s.run(t, `{insert: 'c', documents: [{_id: 1, e: `+c.insert("x", 0)+`, in: {e: `+c.insert("y", 0)+`}, r: `+c.insert("101", 0, "101", "1", "10")+
		`, t: `+c.prefixes("ab", "a", "ab")+`}], `+information+`}`)
	d := s.document(t, 1)
	checkTags(t, d, 8, []string{"e"}, []string{"in", "e"}, []string{"r"}, []string{"t"})
	for path, kind := range map[string]encryption.Payload{"e": 14, "r": 15, "t": 17} {
		if v := findStored(t, d, path); v.Kind != kind || v.Type != 2 {
			t.Errorf("%s is stored as %d, type %s", path, v.Kind, v.Type)
		}
	}
	v := findStored(t, d, "e")
	if sealed, err := c.level1.Open(v.Ciphertext); err != nil || string(sealed) != "16 bytes of an idx" {
		t.Errorf("the ciphertext is %q, %v", sealed, err)
	}
	zeros, err := encryption.ServerZerosEncryptionToken(c.find("x").Server).Open(v.Blocks[64:96])
	if err != nil || string(zeros) != string(make([]byte, 16)) {
		t.Errorf("the zeros are %x, %v", zeros, err)
	}
	s.want(t, `{count: 'enxcol_.c.esc'}`, `8`, "n")
	s.want(t, `{count: 'enxcol_.c.ecoc'}`, `8`, "n")
}

func TestEncryptedSearches(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	for i, v := range []string{"x", "y", "x", "x", "z"} {
		s.run(t, fmt.Sprintf(`{insert: 'c', documents: [{_id: %d, n: %d, e: %s, r: %s, t: %s}], %s}`, i, i%2, c.insert(v, int64(i%3)),
			c.insert("r"+v, 0, "r"+v, fmt.Sprint("half", i/3)), c.prefixes(v, v, "any"), information))
	}
	for filter, want := range map[string]string{
		`{e: ` + c.equal("x", 2) + `}`:                                                                     "0 2 3",
		`{e: {$eq: ` + c.equal("x", 2) + `}, n: 1}`:                                                        "3",
		`{e: {$eq: ` + c.equal("x", 0) + `}}`:                                                              "0 3",
		`{e: {$eq: ` + c.equal("nowhere", 2) + `}}`:                                                        "",
		`{e: {$in: [` + c.equal("y", 2) + `, ` + c.equal("z", 2) + `]}}`:                                   "1 4",
		`{e: {$nin: [` + c.equal("y", 2) + `, ` + c.equal("z", 2) + `]}}`:                                  "0 2 3",
		`{e: {$ne: ` + c.equal("x", 2) + `, $exists: true}}`:                                               "1 4",
		`{e: {$not: {$eq: ` + c.equal("x", 2) + `}}}`:                                                      "1 4",
		`{$or: [{e: ` + c.equal("y", 2) + `}, {n: 0}]}`:                                                    "0 1 2 4",
		`{$nor: [{e: ` + c.equal("x", 2) + `}]}`:                                                           "1 4",
		`{r: {$gt: ` + c.inRange("half1") + `}}`:                                                           "3 4",
		`{$and: [{r: {$gte: ` + c.inRange("ry", "half1") + `}}, {r: {$lte: ` + c.inRange() + `}}]}`:        "1 3 4",
		`{r: {$gte: ` + c.inRange("ry") + `, $lte: ` + c.inRange() + `}}`:                                  "1",
		`{$expr: {$eq: ['$e', ` + c.equal("y", 2) + `]}}`:                                                  "1",
		`{$expr: {$ne: ['$e', ` + c.equal("x", 2) + `]}}`:                                                  "1 4",
		`{$expr: {$in: ['$e', [` + c.equal("y", 2) + `, ` + c.equal("z", 2) + `]]}}`:                       "1 4",
		`{$expr: {$and: [{$gt: ['$r', ` + c.inRange("half0") + `]}, {$lt: ['$r', ` + c.inRange() + `]}]}}`: "0 1 2",
		`{$expr: {$encStrStartsWith: {input: '$t', prefix: ` + c.prefix("z") + `}}}`:                       "4",
		`{$expr: {$encStrStartsWith: {input: '$t', prefix: ` + c.prefix("any") + `}}}`:                     "0 1 2 3 4",
	} {
		if got := s.ids(t, `{find: 'c', filter: `+filter+`, `+information+`}`); got != want {
			t.Errorf("%s\n found %q, want %q", filter, got, want)
		}
		if got := s.ids(t, `{aggregate: 'c', pipeline: [{$match: `+filter+`}], cursor: {}, `+information+`}`); got != want {
			t.Errorf("aggregate %s\n found %q, want %q", filter, got, want)
		}
	}
	s.want(t, `{count: 'c', query: {e: `+c.equal("x", 2)+`}, `+information+`}`, `3`, "n")
	s.want(t, `{distinct: 'c', key: '_id', query: {e: `+c.equal("x", 2)+`}, `+information+`}`, `[0, 2, 3]`, "values")
	s.run(t, `{explain: {find: 'c', filter: {e: `+c.equal("x", 2)+`}, `+information+`}, verbosity: 'executionStats'}`)
}

func TestEncryptedUpdates(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	s.run(t, `{insert: 'c', documents: [{_id: 1, e: `+c.insert("x", 0)+`, r: `+c.insert("1", 0, "1", "root")+`}, {_id: 2, e: `+c.insert("x", 0)+`}], `+information+`}`)
	before := findStored(t, s.document(t, 1), "r")

	s.want(t, `{update: 'c', updates: [{q: {_id: 1}, u: {$set: {e: `+c.insert("y", 0)+`, n: 1}}}], `+information+`}`, `1`, "nModified")
	d := s.document(t, 1)
	checkTags(t, d, 3, []string{"e"}, []string{"r"})
	if after := findStored(t, d, "r"); string(after.Blocks) != string(before.Blocks) {
		t.Error("a value that no update named has changed")
	}
	if got := s.ids(t, `{find: 'c', filter: {e: `+c.equal("x", 0)+`}, `+information+`}`); got != "2" {
		t.Errorf("the old value finds %q", got)
	}
	if got := s.ids(t, `{find: 'c', filter: {e: `+c.equal("y", 0)+`}, `+information+`}`); got != "1" {
		t.Errorf("the new value finds %q", got)
	}
	s.run(t, `{update: 'c', updates: [{q: {e: `+c.equal("y", 0)+`}, u: {$unset: {r: 1}}}], `+information+`}`)
	checkTags(t, s.document(t, 1), 1, []string{"e"})
	s.run(t, `{update: 'c', updates: [{q: {_id: 1}, u: {e: `+c.insert("z", 0)+`}}], `+information+`}`)
	checkTags(t, s.document(t, 1), 1, []string{"e"})
	s.run(t, `{update: 'c', updates: [{q: {_id: 7}, u: {$set: {e: `+c.insert("z", 0)+`}}, upsert: true}], `+information+`}`)
	checkTags(t, s.document(t, 7), 1, []string{"e"})

	s.want(t, `{findAndModify: 'c', query: {_id: 7}, update: {$set: {e: `+c.insert("w", 0)+`}}, `+information+`}`, `7`, "value", "_id")
	if got := s.ids(t, `{find: 'c', filter: {e: `+c.equal("w", 0)+`}, `+information+`}`); got != "7" {
		t.Errorf("what findAndModify wrote finds %q", got)
	}
	s.want(t, `{delete: 'c', deletes: [{q: {e: `+c.equal("w", 0)+`}, limit: 1}], `+information+`}`, `1`, "n")
}

func TestEncryptedBulkWrites(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	info := `nsInfo: [{ns: 'db.c', ` + information + `}]`
	s.want(t, `{bulkWrite: 1, ops: [{insert: 0, document: {_id: 1, e: `+c.insert("x", 0)+`}}, {insert: 0, document: {_id: 2, e: `+c.insert("x", 0)+`}}], `+info+`}`, `2`, "nInserted")
	s.want(t, `{bulkWrite: 1, ops: [{update: 0, filter: {_id: 1}, updateMods: {$set: {e: `+c.insert("y", 0)+`}}}], `+info+`}`, `1`, "nModified")
	s.want(t, `{bulkWrite: 1, ops: [{delete: 0, filter: {e: `+c.equal("y", 0)+`}}], `+info+`}`, `1`, "nDeleted")
	s.wantFailure(t, `{bulkWrite: 1, ops: [{delete: 0, filter: {}}, {delete: 0, filter: {}}], `+info+`}`, 2, "Only insert is supported in BulkWrite with multiple operations")
}

func TestEncryptionIsRefused(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	x := c.insert("x", 0)
	for command, want := range map[string]struct {
		code int32
		text string
	}{
		`{update: 'c', updates: [{q: {}, u: {$set: {e: ` + x + `}}, multi: true}], ` + information + `}`:        {6371503, "single document updates"},
		`{update: 'c', updates: [{q: {}, u: {$set: {n: 1}}}, {q: {}, u: {$set: {n: 1}}}], ` + information + `}`: {6371502, "single document updates"},
		`{update: 'c', updates: [{q: {}, u: [{$set: {n: 1}}]}], ` + information + `}`:                           {6371517, "modifier and replacement"},
		`{delete: 'c', deletes: [{q: {}, limit: 1}, {q: {}, limit: 1}], ` + information + `}`:                   {6371302, "single document deletes"},
		`{findAndModify: 'c', query: {}, update: {$set: {n: 1}}, new: true, ` + information + `}`:               {6371402, "new: false"},
		`{findAndModify: 'c', query: {}, update: {$set: {n: 1}}, fields: {e: 1}, ` + information + `}`:          {6371408, "fields must be empty"},
		`{findAndModify: 'c', query: {}, update: [{$set: {n: 1}}], ` + information + `}`:                        {6439901, "modifier and replacement"},
		`{find: 'c', encryptionInformation: {type: 2, schema: {}}}`:                                             {2, "must be 1"},
	} {
		s.wantFailure(t, command, want.code, want.text)
	}
	for document, want := range map[string]struct {
		code float64
		text string
	}{
		`{n: ` + x + `}`:        {6373601, "Field 'n' is encrypted, but absent from schema"},
		`{u: ` + x + `}`:        {6373601, "Field 'u' is encrypted, but absent from schema"},
		`{e: [` + x + `]}`:      {6373601, "Field 'e.0' is encrypted, but absent from schema"},
		`{__safeContent__: []}`: {6666200, "Cannot modify __safeContent__"},
		`{e: 'plain'}`:          {121, "Document failed validation"},
		`{in: {e: 1}}`:          {121, "Document failed validation"},
		`{in: [{e: 1}]}`:        {121, "Document failed validation"},
		`{u: 'plain'}`:          {121, "Document failed validation"},
		`{e: ` + binary([]byte("\x0b short")) + `}`: {2, "cannot be read"},
		`{e: ` + c.equal("x", 0) + `}`:              {121, "Document failed validation"},
	} {
		reply := s.run(t, `{insert: 'c', documents: [`+document+`], `+information+`}`)
		code, _ := reply.Lookup("writeErrors", "0", "code").AsFloat64OK()
		if text, _ := reply.Lookup("writeErrors", "0", "errmsg").StringOK(); code != want.code || !strings.Contains(text, want.text) {
			t.Errorf("%s: %v %s", document, code, text)
		}
	}
	s.want(t, `{insert: 'c', documents: [{e: 'plain'}]}`, `121`, "writeErrors", "0", "code")
	s.want(t, `{count: 'enxcol_.c.esc'}`, `0`, "n")
	s.wantFailure(t, `{update: 'c', updates: 1, `+information+`}`, 14, "updates")
}

func TestEncryptedCreates(t *testing.T) {
	field := `{path: 'a', keyId: {'$uuid': '00000000-0000-4000-8000-000000000001'}}`
	for name, tt := range map[string]struct {
		wire   int32
		fields string
		code   int32
		text   string
	}{
		"a key that is no UUID":          {29, `{fields: [{path: 'a', keyId: false}]}`, 14, "create.encryptedFields.fields.keyId"},
		"no key":                         {29, `{fields: [{path: 'a'}]}`, 40414, "create.encryptedFields.fields.keyId"},
		"a state collection of any name": {29, `{escCollection: 'esc', fields: []}`, 7406900, "Encrypted State Collection name should follow"},
		"entries of any name":            {29, `{ecocCollection: 'ecoc', fields: []}`, 7406902, "Encrypted Compaction Collection name should follow"},
		"a path twice":                   {29, `{fields: [` + field + `, ` + field + `]}`, 6338402, "Duplicate paths"},
		"a path below another":           {29, `{fields: [` + field + `, {path: 'a.b', keyId: {'$uuid': '00000000-0000-4000-8000-000000000001'}}]}`, 6338403, "Conflicting"},
		"a query that came later":        {27, `{fields: [{path: 'a', keyId: {'$uuid': '00000000-0000-4000-8000-000000000001'}, queries: {queryType: 'prefix'}}]}`, 2, "queryType"},
		"a query that went":              {29, `{fields: [{path: 'a', keyId: {'$uuid': '00000000-0000-4000-8000-000000000001'}, queries: [{queryType: 'substringPreview'}]}]}`, 2, "queryType"},
		"a version before all of it":     {13, `{fields: []}`, 40415, "encryptedFields"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.wire = tt.wire
			s.wantFailure(t, `{create: 'c', encryptedFields: `+tt.fields+`}`, tt.code, tt.text)
		})
	}
	old := newServer(t)
	old.wire = 20
	old.wantFailure(t, `{find: 'c', `+information+`}`, 115, "the first version of Queryable Encryption")
	alone := newServer(t)
	alone.Engine = engine.New(engine.Config{Store: store.New(store.Config{}), Standalone: true})
	alone.wantFailure(t, `{create: 'c', encryptedFields: {fields: []}}`, 6346402, "not supported on standalone")
	alone.wantFailure(t, `{find: 'c', `+information+`}`, 6346402, "not supported on standalone")
	s := newEncryptedServer(t)
	if v := s.run(t, `{listCollections: 1}`).Lookup("cursor", "firstBatch", "0", "options", "encryptedFields", "fields"); v.IsZero() {
		t.Error("listCollections does not show the encrypted fields")
	}
}

func TestCompaction(t *testing.T) {
	s, c := newEncryptedServer(t), newClient()
	ecoc := fmt.Sprintf(`{"$binary": {"base64": "%s", "subType": "00"}}`, base64.StdEncoding.EncodeToString(c.ecoc[:]))
	tokens := `{e: ` + ecoc + `, 'in.e': ` + ecoc + `, r: {ecoc: ` + ecoc + `, anchorPaddingToken: ` + ecoc + `}, t: ` + ecoc + `}`
	next := 0
	insert := func(n int) {
		for range n {
			next++
			s.run(t, fmt.Sprintf(`{insert: 'c', documents: [{_id: %d, e: %s}], %s}`, next, c.insert("x", 0), information))
		}
	}
	check := func(after string, documents int) {
		t.Helper()
		if got := len(strings.Fields(s.ids(t, `{find: 'c', filter: {e: `+c.equal("x", 0)+`}, `+information+`}`))); got != next {
			t.Errorf("after %s %d of %d documents are found", after, got, next)
		}
		s.want(t, `{count: 'enxcol_.c.esc'}`, fmt.Sprint(documents), "n")
		s.want(t, `{count: 'enxcol_.c.ecoc'}`, `0`, "n")
	}
	insert(5)
	s.want(t, `{compactStructuredEncryptionData: 'c', compactionTokens: `+tokens+`}`,
		`{ecoc: {read: 5, deleted: 5}, esc: {read: 5, inserted: 1, updated: 0, deleted: 5}}`, "stats")
	check("a compaction", 1)
	insert(2)
	s.run(t, `{compactStructuredEncryptionData: 'c', compactionTokens: `+tokens+`}`)
	check("another", 2)
	insert(1)
	s.run(t, `{cleanupStructuredEncryptionData: 'c', cleanupTokens: `+tokens+`}`)
	check("a cleanup", 1)
	insert(3)
	s.run(t, `{cleanupStructuredEncryptionData: 'c', cleanupTokens: `+tokens+`}`)
	check("another cleanup", 1)
	insert(1)
	s.run(t, `{compactStructuredEncryptionData: 'c', compactionTokens: `+tokens+`}`)
	check("a compaction behind a cleanup", 2)

	s.wantFailure(t, `{compactStructuredEncryptionData: 'c'}`, 40414, "BSON field 'compactStructuredEncryptionData.compactionTokens' is missing but a required field")
	s.wantFailure(t, `{cleanupStructuredEncryptionData: 'c'}`, 40414, "cleanupTokens")
	s.wantFailure(t, `{compactStructuredEncryptionData: 'c', compactionTokens: {}}`, 7294900, "Missing compact token for 'e'")
	s.wantFailure(t, `{compactStructuredEncryptionData: 'none', compactionTokens: {}}`, 26, "does not exist")
	s.run(t, `{create: 'plain'}`)
	s.wantFailure(t, `{compactStructuredEncryptionData: 'plain', compactionTokens: {}}`, 6346807, "not an encrypted collection")
}
