package mongo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func newKey(t *testing.T, e *mongo.ClientEncryption, names ...string) bson.UUID {
	t.Helper()
	id, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: names})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestExplicitEncryptionGoesRoundTrip(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e, "orders")
	for _, test := range []struct {
		name  string
		value any
		o     options.Encrypt
	}{
		{"deterministic by id", "Ada", options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic}},
		{"deterministic by name", int32(7), options.Encrypt{KeyAltName: new("orders"), Algorithm: options.AlgorithmDeterministic}},
		{"random", bson.Doc("nested", bson.A{int64(1), true}), options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom}},
		{"an algorithm in another case", 1.5, options.Encrypt{KeyID: &id, Algorithm: "aead_aes_256_cbc_hmac_sha_512-RANDOM"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sealed, err := e.Encrypt(t.Context(), test.value, &test.o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Decrypt(t.Context(), sealed)
			if err != nil {
				t.Fatal(err)
			}
			_, want, err := bson.AppendValue(nil, test.value, nil)
			if err != nil || string(got.Value) != string(want) {
				t.Errorf("got %s, %v", got, err)
			}
			again, err := e.Encrypt(t.Context(), test.value, &test.o)
			equal := string(again.Data) == string(sealed.Data)
			if deterministic := strings.HasSuffix(test.o.Algorithm, "Deterministic"); err != nil || equal != deterministic {
				t.Errorf("a second time is equal: %v, %v", equal, err)
			}
		})
	}
}

func TestExplicitEncryptionRefuses(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e)
	with := func(algorithm string, change func(o *options.Encrypt)) *options.Encrypt {
		o := &options.Encrypt{KeyID: &id, Algorithm: algorithm}
		if change != nil {
			change(o)
		}
		return o
	}
	binary6 := bson.Binary{Subtype: bsontype.BinaryEncrypted, Data: []byte{1}}
	for _, test := range []struct {
		name  string
		value any
		o     *options.Encrypt
		want  string
	}{
		{"no key", 1, with(options.AlgorithmRandom, func(o *options.Encrypt) { o.KeyID = nil }), "either key id or key alt name required"},
		{"two keys", 1, with(options.AlgorithmRandom, func(o *options.Encrypt) { o.KeyAltName = new("a") }), "cannot have both key id and key alt name"},
		{"no algorithm", 1, &options.Encrypt{KeyID: &id}, "algorithm or index type required"},
		{"an unknown algorithm", 1, with("ROT13", nil), "unsupported algorithm string \"ROT13\": it is one of the constants AlgorithmDeterministic, AlgorithmRandom"},
		{"an unknown query type", 1, with(options.AlgorithmIndexed, func(o *options.Encrypt) {
			o.ContentionFactor, o.QueryType = new(int64(1)), new("like")
		}), "it is one of the constants QueryTypeEquality, QueryTypeRange"},
		{"a sparsity of 0", 1, with(options.AlgorithmRange, func(o *options.Encrypt) {
			o.ContentionFactor, o.RangeOptions = new(int64(1)), &options.Range{Min: 0, Max: 9, Sparsity: new(int64(0))}
		}), "sparsity must be 1 or larger"},
		{"an old algorithm", 1, with("RangePreview", nil), "deprecated, please use 'range'"},
		{"contention of a random value", 1, with(options.AlgorithmRandom, func(o *options.Encrypt) { o.ContentionFactor = new(int64(1)) }),
			"cannot set both algorithm and contention factor"},
		{"a query of an unindexed value", 1, with(options.AlgorithmUnindexed, func(o *options.Encrypt) { o.QueryType = new("equality") }), "cannot set query type"},
		{"an index without contention", 1, with(options.AlgorithmIndexed, nil), "contention factor is required for indexed algorithm"},
		{"a negative contention", 1, with(options.AlgorithmIndexed, func(o *options.Encrypt) { o.ContentionFactor = new(int64(-1)) }), "contention must be non-negative"},
		{"a query type of another algorithm", 1, with(options.AlgorithmIndexed, func(o *options.Encrypt) {
			o.ContentionFactor, o.QueryType = new(int64(1)), new(options.QueryTypeRange)
		}), "query_type must match index_type"},
		{"a range without its options", 1, with(options.AlgorithmRange, func(o *options.Encrypt) { o.ContentionFactor = new(int64(1)) }), "range opts is required"},
		{"null", nil, with(options.AlgorithmRandom, nil), "BSON type invalid for encryption"},
		{"an encrypted value", binary6, with(options.AlgorithmRandom, nil), "BSON binary subtype 6 is invalid for encryption"},
		{"a double, deterministic", 1.5, with(options.AlgorithmDeterministic, nil), "BSON type invalid for deterministic encryption"},
		{"a boolean, deterministic", true, with(options.AlgorithmDeterministic, nil), "BSON type invalid for deterministic encryption"},
		{"a key that is not there", 1, with(options.AlgorithmRandom, func(o *options.Encrypt) { o.KeyID = new(bson.NewUUID()) }), "not all keys requested were satisfied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := e.Encrypt(t.Context(), test.value, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// Indexed encryption accepts every type that can be encrypted, as libmongocrypt does. The server judges the type of a
// field.
func TestIndexedValuesOfEveryType(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e)
	for _, v := range []any{1.5, bson.Decimal128{}, bson.Doc("a", 1), bson.A{1}, bson.CodeWithScope{Code: "f()", Scope: bson.Raw{5, 0, 0, 0, 0}}, true} {
		for _, query := range []*string{nil, new(options.QueryTypeEquality)} {
			sealed, err := e.Encrypt(t.Context(), v, &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmIndexed, ContentionFactor: new(int64(0)), QueryType: query})
			if err != nil {
				t.Errorf("%T: %v", v, err)
			}
			if query != nil {
				continue
			}
			if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.Type == 0 {
				t.Errorf("%T: %v, %v", v, got, err)
			}
		}
	}
}

