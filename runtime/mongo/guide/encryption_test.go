package guide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongo/encrypted"
	"github.com/specdrivers/onion/tools/mongotest"
)

// masterKey is an example: a program reads its 96 secret bytes from a safe place.
func masterKey() []byte { return make([]byte, 96) }

type Patient struct {
	Name  string `bson:"name"`
	SSN   string `bson:"ssn" encrypt:"deterministic,key=patients"`
	Notes string `bson:"notes" encrypt:"random,key=patients"`
}

func Example_fieldLevelEncryption() {
	server, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx, uri := context.Background(), server.URI()
	plain, err := mongo.Connect(ctx, uri)
	if err != nil {
		log.Fatal(err)
	}
	defer plain.Close(ctx)

	providers := map[string]map[string]any{"local": {"key": masterKey()}}
	vault, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer vault.Close(ctx)

	id, err := vault.CreateDataKey(ctx, "local", &options.DataKey{KeyAltNames: []string{"patients"}})
	if err != nil {
		log.Fatal(err)
	}
	schema, err := encrypted.Of[Patient]()
	if err != nil {
		log.Fatal(err)
	}
	jsonSchema, err := schema.JSONSchema(map[string]bson.UUID{"patients": id})
	if err != nil {
		log.Fatal(err)
	}

	client, err := mongo.Connect(ctx, uri, &options.Client{
		AutoEncryption: &mongo.AutoEncryption{
			KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
			SchemaMap: map[string]any{"clinic.patients": jsonSchema},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)

	patients := client.Database("clinic").Collection("patients")
	if _, err := patients.InsertOne(ctx, Patient{Name: "Ada", SSN: "123-45", Notes: "well"}); err != nil {
		log.Fatal(err)
	}
	var ada Patient
	err = patients.FindOne(ctx, bson.Doc("ssn", "123-45")).Decode(&ada)
	fmt.Println(ada.Notes, err)
	_, err = patients.Find(ctx, bson.Doc("notes", "well"))
	fmt.Println(err != nil)
	// Output:
	// well <nil>
	// true
}

type Visit struct {
	Code string `bson:"code" encrypt:"equality,contention=4"`
	Cost int64  `bson:"cost" encrypt:"range,min=0,max=100000"`
}

func Example_queryableEncryption() {
	server, err := mongotest.New(mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx, uri := context.Background(), server.URI()
	plain, err := mongo.Connect(ctx, uri)
	if err != nil {
		log.Fatal(err)
	}
	defer plain.Close(ctx)
	providers := map[string]map[string]any{"local": {"key": masterKey()}}
	vault, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer vault.Close(ctx)

	schema, err := encrypted.Of[Visit]()
	if err != nil {
		log.Fatal(err)
	}
	fields, err := schema.EncryptedFields(nil)
	if err != nil {
		log.Fatal(err)
	}
	_, fields, err = vault.CreateEncryptedCollection(ctx, plain.Database("clinic"), "visits", "local", nil,
		&options.CreateCollection{EncryptedFields: fields})
	if err != nil {
		log.Fatal(err)
	}

	client, err := mongo.Connect(ctx, uri, &options.Client{
		AutoEncryption: &mongo.AutoEncryption{
			KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
			EncryptedFieldsMap: map[string]any{"clinic.visits": fields},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)

	visits := client.Database("clinic").Collection("visits")
	if _, err := visits.InsertMany(ctx, []any{Visit{"A1", 120}, Visit{"B2", 80}}); err != nil {
		log.Fatal(err)
	}
	cheap, err := visits.Find(ctx, bson.Doc("cost", bson.Doc("$gte", int64(0), "$lt", int64(100))))
	if err != nil {
		log.Fatal(err)
	}
	for v, err := range mongo.Each[Visit](ctx, cheap) {
		fmt.Println(v.Code, err)
	}
	// Output: B2 <nil>
}

func Example_keyRotation() {
	ctx, client := connect()
	defer client.Close(ctx)
	vault, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys",
		KMSProviders:      map[string]map[string]any{"local:old": {"key": masterKey()}, "local:new": {"key": masterKey()}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer vault.Close(ctx)
	if _, err := vault.CreateDataKey(ctx, "local:old"); err != nil {
		log.Fatal(err)
	}

	result, err := vault.RewrapManyDataKey(ctx, bson.Doc("masterKey.provider", "local:old"),
		&options.RewrapManyDataKey{Provider: new("local:new")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.BulkWriteResult.ModifiedCount)
	// Output: 1
}

func Example_keyVaultIndex() {
	ctx, client := connect()
	defer client.Close(ctx)

	keys := client.Database("encryption").Collection("keys")
	name, err := keys.Indexes().CreateOne(ctx, mongo.IndexModel{
		Keys: bson.Doc("keyAltNames", 1),
		Options: &options.Index{
			Unique:                  new(true),
			PartialFilterExpression: bson.Doc("keyAltNames", bson.Doc("$exists", true)),
		},
	})
	fmt.Println(name, err)
	// Output: keyAltNames_1 <nil>
}
