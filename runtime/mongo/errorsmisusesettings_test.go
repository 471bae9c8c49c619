package mongo_test

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// misuseOfConnect is a mistake in the options of a client.
func misuseOfConnect(name, uri string, o *options.Client, words string) misuse {
	return misuse{"Connect: " + name, func(m misuseScene) error {
		client, err := mongo.Connect(m.ctx, uri, o)
		if err == nil {
			_ = client.Close(m.ctx)
		}
		return err
	}, words}
}

// otherClient is not a client of this package.
type otherClient struct{}

func (otherClient) Close(context.Context) error { return nil }

// misuseOfEncryption is a mistake in the options of a client that encrypts.
func misuseOfEncryption(name string, o options.AutoEncryption, words string) misuse {
	if o.KeyVaultNamespace == "" {
		o.KeyVaultNamespace = "keys.vault"
	}
	o.KMSProviders = localKMS()
	return misuseOfConnect(name, "mongodb://127.0.0.1:1", &options.Client{AutoEncryption: (*mongo.AutoEncryption)(&o)}, words)
}

// misusedSettings are rows of TestMisuseIsExplained: settings of a client that contradict each other, or that nothing
// has.
var misusedSettings = []misuse{
	misuseOfEncryption("a schema that is no document", options.AutoEncryption{SchemaMap: map[string]any{"db.c": 7}}, "db.c,schema,int"),
	misuseOfEncryption("encrypted fields that are no document", options.AutoEncryption{EncryptedFieldsMap: map[string]any{"db.c": 7}}, "db.c,encrypted fields,int"),
	misuseOfEncryption("a collection in both maps", options.AutoEncryption{
		SchemaMap: map[string]any{"db.c": bson.D{}}, EncryptedFieldsMap: map[string]any{"db.c": bson.D{}},
	}, "db.c"),
	misuseOfEncryption("another client for the key vault", options.AutoEncryption{KeyVaultClient: otherClient{}}, "KeyVaultClient,otherClient,*Client"),
	{"Connect: a client for the key vault that encrypts", func(m misuseScene) error {
		auto := options.AutoEncryption{KeyVaultNamespace: "keys.vault", KMSProviders: localKMS()}
		first, err := mongo.Connect(m.ctx, "mongodb://127.0.0.1:1", &options.Client{AutoEncryption: (*mongo.AutoEncryption)(&auto)})
		if err != nil {
			m.t.Fatal(err)
		}
		defer first.Close(m.ctx)
		second := auto
		second.KeyVaultClient = first
		_, err = mongo.Connect(m.ctx, "mongodb://127.0.0.1:1", &options.Client{AutoEncryption: (*mongo.AutoEncryption)(&second)})
		return err
	}, "KeyVaultClient,pass a client without it"},
	misuseOfEncryption("a namespace without a dot", options.AutoEncryption{KeyVaultNamespace: "keys"}, "keys,namespace"),
	misuseOfConnect("an empty text", "", nil, "scheme,mongodb://"),
	misuseOfConnect("another scheme", "http://a", nil, "mongodb://"),
	misuseOfConnect("no host", "mongodb://", nil, "host"),
	misuseOfConnect("a port out of range", "mongodb://a:99999", nil, "port,65535"),
	misuseOfConnect("a password without a user", "mongodb://:b@a", nil, "user"),
	misuseOfConnect("two databases", "mongodb://a/b/c", nil, "/"),
	misuseOfConnect("direct to several", "mongodb://a,b/?directConnection=true", nil, "directConnection,one host"),
	misuseOfConnect("balanced with a replica set", "mongodb://a/?loadBalanced=true&replicaSet=r", nil, "loadBalanced,replicaSet"),
	misuseOfConnect("balanced and several", "mongodb://a,b/?loadBalanced=true", nil, "loadBalanced"),
	misuseOfConnect("minPoolSize over maxPoolSize", "mongodb://a/?minPoolSize=5&maxPoolSize=2", nil, "minPoolSize,maxPoolSize"),
	misuseOfConnect("TLS on and off", "mongodb://a/?tls=true&ssl=false", nil, "tls,different values"),
	misuseOfConnect("TLS insecure twice", "mongodb://a/?tlsInsecure=true&tlsAllowInvalidCertificates=true", nil, "tlsInsecure,tlsAllowInvalidCertificates"),
	misuseOfConnect("a negative Timeout", "mongodb://a", &options.Client{Timeout: new(-time.Second)}, "Timeout,less than 0"),
}
