package mongo_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of client-side-encryption/tests/README.md that need no automatic encryption, by their numbers.

// localMasterKey is the local master key of the specification's tests.
const localMasterKey = "Mng0NCt4ZHVUYUJCa1kxNkVyNUR1QURhZ2h2UzR2d2RrZzh0cFBwM3R6NmdWMDFBMUN3YkQ5aXRRMkhGRGdQV09wOGVNYUMxT2k3NjZKelhaQmRCZGJkTXVyZG9uSjFk"

func localKMS() map[string]map[string]any {
	return map[string]map[string]any{"local": {"key": localMasterKey}}
}

// newVault returns a client of a deployment and a ClientEncryption with a local master key.
func newVault(t *testing.T, opts ...*options.ClientEncryption) (*mongo.Client, *recorder, *mongo.ClientEncryption) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	client, r := connectRecorded(t, d)
	given := append([]*options.ClientEncryption{{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(),
	}}, opts...)
	e, err := mongo.NewClientEncryption(client, given...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(t.Context()) })
	return client, r, e
}

func mustDecode(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Prose test 1.
func TestCustomKeyMaterial(t *testing.T) {
	client, _, e := newVault(t)
	material := mustDecode(t, "xPTAjBRG5JiPm+d3fj6XLi2q5DMXUS/f1f+SMAlhhwkhDRL0kr8r9GDLIGTAGlvC+HVjSIgdL+RKwZCvpXSyxTICWSXTUYsWYPyu3IoHbuBZdmw2faM3WhcRIgbMReU5")
	id, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyMaterial: material})
	if err != nil {
		t.Fatal(err)
	}
	var key bson.D
	if err := e.GetKey(t.Context(), id).Decode(&key); err != nil {
		t.Fatal(err)
	}
	if _, err := e.DeleteKey(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	key[0].Value = bson.UUID{}
	if _, err := client.Database("keyvault").Collection("datakeys").InsertOne(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	got, err := e.Encrypt(t.Context(), "test", &options.Encrypt{KeyID: new(bson.UUID{}), Algorithm: options.AlgorithmDeterministic})
	if err != nil {
		t.Fatal(err)
	}
	want := mustDecode(t, "AQAAAAAAAAAAAAAAAAAAAAACz0ZOLuuhEYi807ZXTdhbqhLaS2/t9wLifJnnNYwiw79d75QYIZ6M/aYC1h9nCzCjZ7pGUpAuNnkUhnIXM3PjrA==")
	if !bytes.Equal(got.Data, want) || got.Subtype != 6 {
		t.Errorf("got %x, want %x", got.Data, want)
	}
}

// uniqueAltNames makes the index that the specification asks programs for, and a key with the name def.
func uniqueAltNames(t *testing.T) (*mongo.ClientEncryption, bson.UUID) {
	t.Helper()
	client, _, e := newVault(t)
	_, err := client.Database("keyvault").Collection("datakeys").Indexes().CreateOne(t.Context(), mongo.IndexModel{
		Keys: bson.Doc("keyAltNames", 1),
		Options: &options.Index{
			Unique: new(true), PartialFilterExpression: bson.Doc("keyAltNames", bson.Doc("$exists", true)),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	id, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{"def"}})
	if err != nil {
		t.Fatal(err)
	}
	return e, id
}

// Prose test 13, case 1.
func TestCreateDataKeyWithATakenName(t *testing.T) {
	e, _ := uniqueAltNames(t)
	if _, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{"abc"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"abc", "def"} {
		_, err := e.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{name}})
		if !mongo.HasErrorCode(err, errcode.DuplicateKey) {
			t.Errorf("a second key %s: %v", name, err)
		}
	}
}

// Prose test 13, case 2.
func TestAddKeyAltNameThatIsTaken(t *testing.T) {
	e, def := uniqueAltNames(t)
	id, err := e.CreateDataKey(t.Context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	names := func(r *mongo.SingleResult) []string {
		t.Helper()
		var doc struct {
			KeyAltNames []string `bson:"keyAltNames"`
		}
		if err := r.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		return doc.KeyAltNames
	}
	if got := names(e.AddKeyAltName(t.Context(), id, "abc")); got != nil {
		t.Errorf("before the first name: %v", got)
	}
	if got := names(e.AddKeyAltName(t.Context(), id, "abc")); !slices.Equal(got, []string{"abc"}) {
		t.Errorf("before the second time: %v", got)
	}
	if err := e.AddKeyAltName(t.Context(), id, "def").Err(); !mongo.HasErrorCode(err, errcode.DuplicateKey) {
		t.Errorf("a name that is taken: %v", err)
	}
	if got := names(e.AddKeyAltName(t.Context(), def, "def")); !slices.Equal(got, []string{"def"}) {
		t.Errorf("a name that the key has: %v", got)
	}
}
