package mongo_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// exampleKey makes a data key with a provider, encrypts with it and decrypts, asking services that live in this process. A
// program leaves out TLSConfig and KMSConnectCallback, unless it goes through a proxy or its KMIP server wants a certificate.
func exampleKey(services *kmstest.Server, kms *options.ClientEncryption, provider string, masterKey any) {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	kms.KeyVaultNamespace = "encryption.keys"
	kms.TLSConfig = services.TLS(slices.Collect(maps.Keys(kms.KMSProviders))...)
	if kms.KMSConnectCallback == nil {
		kms.KMSConnectCallback = services.Connect
	}
	encryption, err := mongo.NewClientEncryption(users.Database().Client(), kms)
	if err != nil {
		log.Fatal(err)
	}
	defer encryption.Close(ctx)
	id, err := encryption.CreateDataKey(ctx, provider, &options.DataKey{MasterKey: masterKey})
	if err != nil {
		log.Fatal(err)
	}
	secret, err := encryption.Encrypt(ctx, "123-45", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom})
	if err != nil {
		log.Fatal(err)
	}
	value, err := encryption.Decrypt(ctx, secret)
	fmt.Println(value, err)
}

// The master key is in the program's own hands: 96 bytes at random, kept apart from the data.
func ExampleNewClientEncryption_local() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{"local": {"key": make([]byte, 96)}},
	}, "local", nil)
	// Output: "123-45" <nil>
}

func ExampleNewClientEncryption_aws() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{
			"aws": {"accessKeyId": "AKIDKMSTEST", "secretAccessKey": "kmstest-secret"},
		},
	}, "aws", bson.Doc("region", "us-east-1", "key", "arn:aws:kms:us-east-1:123456789012:key/the-key"))
	// Output: "123-45" <nil>
}

func ExampleNewClientEncryption_azure() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{
			"azure": {"tenantId": "kmstest-tenant", "clientId": "kmstest-client", "clientSecret": "kmstest-secret"},
		},
	}, "azure", bson.Doc("keyVaultEndpoint", "shop.vault.azure.net", "keyName", "the-key"))
	// Output: "123-45" <nil>
}

func ExampleNewClientEncryption_gcp() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{
			"gcp": services.Providers("gcp")["gcp"], // email, and privateKey: PKCS #8 in base64
		},
	}, "gcp", bson.Doc("projectId", "shop", "location", "global", "keyRing", "the-ring", "keyName", "the-key"))
	// Output: "123-45" <nil>
}

// The key stays in the KMIP server, which encrypts the data keys: that is what delegated asks for. Without it the driver
// fetches the key, and encrypts the data keys itself.
func ExampleNewClientEncryption_kmip() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{"kmip": {"endpoint": "kmip.example.com:5696"}},
	}, "kmip", bson.Doc("delegated", true))
	// Output: "123-45" <nil>
}

// A name behind the provider tells accounts apart. A master key says which it belongs to.
func ExampleNewClientEncryption_named() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{
			"local:old": {"key": make([]byte, 96)},
			"aws:eu":    {"accessKeyId": "AKIDKMSTEST", "secretAccessKey": "kmstest-secret"},
		},
	}, "aws:eu", bson.Doc("region", "eu-west-1", "key", "arn:aws:kms:eu-west-1:123456789012:key/the-key"))
	// Output: "123-45" <nil>
}

// An empty map has the machine give the credentials: the metadata service of Azure or Google Cloud, and of AWS what the
// machine, its environment or its role has.
func ExampleNewClientEncryption_onDemand() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{"azure": {}},
		HTTPClient:   services.HTTPClient(), // a program leaves it out
	}, "azure", bson.Doc("keyVaultEndpoint", "shop.vault.azure.net", "keyName", "the-key"))
	// Output: "123-45" <nil>
}

// Credentials of AWS may come from a function, too.
func ExampleNewClientEncryption_onDemandAWS() {
	services := kmstest.New()
	defer services.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{"aws": {}},
		AWSCredentialProvider: func(context.Context) (options.AWSCredentials, error) {
			return options.AWSCredentials{AccessKeyID: "AKIDKMSTEST", SecretAccessKey: "kmstest-secret"}, nil
		},
	}, "aws", bson.Doc("region", "us-east-1", "key", "arn:aws:kms:us-east-1:123456789012:key/the-key"))
	// Output: "123-45" <nil>
}

// A callback opens the connections to the services. The driver speaks TLS with the service on them, so a proxy learns
// nothing.
func ExampleNewClientEncryption_proxy() {
	services := kmstest.New()
	defer services.Close()
	proxy, err := services.NewProxy(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer proxy.Close()
	exampleKey(services, &options.ClientEncryption{
		KMSProviders: map[string]map[string]any{
			"aws": {"accessKeyId": "AKIDKMSTEST", "secretAccessKey": "kmstest-secret"},
		},
		KMSConnectCallback: proxy.Connect, // net.Dial to the proxy, then CONNECT
	}, "aws", bson.Doc("region", "us-east-1", "key", "arn:aws:kms:us-east-1:123456789012:key/the-key"))
	fmt.Println(proxy.Connected() > 0)
	// Output:
	// "123-45" <nil>
	// true
}
