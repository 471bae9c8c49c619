package mongo_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of client-side-encryption/tests/README.md about automatic encryption.

// schema encrypts one field deterministically with the first key.
func (s *encryptionScene) schema(field string) bson.D {
	how := bson.Doc("keyId", bson.A{s.keys[0]}, "bsonType", "string", "algorithm", options.AlgorithmDeterministic)
	return bson.Doc("bsonType", "object", "properties", bson.Doc(field, bson.Doc("encrypt", how)))
}

func (s *encryptionScene) create(t *testing.T, name string, o *options.CreateCollection) {
	t.Helper()
	if err := s.plain.Database("db").CreateCollection(t.Context(), name, o); err != nil {
		t.Fatal(err)
	}
}

// Prose test 3.
func TestExternalKeyVault(t *testing.T) {
	t.Parallel()
	for _, external := range []bool{false, true} {
		t.Run(fmt.Sprintf("external %v", external), func(t *testing.T) {
			s := newEncryptionScene(t, mongotest.Auth("real-user", "real-pwd"))
			auto := &options.AutoEncryption{SchemaMap: map[string]any{"db.coll": s.schema("encrypted")}}
			explicit := s.explicit
			if external {
				fake := connect(t, s.deployment, &options.Client{Auth: &options.Credential{
					Username: new("fake-user"), Password: new("fake-pwd"), AuthSource: new("admin"),
				}})
				auto.KeyVaultClient = fake
				var err error
				if explicit, err = mongo.NewClientEncryption(fake, &options.ClientEncryption{
					KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(),
				}); err != nil {
					t.Fatal(err)
				}
			}
			client, _ := s.connectEncrypting(t, auto)
			_, inserted := client.Database("db").Collection("coll").InsertOne(t.Context(), bson.Doc("encrypted", "test"))
			_, sealed := explicit.Encrypt(t.Context(), "test", &options.Encrypt{KeyID: &s.keys[0], Algorithm: options.AlgorithmDeterministic})
			for what, err := range map[string]error{"the insert": inserted, "Encrypt": sealed} {
				if authentication := err != nil && strings.Contains(err.Error(), "authenticat"); authentication != external || (err != nil) != external {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// sizes returns the number of documents or operations in each command that was sent.
func sizes(r *recorder, command, list string) []int {
	var out []int
	for _, e := range r.commands(command) {
		out = append(out, lengthOf(e.Command, list))
	}
	return out
}

// twoMiB is the limit of a batch for a client that encrypts. Client Side Encryption, "Size limits for Write Commands".
const twoMiB = 2097152

// fat returns a document with a text of n bytes and some more fields.
func fat(id string, n int, more ...bson.D) bson.D {
	d := bson.Doc("_id", id, "unencrypted", strings.Repeat("a", n))
	for _, m := range more {
		d = append(d, m...)
	}
	return d
}

// Prose test 4.
func TestEncryptionSplitsBatches(t *testing.T) {
	s := newEncryptionScene(t)
	properties, many := bson.D{}, bson.D{}
	for i := range 100 { // each text grows by some 90 bytes
		name := fmt.Sprintf("%02d", i)
		how := bson.Doc("keyId", bson.A{s.keys[0]}, "bsonType", "string", "algorithm", options.AlgorithmDeterministic)
		properties = append(properties, bson.E{Key: name, Value: bson.Doc("encrypt", how)})
		many = append(many, bson.E{Key: name, Value: "a"})
	}
	schema := bson.Doc("bsonType", "object", "properties", properties)
	s.create(t, "coll", &options.CreateCollection{Validator: bson.Doc("$jsonSchema", schema)})
	s.create(t, "coll2", &options.CreateCollection{EncryptedFields: encryptedFields(s.field("foo", "string", 0, nil))})
	client, r := s.connectEncrypting(t, nil)
	coll := client.Database("db").Collection("coll")
	const largest = 16777216
	single := func(want bool, doc bson.D) {
		t.Helper()
		_, err := coll.InsertOne(t.Context(), doc)
		if want != (err == nil) {
			t.Errorf("the insert of %v: %v", doc[0].Value, err)
		}
	}
	single(true, fat("over_2mib_under_16mib", twoMiB))
	single(true, fat("encryption_exceeds_2mib", twoMiB-2000, many))
	pairs := func(sent string, want []int, write func() error) {
		t.Helper()
		list := map[string]string{"insert": "documents", "bulkWrite": "ops"}[sent]
		before := len(r.commands(sent))
		if err := write(); err != nil {
			t.Error(err)
		}
		if got := sizes(r, sent, list)[before:]; !slices.Equal(got, want) {
			t.Errorf("%s went out with %v, want %v", sent, got, want)
		}
	}
	bulk := func(docs ...bson.D) func() error {
		return func() error {
			var models []options.WriteModel
			for _, d := range docs {
				models = append(models, &options.InsertOneModel{Document: d})
			}
			_, err := coll.BulkWrite(t.Context(), models)
			return err
		}
	}
	pairs("insert", []int{1, 1}, bulk(fat("over_2mib_1", twoMiB), fat("over_2mib_2", twoMiB)))
	pairs("insert", []int{1, 1}, bulk(fat("exceeds_2mib_1", twoMiB-2000, many), fat("exceeds_2mib_2", twoMiB-2000, many)))
	pairs("insert", []int{2}, bulk(bson.Doc("_id", "a"), bson.Doc("_id", "b")))
	single(true, fat("under_16mib", largest-2000))
	single(false, fat("encryption_exceeds_16mib", largest-2000, many))
	onClient := func(docs ...bson.D) func() error {
		return func() error {
			var writes []mongo.ClientBulkWrite
			for _, d := range docs {
				writes = append(writes, mongo.ClientBulkWrite{Database: "db", Collection: "coll2", Model: &options.InsertOneModel{Document: d}})
			}
			_, err := client.BulkWrite(t.Context(), writes)
			return err
		}
	}
	pairs("bulkWrite", []int{1, 1}, onClient(fat("over_2mib_3", twoMiB-1500), fat("over_2mib_4", twoMiB-1500)))
	grows := bson.Doc("foo", strings.Repeat("a", 1900))
	pairs("bulkWrite", []int{1, 1}, onClient(fat("exceeds_2mib_3", twoMiB-2000-1500, grows), fat("exceeds_2mib_4", twoMiB-2000-1500, grows)))
}

// Prose test 14.
func TestEventsShowCiphertext(t *testing.T) {
	for _, c := range []struct {
		name         string
		fail         bson.D
		malformed    bool
		fails, event bool // whether the command fails; whether its reply is in an event
	}{
		{"command error", bson.Doc("failCommands", bson.A{"aggregate"}, "errorCode", 123), false, true, false},
		{"network error", bson.Doc("failCommands", bson.A{"aggregate"}, "errorCode", 123, "closeConnection", true), false, true, false},
		{"decrypt error", nil, true, true, true},
		{"decrypt success", nil, false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newEncryptionScene(t)
			sealed := s.encrypt(t, "hello", &options.Encrypt{Algorithm: options.AlgorithmDeterministic})
			if c.malformed {
				sealed.Data = slices.Clone(sealed.Data)
				sealed.Data[len(sealed.Data)-1] ^= 1
			}
			s.create(t, "decryption_events", nil)
			client, r := s.connectEncrypting(t, nil, &options.Client{RetryReads: new(false)})
			coll := client.Database("db").Collection("decryption_events")
			store(t, coll, bson.Doc("encrypted", sealed))
			if c.fail != nil {
				fail(t, s.deployment, bson.Doc("times", 1), c.fail)
			}
			cursor, err := coll.Aggregate(t.Context(), bson.A{})
			if err == nil {
				_, err = mongo.All[bson.D](t.Context(), cursor)
			}
			if c.fails != (err != nil) {
				t.Errorf("the error is %v", err)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			failed := slices.ContainsFunc(r.failed, func(e *event.CommandFailed) bool { return e.CommandName == "aggregate" })
			i := slices.IndexFunc(r.succeeded, func(e *event.CommandSucceeded) bool { return e.CommandName == "aggregate" })
			if failed == c.event || c.event != (i >= 0) {
				t.Fatalf("failed: %v; succeeded: %v", failed, i >= 0)
			}
			if c.event && !isCiphertext(r.succeeded[i].Reply.Lookup("cursor", "firstBatch", "0", "encrypted")) {
				t.Errorf("the event shows %s", r.succeeded[i].Reply)
			}
		})
	}
}

// Prose test 25. Case 9 concerns libraries that this driver does not have.
func TestLookupOfEncryptedCollections(t *testing.T) {
	s := newEncryptionScene(t, mongotest.Version("8.2"))
	jsonSchema := func(field string) *options.CreateCollection {
		return &options.CreateCollection{Validator: bson.Doc("$jsonSchema", s.schema(field))}
	}
	queryable := func(field string) *options.CreateCollection {
		return &options.CreateCollection{EncryptedFields: encryptedFields(s.field(field, "string", 1, equality(0)))}
	}
	plain := bson.Doc("$jsonSchema", bson.Doc("bsonType", "object", "properties", bson.Doc("non_csfle_schema", bson.Doc("bsonType", "string"))))
	setUp, _ := s.connectEncrypting(t, nil)
	for _, c := range []struct {
		name    string
		options *options.CreateCollection
		sealed  bool
	}{
		{"csfle", jsonSchema("csfle"), true}, {"csfle2", jsonSchema("csfle2"), true}, {"qe", queryable("qe"), true},
		{"qe2", queryable("qe2"), true}, {"no_schema", nil, false}, {"no_schema2", nil, false},
		{"non_csfle_schema", &options.CreateCollection{Validator: plain}, false},
	} {
		if err := setUp.Database("db").CreateCollection(t.Context(), c.name, c.options); err != nil {
			t.Fatal(err)
		}
		store(t, setUp.Database("db").Collection(c.name), bson.Doc(c.name, c.name))
		raw, err := s.plain.Database("db").Collection(c.name).FindOne(t.Context(), bson.D{}).Raw()
		if err != nil || isCiphertext(raw.Lookup(c.name)) != c.sealed {
			t.Fatalf("%s holds %s, %v", c.name, raw, err)
		}
	}
	const mixed = "Cannot specify both encryptionInformation and csfleEncryptionSchemas unless csfleEncryptionSchemas only contains " +
		"non-encryption JSON schema validators"
	for i, c := range []struct{ from, joins, fails string }{
		{"csfle", "no_schema", ""}, {"qe", "no_schema", ""}, {"no_schema", "csfle", ""}, {"no_schema", "qe", ""},
		{"csfle", "csfle2", ""}, {"qe", "qe2", ""}, {"no_schema", "no_schema2", ""}, {"csfle", "qe", mixed},
		{}, {"qe", "non_csfle_schema", ""},
	} {
		if c.from == "" {
			continue
		}
		t.Run(fmt.Sprintf("case %d, %s joins %s", i+1, c.from, c.joins), func(t *testing.T) {
			client, _ := s.connectEncrypting(t, nil)
			clean := bson.Doc("$project", bson.Doc("_id", 0, "__safeContent__", 0))
			cursor, err := client.Database("db").Collection(c.from).Aggregate(t.Context(), bson.A{
				bson.Doc("$match", bson.Doc(c.from, c.from)),
				bson.Doc("$lookup", bson.Doc("from", c.joins, "as", "matched",
					"pipeline", bson.A{bson.Doc("$match", bson.Doc(c.joins, c.joins)), clean})),
				clean,
			})
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := mongo.All[bson.Raw](t.Context(), cursor)
			want, wrong := bson.Marshal(bson.Doc(c.from, c.from, "matched", bson.A{bson.Doc(c.joins, c.joins)}))
			if err != nil || wrong != nil || len(got) != 1 || !bytes.Equal(got[0], want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
