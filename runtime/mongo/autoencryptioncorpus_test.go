package mongo_test

import (
	"encoding/base64"
	"os"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/gen/upstream"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// corpusSize is the number of values in upstream's corpus that may be encrypted.
const corpusSize = 574

// TestEncryptionCorpus is Client Side Encryption Tests, "6. Corpus Test". The data keys that azure and gcp wrap are not
// published. A mock invents them, so the test only encrypts and decrypts the values under these two.
func TestEncryptionCorpus(t *testing.T) {
	for _, local := range []bool{false, true} {
		name := "schema of the server"
		if local {
			name = "schema of the client"
		}
		t.Run(name, func(t *testing.T) {
			c := openCorpus(t, local)
			copied, n := c.encryptValues(t)
			if n != corpusSize {
				t.Fatalf("the corpus has %d values that may be encrypted, want %d", n, corpusSize)
			}
			c.insert(t, copied)
			c.compare(t)
		})
	}
}

// corpus holds the values, the clients and the collection of the test.
type corpus struct {
	values, expected bson.Raw
	encryption       *mongo.ClientEncryption
	plain, encrypted *mongo.Collection
}

// readCorpusFile reads a file of the corpus.
func readCorpusFile(t *testing.T, name string) bson.Raw {
	t.Helper()
	data, err := os.ReadFile(upstream.Path(t, "source", "client-side-encryption", "corpus", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.ExtJSONToRaw(data, true)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

func openCorpus(t *testing.T, local bool) *corpus {
	t.Helper()
	d := mongotest.Start(t)
	plain := connect(t, d)
	schema := readCorpusFile(t, "corpus-schema.json")
	c := &corpus{values: readCorpusFile(t, "corpus.json"), expected: readCorpusFile(t, "corpus-encrypted.json")}
	db := plain.Database("db")
	create := &options.CreateCollection{Validator: bson.Doc("$jsonSchema", schema)}
	if local {
		create = nil
	}
	if err := db.CreateCollection(t.Context(), "coll", create); err != nil {
		t.Fatal(err)
	}
	c.plain = db.Collection("coll")
	keys := plain.Database("keyvault").Collection("datakeys")
	for _, provider := range []string{"local", "aws", "azure", "gcp", "kmip"} {
		if _, err := keys.InsertOne(t.Context(), readCorpusFile(t, "corpus-key-"+provider+".json")); err != nil {
			t.Fatal(err)
		}
	}
	c.open(t, d, plain, schema, local)
	return c
}

// open makes the client that encrypts and the object that encrypts explicitly.
func (c *corpus) open(t *testing.T, d *mongotest.Deployment, plain *mongo.Client, schema bson.Raw, local bool) {
	t.Helper()
	kms := startKMS(t)
	auto := &options.AutoEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: kms.providers, TLSConfig: kms.tls, KMSConnectCallback: kms.connect,
	}
	if local {
		auto.SchemaMap = map[string]any{"db.coll": schema}
	}
	encrypting := connect(t, d, &options.Client{AutoEncryption: (*mongo.AutoEncryption)(auto)})
	c.encrypted = encrypting.Database("db").Collection("coll")
	var err error
	c.encryption, err = mongo.NewClientEncryption(plain, &options.ClientEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: kms.providers, TLSConfig: kms.tls,
		KMSConnectCallback: kms.connect,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.encryption.Close(t.Context()) })
}

// corpusValue is a field of the corpus.
type corpusValue struct {
	KMS        string        `bson:"kms"`
	Type       string        `bson:"type"`
	Algo       string        `bson:"algo"`
	Method     string        `bson:"method"`
	Identifier string        `bson:"identifier"`
	Allowed    bool          `bson:"allowed"`
	Value      bson.RawValue `bson:"value"`
}

// corpusKeys maps the beginning of a name to the identifier of its data key.
var corpusKeys = map[string]string{
	"local": "LOCALAAAAAAAAAAAAAAAAA==", "aws": "AWSAAAAAAAAAAAAAAAAAAA==", "azure": "AZUREAAAAAAAAAAAAAAAAA==",
	"gcp": "GCPAAAAAAAAAAAAAAAAAAA==", "kmip": "KMIPAAAAAAAAAAAAAAAAAA==",
}

// isInvented reports whether a mock invents the data key of the value.
func (v *corpusValue) isInvented() bool { return v.KMS == "azure" || v.KMS == "gcp" }

// options say how the value is encrypted explicitly.
func (v *corpusValue) options() *options.Encrypt {
	o := &options.Encrypt{Algorithm: options.AlgorithmRandom}
	if v.Algo == "det" {
		o.Algorithm = options.AlgorithmDeterministic
	}
	if v.Identifier == "altname" {
		o.KeyAltName = &v.KMS
		return o
	}
	data, _ := base64.StdEncoding.DecodeString(corpusKeys[v.KMS])
	o.KeyID = new(bson.UUID(data))
	return o
}

// corpusFields gives the fields that are values.
func corpusFields(t *testing.T, doc bson.Raw) map[string]*corpusValue {
	t.Helper()
	fields := map[string]*corpusValue{}
	for name, field := range doc.All() {
		inner, ok := field.DocumentOK()
		if !ok {
			continue
		}
		v := &corpusValue{}
		if err := bson.Unmarshal(inner, v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fields[name] = v
	}
	return fields
}

// encryptValues returns the corpus with its explicit values encrypted, and the number of values that may be encrypted.
func (c *corpus) encryptValues(t *testing.T) (copied bson.D, allowed int) {
	t.Helper()
	fields := corpusFields(t, c.values)
	for name, field := range c.values.All() {
		v := fields[name]
		if v != nil && v.Allowed {
			allowed++
		}
		if v == nil || v.Method == "auto" {
			copied = append(copied, bson.E{Key: name, Value: field})
			continue
		}
		sealed, err := c.encryption.Encrypt(t.Context(), v.Value, v.options())
		switch {
		case v.Allowed != (err == nil):
			t.Errorf("%s: allowed: %v, but the error is %v", name, v.Allowed, err)
			fallthrough
		case !v.Allowed:
			copied = append(copied, bson.E{Key: name, Value: field})
			continue
		}
		inner := bson.D{}
		doc, _ := field.DocumentOK()
		for key, part := range doc.All() {
			if key == "value" {
				inner = append(inner, bson.E{Key: key, Value: sealed})
				continue
			}
			inner = append(inner, bson.E{Key: key, Value: part})
		}
		copied = append(copied, bson.E{Key: name, Value: inner})
	}
	return copied, allowed
}

// insert stores the corpus and reads it back.
func (c *corpus) insert(t *testing.T, copied bson.D) {
	t.Helper()
	if _, err := c.encrypted.InsertOne(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	got, err := c.encrypted.FindOne(t.Context(), bson.D{}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range c.values.All() {
		if v := got.Lookup(name); !v.Equal(want) {
			t.Errorf("%s came back as %s, want %s", name, v, want)
		}
	}
}

// compare checks what the server stores. Corpus Test, step 8.
func (c *corpus) compare(t *testing.T) {
	t.Helper()
	stored, err := c.plain.FindOne(t.Context(), bson.D{}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	values, got := corpusFields(t, c.values), corpusFields(t, stored)
	for name, want := range corpusFields(t, c.expected) {
		v := got[name]
		same := v.Value.Equal(want.Value)
		switch {
		case !want.Allowed:
			if !same || !v.Value.Equal(values[name].Value) {
				t.Errorf("%s may not be encrypted, but is %s", name, v.Value)
			}
		case want.Algo == "rand" && same:
			t.Errorf("%s is random and equals the published value", name)
		case want.Algo == "det" && !want.isInvented() && !same:
			t.Errorf("%s is %s, want %s", name, v.Value, want.Value)
		default:
			c.checkDecrypts(t, name, v.Value, values[name].Value)
			if !want.isInvented() {
				c.checkDecrypts(t, name, want.Value, values[name].Value)
			}
		}
	}
}

func (c *corpus) checkDecrypts(t *testing.T, name string, sealed, want bson.RawValue) {
	t.Helper()
	subtype, data, ok := sealed.BinaryOK()
	if !ok || subtype != 6 {
		t.Errorf("%s is %s, which is no ciphertext", name, sealed)
		return
	}
	got, err := c.encryption.Decrypt(t.Context(), bson.Binary{Subtype: subtype, Data: data})
	if err != nil || !got.Equal(want) {
		t.Errorf("%s decrypts to %s, %v; want %s", name, got, err, want)
	}
}
