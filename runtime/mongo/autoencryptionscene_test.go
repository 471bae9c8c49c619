package mongo_test

import (
	"bytes"
	"crypto/tls"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// encryptionScene is a deployment whose key vault has two data keys under a local master key.
type encryptionScene struct {
	deployment *mongotest.Deployment
	plain      *mongo.Client
	recorder   *recorder // records the commands of plain
	explicit   *mongo.ClientEncryption
	keys       [2]bson.UUID // called first and second
}

func newEncryptionScene(t *testing.T, opts ...mongotest.Option) *encryptionScene {
	t.Helper()
	s := &encryptionScene{}
	s.deployment = mongotest.Start(t, append([]mongotest.Option{mongotest.ReplicaSet(1), mongotest.Version("8.0")}, opts...)...)
	s.plain, s.recorder = connectRecorded(t, s.deployment)
	var err error
	s.explicit, err = mongo.NewClientEncryption(s.plain, &options.ClientEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.explicit.Close(t.Context()) })
	for i, name := range []string{"first", "second"} {
		s.keys[i], err = s.explicit.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// connectEncrypting connects a client that encrypts with the keys of the scene.
func (s *encryptionScene) connectEncrypting(t *testing.T, auto *options.AutoEncryption, opts ...*options.Client) (*mongo.Client, *recorder) {
	t.Helper()
	if auto == nil {
		auto = &options.AutoEncryption{}
	}
	if auto.KeyVaultNamespace == "" {
		auto.KeyVaultNamespace = "keyvault.datakeys"
	}
	auto.KMSProviders = localKMS()
	return connectRecorded(t, s.deployment, append(opts, &options.Client{AutoEncryption: (*mongo.AutoEncryption)(auto)})...)
}

// field returns a field of an encryptedFields document; queries may be nil.
func (s *encryptionScene) field(path, kind string, key int, queries bson.D) bson.D {
	d := bson.Doc("path", path, "bsonType", kind, "keyId", s.keys[key])
	if queries != nil {
		d = append(d, bson.E{Key: "queries", Value: queries})
	}
	return d
}

func encryptedFields(fields ...any) bson.D { return bson.Doc("fields", bson.A(fields)) }

// encrypt encrypts a value explicitly with the first key.
func (s *encryptionScene) encrypt(t *testing.T, v any, o *options.Encrypt) bson.Binary {
	t.Helper()
	got, err := s.explicit.Encrypt(t.Context(), v, &options.Encrypt{KeyID: &s.keys[0]}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got.Subtype != 6 {
		t.Fatalf("the ciphertext has the subtype %d", got.Subtype)
	}
	return got
}

// documentsOf reads the documents that a filter finds, in the order of _id and without the server's own field.
func documentsOf(t *testing.T, c *mongo.Collection, filter any) []bson.D {
	t.Helper()
	cursor, err := c.Find(t.Context(), filter, &options.Find{Sort: bson.Doc("_id", 1), Projection: bson.Doc("__safeContent__", 0)})
	if err != nil {
		t.Fatal(err)
	}
	list, err := mongo.All[bson.D](t.Context(), cursor)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wantDocuments compares what a filter finds.
func wantDocuments(t *testing.T, c *mongo.Collection, filter any, want ...bson.D) {
	t.Helper()
	got := documentsOf(t, c, filter)
	if len(got) != len(want) {
		t.Errorf("the filter finds %v, want %v", got, want)
		return
	}
	for i := range want {
		a, err := bson.Marshal(got[i])
		if err != nil {
			t.Fatal(err)
		}
		b, err := bson.Marshal(want[i])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("document %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// isCiphertext reports whether a value is a binary of subtype 6.
func isCiphertext(v bson.RawValue) bool {
	subtype, _, ok := v.BinaryOK()
	return v.Type == bsontype.Binary && ok && subtype == 6
}

// kmsAccess holds the settings with which a test reaches key management services.
type kmsAccess struct {
	providers map[string]map[string]any
	tls       map[string]*tls.Config
	connect   options.KMSConnectCallback
}

// startKMS starts mocks of all services, which know the keys that upstream has published.
func startKMS(t *testing.T) kmsAccess {
	t.Helper()
	names := []string{"aws", "azure", "gcp", "kmip"}
	s := kmstest.Start(t, kmstest.Published())
	k := kmsAccess{providers: s.Providers(names...), tls: s.TLS(names...), connect: s.Connect}
	k.providers["local"] = localKMS()["local"]
	return k
}
