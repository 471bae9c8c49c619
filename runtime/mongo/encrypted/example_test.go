package encrypted_test

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

type Patient struct {
	Name  string `bson:"name"`
	SSN   string `bson:"ssn" encrypt:"deterministic,key=patients"`
	Notes string `bson:"notes" encrypt:"random,key=patients"`
}

// The tags of a struct say what is encrypted: the program makes the keys that they name, and the client does the rest.
func Example() {
	ctx := context.Background()
	server, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	plain, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer plain.Close(ctx)
	providers := map[string]map[string]any{"local": {"key": make([]byte, 96)}} // random bytes, and secret
	vault, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer vault.Close(ctx)

	schema, err := encrypted.Of[Patient]()
	if err != nil {
		log.Fatal(err)
	}
	keys := map[string]bson.UUID{}
	for _, name := range schema.Keys() {
		if keys[name], err = vault.CreateDataKey(ctx, "local", &options.DataKey{KeyAltNames: []string{name}}); err != nil {
			log.Fatal(err)
		}
	}
	jsonSchema, err := schema.JSONSchema(keys)
	if err != nil {
		log.Fatal(err)
	}
	client, err := mongo.Connect(ctx, server.URI(), &options.Client{AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
		SchemaMap: map[string]any{"clinic.patients": jsonSchema},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)

	patients := client.Database("clinic").Collection("patients")
	if _, err := patients.InsertOne(ctx, Patient{Name: "Ada", SSN: "123-45", Notes: "well"}); err != nil {
		log.Fatal(err)
	}
	var found Patient
	err = patients.FindOne(ctx, bson.Doc("ssn", "123-45")).Decode(&found)
	fmt.Println(found, err)
	stored, err := plain.Database("clinic").Collection("patients").FindOne(ctx, bson.D{}).Raw()
	fmt.Println(stored.Lookup("ssn").Type, stored.Lookup("notes").Type, err)
	// Output:
	// {Ada 123-45 well} <nil>
	// binData binData <nil>
}

func ExampleOf() {
	type Visit struct {
		Code string `bson:"code" encrypt:"equality,contention=4"`
		Cost int64  `bson:"cost" encrypt:"range,min=0,max=100000"`
	}
	schema, err := encrypted.Of[Visit]()
	for _, field := range schema {
		fmt.Println(field.Path, field.Type, field.Queries[0].Type)
	}
	fmt.Println(err)
	// Output:
	// code string equality
	// cost long range
	// <nil>
}

// A mistake in a tag is an error that says where it is and what to write.
func ExampleOf_mistake() {
	type Visit struct {
		Count int `bson:"count" encrypt:"equality"`
	}
	_, err := encrypted.Of[Visit]()
	fmt.Println(err)
	// Output: encrypted: the field Visit.Count ("count" in BSON) has the Go type int: it is written as int or as long, whichever fits: declare it int32 or int64 without minsize, or name the BSON type with type=<BSON type> in its tag encrypt
}

func ExampleSchema_Keys() {
	schema, err := encrypted.Of[Patient]()
	fmt.Println(schema.Keys(), err)
	// Output: [patients] <nil>
}

// A program without a struct lists the fields.
func ExampleSchema_JSONSchema() {
	schema := encrypted.Schema{
		{Path: "ssn", Type: "string", Algorithm: options.AlgorithmDeterministic, Key: "patients"},
		{Path: "insurance.policy", Algorithm: options.AlgorithmRandom, Key: "/owner"},
	}
	jsonSchema, err := schema.JSONSchema(map[string]bson.UUID{"patients": bson.NewUUID()})
	fmt.Println(jsonSchema.Lookup("properties", "ssn", "encrypt", "algorithm"), err)
	// Output: "AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic" <nil>
}

// CreateEncryptedCollection makes the keys of the fields that name none.
func ExampleSchema_EncryptedFields() {
	ctx := context.Background()
	server, err := mongotest.New(mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	vault, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: map[string]map[string]any{"local": {"key": make([]byte, 96)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer vault.Close(ctx)

	schema := encrypted.Schema{
		{Path: "ssn", Type: "string", Queries: []encrypted.Query{{Type: options.QueryTypeEquality}}},
		{Path: "age", Type: "int", Queries: []encrypted.Query{{Type: options.QueryTypeRange, Min: 0, Max: 150}}},
	}
	fields, err := schema.EncryptedFields(nil)
	if err != nil {
		log.Fatal(err)
	}
	_, fields, err = vault.CreateEncryptedCollection(ctx, client.Database("clinic"), "patients", "local", nil,
		&options.CreateCollection{EncryptedFields: fields})
	fmt.Println(fields.Lookup("fields", "1", "keyId").Type, err)
	// Output: binData <nil>
}
