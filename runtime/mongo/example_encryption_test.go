package mongo_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"encoding/json"
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// exampleVault encrypts explicitly, with a local master key, on a server in this process.
func exampleVault(ctx context.Context) (client *mongo.Client, encryption *mongo.ClientEncryption, done func()) {
	users, closeUsers := exampleUsers(ctx)
	client = users.Database().Client()
	encryption, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys",
		KMSProviders:      map[string]map[string]any{"local": {"key": make([]byte, 96)}}, // random bytes, and secret
	})
	if err != nil {
		log.Fatal(err)
	}
	return client, encryption, func() {
		encryption.Close(ctx)
		closeUsers()
	}
}

func ExampleNewClientEncryption() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.IsZero())
	// Output: false
}

func ExampleClientEncryption_CreateDataKey() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	_, err := encryption.CreateDataKey(ctx, "local", &options.DataKey{KeyAltNames: []string{"ada"}})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleClientEncryption_Encrypt() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	deterministic := &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic}
	secret, err := encryption.Encrypt(ctx, "123-45", deterministic)
	fmt.Println(secret.Subtype, err)
	// Output: 6 <nil>
}

func ExampleClientEncryption_EncryptExpression() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	between := bson.Doc("$and", bson.A{bson.Doc("age", bson.Doc("$gte", 30)), bson.Doc("age", bson.Doc("$lt", 40))})
	filter, err := encryption.EncryptExpression(ctx, between, &options.Encrypt{
		KeyID: &id, Algorithm: options.AlgorithmRange, QueryType: new(options.QueryTypeRange), ContentionFactor: new(int64(0)),
		RangeOptions: &options.Range{Min: 0, Max: 200, Sparsity: new(int64(1))},
	})
	fmt.Println(len(filter) > 0, err)
	// Output: true <nil>
}

func ExampleClientEncryption_Decrypt() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	deterministic := &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic}
	secret, err := encryption.Encrypt(ctx, "123-45", deterministic)
	if err != nil {
		log.Fatal(err)
	}
	value, err := encryption.Decrypt(ctx, secret)
	fmt.Println(value, err)
	// Output: "123-45" <nil>
}

func ExampleClientEncryption_Close() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	fmt.Println(encryption.Close(ctx)) // the client stays open
	// Output: <nil>
}

func ExampleClientEncryption_RewrapManyDataKey() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	_ = id
	// To another master key, this names the provider and the key.
	result, err := encryption.RewrapManyDataKey(ctx, bson.D{}, &options.RewrapManyDataKey{Provider: new("local")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.BulkWriteResult.ModifiedCount)
	// Output: 1
}

func ExampleClientEncryption_DeleteKey() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	result, err := encryption.DeleteKey(ctx, id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.DeletedCount)
	// Output: 1
}

func ExampleClientEncryption_GetKey() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	key, err := encryption.GetKey(ctx, id).Raw()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(key.Lookup("masterKey", "provider"))
	// Output: "local"
}

func ExampleClientEncryption_GetKeyByAltName() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	_, err := encryption.CreateDataKey(ctx, "local", &options.DataKey{KeyAltNames: []string{"ada"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(encryption.GetKeyByAltName(ctx, "ada").Err())
	// Output: <nil>
}

func ExampleClientEncryption_GetKeys() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	_ = id
	cursor, err := encryption.GetKeys(ctx)
	if err != nil {
		log.Fatal(err)
	}
	keys, err := mongo.All[bson.Raw](ctx, cursor)
	fmt.Println(len(keys), err)
	// Output: 1 <nil>
}

func ExampleClientEncryption_AddKeyAltName() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	if err := encryption.AddKeyAltName(ctx, id, "ada").Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(encryption.GetKeyByAltName(ctx, "ada").Err())
	// Output: <nil>
}

func ExampleClientEncryption_RemoveKeyAltName() {
	ctx := context.Background()
	_, encryption, done := exampleVault(ctx)
	defer done()
	id, err := encryption.CreateDataKey(ctx, "local")
	if err != nil {
		log.Fatal(err)
	}
	if err := encryption.AddKeyAltName(ctx, id, "ada").Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(encryption.RemoveKeyAltName(ctx, id, "ada").Err())
	// Output: <nil>
}

func ExampleClientEncryption_CreateEncryptedCollection() {
	ctx := context.Background()
	client, encryption, done := exampleVault(ctx)
	defer done()
	fields := bson.Doc("fields", bson.A{bson.Doc("path", "ssn", "bsonType", "string", "keyId", nil)}) // nil makes a key
	people, _, err := encryption.CreateEncryptedCollection(ctx, client.Database("shop"), "people", "local", nil,
		&options.CreateCollection{EncryptedFields: fields})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(people.Name())
	// Output: people
}

func ExampleAutoEncryption() {
	auto := &mongo.AutoEncryption{
		KeyVaultNamespace: "encryption.keys",
		KMSProviders:      map[string]map[string]any{"local": {"key": make([]byte, 96)}},
	}
	settings := &options.Client{AutoEncryption: auto} // for mongo.Connect
	fmt.Println(settings.AutoEncryption.AutoEncryption().KeyVaultNamespace)
	// Output: encryption.keys
}

func ExampleAutoEncryption_AutoEncryption() {
	auto := &mongo.AutoEncryption{KeyVaultNamespace: "encryption.keys"}
	fmt.Println(auto.AutoEncryption().KeyVaultNamespace)
	// Output: encryption.keys
}

func ExampleAutoEncryption_Format() {
	auto := &mongo.AutoEncryption{
		KMSProviders: map[string]map[string]any{"local": {"key": "secret"}},
	}
	fmt.Println(strings.Contains(fmt.Sprintf("%+v", auto), "secret"))
	// Output: false
}

func ExampleAutoEncryption_MarshalJSON() {
	auto := &mongo.AutoEncryption{
		KMSProviders: map[string]map[string]any{"local": {"key": "secret"}},
	}
	text, err := json.Marshal(auto)
	fmt.Println(bytes.Contains(text, []byte("secret")), err)
	// Output: false <nil>
}
