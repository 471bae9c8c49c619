//go:build cse

package libmongocrypt

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	theirs "go.mongodb.org/mongo-driver/mongo"
	theiroptions "go.mongodb.org/mongo-driver/mongo/options"

	onionbson "github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

const (
	deterministic = options.AlgorithmDeterministic
	random        = options.AlgorithmRandom
)

// values are values of every BSON type, some of which no side may encrypt.
func values(t *testing.T) map[string]value {
	t.Helper()
	decimal, err := primitive.ParseDecimal128("-1234567890.123456789E-20")
	if err != nil {
		t.Fatal(err)
	}
	long := make([]byte, 100_000)
	for i := range long {
		long[i] = byte('a' + i%26)
	}
	doc := bson.D{
		{Key: "double", Value: math.Pi}, {Key: "negative zero", Value: math.Copysign(0, -1)}, {Key: "NaN", Value: math.NaN()},
		{Key: "string", Value: "Grüße, 世界"}, {Key: "empty string", Value: ""}, {Key: "long string", Value: string(long)},
		{Key: "string with NUL", Value: "a\x00b"}, {Key: "15 bytes", Value: "0123456789"}, {Key: "16 bytes", Value: "01234567890"},
		{Key: "document", Value: bson.D{{Key: "a", Value: 1}, {Key: "b", Value: bson.A{"x", bson.D{}}}}}, {Key: "empty document", Value: bson.D{}},
		{Key: "array", Value: bson.A{1, "two", nil}}, {Key: "empty array", Value: bson.A{}},
		{Key: "binary", Value: primitive.Binary{Subtype: 0, Data: []byte{1, 2, 3}}}, {Key: "empty binary", Value: primitive.Binary{}},
		{Key: "old binary", Value: primitive.Binary{Subtype: 2, Data: []byte{1, 2, 3}}},
		{Key: "UUID", Value: primitive.Binary{Subtype: 4, Data: make([]byte, 16)}},
		{Key: "user binary", Value: primitive.Binary{Subtype: 0x80, Data: []byte{9}}},
		{Key: "encrypted binary", Value: primitive.Binary{Subtype: 6, Data: []byte{1, 2, 3}}},
		{Key: "undefined", Value: primitive.Undefined{}}, {Key: "objectId", Value: primitive.ObjectID{1, 2, 3}},
		{Key: "true", Value: true}, {Key: "false", Value: false}, {Key: "date", Value: primitive.DateTime(-1)},
		{Key: "far date", Value: primitive.NewDateTimeFromTime(time.Date(9999, 1, 2, 3, 4, 5, 0, time.UTC))}, {Key: "null", Value: nil},
		{Key: "regex", Value: primitive.Regex{Pattern: "^a.*", Options: "im"}}, {Key: "dbPointer", Value: primitive.DBPointer{DB: "db.c", Pointer: primitive.ObjectID{4}}},
		{Key: "javascript", Value: primitive.JavaScript("f()")}, {Key: "symbol", Value: primitive.Symbol("s")},
		{Key: "javascriptWithScope", Value: primitive.CodeWithScope{Code: "f(x)", Scope: bson.D{{Key: "x", Value: 1}}}},
		{Key: "int", Value: int32(math.MinInt32)}, {Key: "zero", Value: int32(0)}, {Key: "timestamp", Value: primitive.Timestamp{T: 1, I: 2}},
		{Key: "long", Value: int64(math.MaxInt64)}, {Key: "decimal", Value: decimal},
		{Key: "minKey", Value: primitive.MinKey{}}, {Key: "maxKey", Value: primitive.MaxKey{}},
	}
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	elements, err := bson.Raw(raw).Elements()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]value{}
	for _, e := range elements {
		out[e.Key()] = value{byte(e.Value().Type), e.Value().Value}
	}
	return out
}

