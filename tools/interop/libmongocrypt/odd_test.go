//go:build cse

package libmongocrypt

import (
	"bytes"
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/primitive"
	theirs "go.mongodb.org/mongo-driver/mongo"
	theiroptions "go.mongodb.org/mongo-driver/mongo/options"

	onionbson "github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// TestIndexedTypes encrypts every value for an index of Queryable Encryption. Both sides must refuse the same values.
func TestIndexedTypes(t *testing.T) {
	s := start(t)
	key, err := s.sides[0].createKey(t.Context(), "local", nil)
	if err != nil {
		t.Fatal(err)
	}
	id, ours, their := onionbson.UUID(key), s.sides[0].(onion), s.sides[1].(official)
	for _, algorithm := range []string{"Indexed", "Unindexed"} {
		for name, v := range values(t) {
			o := &options.Encrypt{KeyID: &id, Algorithm: algorithm}
			opts := theiroptions.Encrypt().SetKeyID(primitive.Binary{Subtype: 4, Data: key[:]}).SetAlgorithm(algorithm)
			if algorithm == "Indexed" {
				o.ContentionFactor = new(int64(0))
				opts.SetContentionFactor(0)
			}
			_, e1 := ours.Encrypt(t.Context(), onionbson.RawValue{Type: onionbson.Type(v.kind), Value: v.data}, o)
			_, e2 := their.Encrypt(t.Context(), bson.RawValue{Type: bsontype.Type(v.kind), Value: v.data}, opts)
			if (e1 == nil) != (e2 == nil) {
				t.Errorf("%s, %s: %v, but %v", name, algorithm, e1, e2)
			}
		}
	}
}

// TestOddBinaries reads binary values that have the subtype for encrypted values but are not encrypted. Neither side may fail on them.
func TestOddBinaries(t *testing.T) {
	s := start(t)
	plain, err := theirs.Connect(t.Context(), theiroptions.Client().ApplyURI(s.uri))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Disconnect(context.Background())
	reader, err := theirs.Connect(t.Context(), theiroptions.Client().ApplyURI(s.uri).SetAutoEncryptionOptions(
		theiroptions.AutoEncryption().SetKeyVaultNamespace(vault).SetKmsProviders(s.settings).SetTLSConfig(s.kms.TLS("kmip")).SetBypassAutoEncryption(true)))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Disconnect(context.Background())
	ours, err := mongo.Connect(t.Context(), s.uri, &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: vault, KMSProviders: s.settings, TLSConfig: s.kms.TLS("kmip"), BypassAutoEncryption: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close(context.Background())
	for kind := -1; kind < 32; kind++ {
		data := append([]byte{byte(kind)}, make([]byte, 40)...)
		if kind < 0 {
			data = nil
		}
		if _, err := plain.Database("db").Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: kind}, {Key: "v", Value: primitive.Binary{Subtype: 6, Data: data}}}); err != nil {
			t.Fatal(err)
		}
		var a struct{ V primitive.Binary }
		var b struct{ V onionbson.Binary }
		e1 := reader.Database("db").Collection("c").FindOne(t.Context(), bson.D{{Key: "_id", Value: kind}}).Decode(&a)
		e2 := ours.Database("db").Collection("c").FindOne(t.Context(), onionbson.Doc("_id", kind)).Decode(&b)
		if kind == 7 || kind == 9 { // of the first version of the protocol, for which libmongocrypt wants a key
			if e2 != nil {
				t.Errorf("kind %d: %v", kind, e2)
			}
			continue
		}
		if kind == 11 || kind >= 14 && kind <= 17 {
			continue // which 1.7 does not know
		}
		if (e1 == nil) != (e2 == nil) || e1 == nil && !bytes.Equal(a.V.Data, b.V.Data) {
			t.Errorf("kind %d: libmongocrypt %v, onion %v", kind, e1, e2)
		}
	}
}