func TestMissingMasterKeyIsNamed(t *testing.T) {
	plain := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")))
	e, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{KeyVaultNamespace: "keyvault.datakeys", KMSProviders: map[string]map[string]any{
		"aws": {"accessKeyId": "a", "secretAccessKey": "b"}, "local": {"key": localMasterKey}, "kmip": {"endpoint": "localhost:1"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close(t.Context())
	for _, o := range [][]*options.DataKey{nil, {nil}, {{}}, {{MasterKey: map[string]any(nil)}}, {{MasterKey: bson.D{}}}} {
		if _, err := e.CreateDataKey(t.Context(), "aws", o...); err == nil || !strings.Contains(err.Error(), "the master key of aws is missing: set MasterKey to a document with region, key") {
			t.Errorf("got %v", err)
		}
		if _, err := e.CreateDataKey(t.Context(), "local", o...); err != nil {
			t.Errorf("a local key: %v", err)
		}
	}
}

// The driver reads a key once and keeps it until Close.
func TestDataKeysAreKept(t *testing.T) {
	_, r, e := newVault(t)
	id := newKey(t, e, "a")
	for _, o := range []*options.Encrypt{{KeyID: &id}, {KeyAltName: new("a")}, {KeyID: &id}} {
		o.Algorithm = options.AlgorithmRandom
		if _, err := e.Encrypt(t.Context(), 1, o); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.commands("find")); n != 1 {
		t.Errorf("%d reads of the key vault", n)
	}
	e.Close(t.Context())
	if _, err := e.Encrypt(t.Context(), 1, &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom}); err != nil {
		t.Fatal(err)
	}
	if n := len(r.commands("find")); n != 2 {
		t.Errorf("%d reads of the key vault after Close", n)
	}
}

func TestRemoveTheLastKeyAltName(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e, "a", "b")
	for _, want := range []string{`"keyAltNames": ["b"]`, ""} {
		name := "a"
		if want == "" {
			name = "b"
		}
		if err := e.RemoveKeyAltName(t.Context(), id, name).Err(); err != nil {
			t.Fatal(err)
		}
		raw, err := e.GetKey(t.Context(), id).Raw()
		if err != nil {
			t.Fatal(err)
		}
		if got := !raw.Lookup("keyAltNames").IsZero(); got != (want != "") {
			t.Errorf("after %s: %s", name, raw)
		}
	}
}

func TestRewrapManyDataKeyWithItsOwnMasterKey(t *testing.T) {
	_, _, e := newVault(t)
	id := newKey(t, e)
	sealed, err := e.Encrypt(t.Context(), "x", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := e.GetKey(t.Context(), id).Raw()
	result, err := e.RewrapManyDataKey(t.Context(), bson.D{})
	if err != nil || result.BulkWriteResult == nil || result.BulkWriteResult.ModifiedCount != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	after, _ := e.GetKey(t.Context(), id).Raw()
	if string(before.Lookup("keyMaterial").Value) == string(after.Lookup("keyMaterial").Value) {
		t.Error("the key material is the same")
	}
	e.Close(t.Context()) // forget the key
	if got, err := e.Decrypt(t.Context(), sealed); err != nil || got.String() != `"x"` {
		t.Errorf("%s, %v", got, err)
	}
	none, err := e.RewrapManyDataKey(t.Context(), bson.Doc("status", 77))
	if err != nil || none.BulkWriteResult != nil {
		t.Errorf("without a match: %+v, %v", none, err)
	}
}

// Prose test 16, case 2.
func TestRewrapNeedsAProviderForAMasterKey(t *testing.T) {
	_, r, e := newVault(t)
	if _, err := e.RewrapManyDataKey(t.Context(), bson.D{}, &options.RewrapManyDataKey{MasterKey: bson.D{}}); err == nil {
		t.Error("no error")
	}
	if n := len(r.commands("find")); n != 0 {
		t.Errorf("%d reads of the key vault", n)
	}
}

// A program that prints these values never prints a secret.
func TestOptionsOfEncryptionHideSecrets(t *testing.T) {
	auto := options.AutoEncryption{KeyVaultNamespace: "a.b", KMSProviders: localKMS()}
	explicit := options.ClientEncryption{KMSProviders: localKMS()}
	key := options.DataKey{KeyMaterial: []byte(localMasterKey[:96])}
	for _, v := range []any{auto, &auto, (*mongo.AutoEncryption)(&auto), options.Client{AutoEncryption: (*mongo.AutoEncryption)(&auto)}, explicit, &explicit, key} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
			text := fmt.Sprintf(format, v)
			if strings.Contains(text, localMasterKey[:20]) || strings.Contains(text, fmt.Sprintf("%x", localMasterKey[:20])) {
				t.Errorf("%T with %s: %s", v, format, text)
			}
		}
	}
}

// An invalid data key is an error and changes nothing in the vault.
func TestMalformedDataKeysAreErrors(t *testing.T) {
	client, r, e := newVault(t)
	if _, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{"a", "b", "a"}}); err == nil ||
		!strings.Contains(err.Error(), "creating a data key: ") {
		t.Errorf("a name that is given twice: %v", err)
	}
	newKey(t, e, "whole")
	if _, err := client.Database("keyvault").Collection("datakeys").InsertOne(t.Context(), bson.Doc("_id", bson.NewUUID())); err != nil {
		t.Fatal(err)
	}
	updates := len(r.commands("update"))
	if _, err := e.RewrapManyDataKey(t.Context(), bson.D{}); err == nil || !strings.Contains(err.Error(), "rewrapping data keys: ") {
		t.Errorf("a document that is no key: %v", err)
	}
	if n := len(r.commands("update")) - updates; n != 0 {
		t.Errorf("%d updates", n)
	}
}