// TestExplicit encrypts every value on either side with data keys of either side, under both kinds of master keys, and decrypts it on
// both. Deterministic ciphertexts must be equal, and both sides must refuse the same values.
func TestExplicit(t *testing.T) {
	s, encrypted, refused := start(t), 0, 0
	for provider, masterKey := range s.providers {
		for _, maker := range s.sides {
			key, err := maker.createKey(t.Context(), provider, masterKey)
			if err != nil {
				t.Fatalf("a key of %s by %s: %v", provider, maker.name(), err)
			}
			for _, algorithm := range []string{deterministic, random} {
				for name, v := range values(t) {
					var ciphertexts [2][]byte
					var failures [2]error
					for i, from := range s.sides {
						ciphertexts[i], failures[i] = from.encrypt(t.Context(), key, algorithm, v)
					}
					if (failures[0] == nil) != (failures[1] == nil) {
						t.Errorf("%s, %s: %v, but %v", name, algorithm, failures[0], failures[1])
					}
					if failures[0] != nil || failures[1] != nil {
						refused++
						continue
					}
					if algorithm == deterministic && !bytes.Equal(ciphertexts[0], ciphertexts[1]) {
						t.Errorf("%s: %x, but %x", name, ciphertexts[0], ciphertexts[1])
					}
					for i, from := range s.sides {
						for _, to := range s.sides {
							got, err := to.decrypt(t.Context(), ciphertexts[i])
							if err != nil || !got.equal(v) {
								t.Errorf("%s of %s, decrypted by %s: %v, %v", name, from.name(), to.name(), got, err)
							}
							encrypted++
						}
					}
				}
			}
		}
	}
	t.Logf("%d round trips, %d values refused by both", encrypted, refused)
	if encrypted < 400 || refused < 40 {
		t.Error("that is too few")
	}
}

// TestDamage changes each byte of a ciphertext but the first. Both sides must refuse the result.
func TestDamage(t *testing.T) {
	s := start(t)
	key, err := s.sides[0].createKey(t.Context(), "local", nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := s.sides[1].encrypt(t.Context(), key, random, values(t)["string"])
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		if i == 0 {
			continue // a first byte that no ciphertext has: libmongocrypt returns such a value as it is
		}
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1
		for _, by := range s.sides {
			if got, err := by.decrypt(t.Context(), damaged); err == nil {
				t.Errorf("%s decrypts it with byte %d changed: %v", by.name(), i, got)
			}
		}
	}
}

// TestRewrap moves a data key from one master key to another on either side. Both sides open the same ciphertext before and after.
func TestRewrap(t *testing.T) {
	for i := range 2 {
		s := start(t)
		mover := s.sides[i]
		key, err := s.sides[1-i].createKey(t.Context(), "local", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := values(t)["string"]
		ciphertext, err := s.sides[0].encrypt(t.Context(), key, deterministic, want)
		if err != nil {
			t.Fatal(err)
		}
		for _, provider := range []string{"kmip", "local"} {
			if err := mover.rewrap(t.Context(), key, provider, s.providers[provider]); err != nil {
				t.Fatalf("%s, to %s: %v", mover.name(), provider, err)
			}
			for _, by := range s.reconnect(t) {
				if got, err := by.decrypt(t.Context(), ciphertext); err != nil || !got.equal(want) {
					t.Errorf("%s, after %s moved the key to %s: %v, %v", by.name(), mover.name(), provider, got, err)
				}
			}
		}
	}
}

// TestAutomatic inserts through Onion's automatic encryption. A client with libmongocrypt decrypts what it reads.
func TestAutomatic(t *testing.T) {
	s := start(t)
	for _, maker := range s.sides {
		key, err := maker.createKey(t.Context(), "kmip", s.providers["kmip"])
		if err != nil {
			t.Fatal(err)
		}
		field := func(algorithm string) onionbson.D {
			return onionbson.Doc("encrypt", onionbson.Doc("keyId", onionbson.A{onionbson.UUID(key)}, "bsonType", "string", "algorithm", algorithm))
		}
		auto := &mongo.AutoEncryption{
			KeyVaultNamespace: vault, KMSProviders: s.settings, TLSConfig: s.kms.TLS("kmip"),
			SchemaMap: map[string]any{"db." + maker.name(): onionbson.Doc("bsonType", "object",
				"properties", onionbson.Doc("d", field(deterministic), "r", field(random)))},
		}
		client, err := mongo.Connect(t.Context(), s.uri, &options.Client{AutoEncryption: auto})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		if _, err := client.Database("db").Collection(maker.name()).InsertOne(t.Context(), onionbson.Doc("_id", 1, "d", "one", "r", "two")); err != nil {
			t.Fatal(err)
		}
		reader, err := theirs.Connect(t.Context(), theiroptions.Client().ApplyURI(s.uri).SetAutoEncryptionOptions(
			theiroptions.AutoEncryption().SetKeyVaultNamespace(vault).SetKmsProviders(s.settings).
				SetTLSConfig(s.kms.TLS("kmip")).SetBypassAutoEncryption(true)))
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Disconnect(context.Background())
		var got struct{ D, R string }
		if err := reader.Database("db").Collection(maker.name()).FindOne(t.Context(), bson.D{}).Decode(&got); err != nil || got.D != "one" || got.R != "two" {
			t.Errorf("with a key of %s: %v, %v", maker.name(), got, err)
		}
	}
}
