package mongo_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Client Side Encryption, "keyVaultClient, metadataClient, and the internal MongoClient": the second client has the
// options of the first, except for minPoolSize.
func TestTheInternalClientHasTheSameOptions(t *testing.T) {
	d := mongotest.Start(t, mongotest.Version("8.0"))
	var mu sync.Mutex
	var pools []event.PoolOptions
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{
		AppName: new("clinic"), MinPoolSize: new(1), MaxPoolSize: new(7),
		PoolMonitor: &event.PoolMonitor{PoolCreated: func(e *event.PoolCreated) {
			mu.Lock()
			defer mu.Unlock()
			pools = append(pools, e.Options)
		}},
		AutoEncryption: &mongo.AutoEncryption{KeyVaultNamespace: "a.b", KMSProviders: localKMS()},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	if _, err := client.Database("db").Collection("people").InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	smallest := 0
	for _, p := range pools {
		if p.MaxPoolSize == nil || *p.MaxPoolSize != 7 {
			t.Errorf("a pool has %+v", p)
		}
		if p.MinPoolSize != nil && *p.MinPoolSize != 0 {
			smallest++
		}
	}
	if len(pools) != 2 || smallest != 1 {
		t.Errorf("%d pools, %d of them with a minimum", len(pools), smallest)
	}
	for _, c := range d.Commands() {
		if c.Name == "listCollections" && c.AppName != "clinic" {
			t.Errorf("the schema was read by %q", c.AppName)
		}
	}
}

// Client Side Encryption, "Automatic Credentials": credentials that an operation does not need are not requested.
func TestCredentialsAreFetchedWhenTheyAreNeeded(t *testing.T) {
	asked := 0
	o := &options.ClientEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(),
		HTTPClient: answers(http.StatusNotFound, "", func(*http.Request) error { asked++; return nil }),
	}
	for _, name := range []string{"aws", "azure", "gcp"} {
		o.KMSProviders[name] = map[string]any{}
	}
	o.AWSCredentialProvider = func(context.Context) (options.AWSCredentials, error) {
		asked++
		return options.AWSCredentials{}, errors.New("none")
	}
	e := newEncryption(t, vaultClient(t), o)
	if _, err := e.CreateDataKey(t.Context(), "local"); err != nil || asked != 0 {
		t.Errorf("%v, and %d requests for a local key", err, asked)
	}
	for i, name := range []string{"aws", "azure", "gcp"} {
		if _, err := e.CreateDataKey(t.Context(), name, &options.DataKey{MasterKey: masterKeys()[name]}); err == nil || asked != i+1 {
			t.Errorf("%s: %v, after %d requests", name, err, asked)
		}
	}
}

// Client Side Encryption, "extraOptions": options for mongocryptd and crypt_shared are accepted, even unknown ones.
func TestExtraOptionsOfTheFuture(t *testing.T) {
	for name, passes := range map[string]bool{
		"mongocryptdSomethingNew": true, "cryptSharedLibSomethingNew": true, "mongocryptdURI": true, "somethingNew": false,
	} {
		client, err := mongo.Connect(t.Context(), "mongodb://localhost", &options.Client{
			AutoEncryption: &mongo.AutoEncryption{
				KeyVaultNamespace: "a.b", KMSProviders: localKMS(), ExtraOptions: map[string]any{name: 1},
			},
		})
		if (err == nil) != passes {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			client.Close(t.Context())
		}
	}
}

// Client Side Encryption, "Create Collection Helper": metadata collections have no encrypted fields, even if
// EncryptedFieldsMap names them.
func TestStateCollectionsHaveNoFields(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	fields := func() bson.D {
		return bson.Doc("fields", bson.A{bson.Doc("path", "code", "bsonType", "string", "keyId", bson.NewUUID())})
	}
	client := connect(t, d, &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "a.b", KMSProviders: localKMS(), EncryptedFieldsMap: map[string]any{
			"db.visits": fields(), "db.enxcol_.visits.esc": fields(), "db.enxcol_.visits.ecoc": fields(),
		},
	}})
	if err := client.Database("db").CreateCollection(t.Context(), "visits"); err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{}
	for _, c := range commandsNamed(d, "create") {
		name, _ := c.Body.Lookup("create").StringOK()
		sent[name] = !c.Body.Lookup("encryptedFields").IsZero()
	}
	if len(sent) != 3 || !sent["visits"] || sent[encryption.StatePrefix+"visits.esc"] || sent[encryption.StatePrefix+"visits.ecoc"] {
		t.Errorf("with encrypted fields: %v", sent)
	}
}
