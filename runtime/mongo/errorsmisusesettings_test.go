package mongo_test

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// connects is a mistake in the options of a client.
func connects(name, uri string, o *options.Client, words string) misuse {
	return misuse{"Connect: " + name, func(m misused) error {
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

// encrypts is a mistake in the options of a client that encrypts.
func encrypts(name string, o options.AutoEncryption, words string) misuse {
	if o.KeyVaultNamespace == "" {
		o.KeyVaultNamespace = "keys.vault"
	}
	o.KMSProviders = localKMS()
	return connects(name, "mongodb://127.0.0.1:1", &options.Client{AutoEncryption: (*mongo.AutoEncryption)(&o)}, words)
}

// misusedSettings are rows of TestMisuse: settings of a client that contradict each other, or that nothing has.
var misusedSettings = []misuse{
	encrypts("a schema that is no document", options.AutoEncryption{SchemaMap: map[string]any{"db.c": 7}}, "db.c,schema,int"),
	encrypts("encrypted fields that are no document", options.AutoEncryption{EncryptedFieldsMap: map[string]any{"db.c": 7}}, "db.c,encrypted fields,int"),
	encrypts("a collection in both maps", options.AutoEncryption{
		SchemaMap: map[string]any{"db.c": bson.D{}}, EncryptedFieldsMap: map[string]any{"db.c": bson.D{}},
	}, "db.c"),
	encrypts("another client for the key vault", options.AutoEncryption{KeyVaultClient: otherClient{}}, "KeyVaultClient,otherClient,*Client"),
	{"Connect: a client for the key vault that encrypts", func(m misused) error {
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
	}, "KeyVaultClient encrypts"},
	encrypts("a namespace without a dot", options.AutoEncryption{KeyVaultNamespace: "keys"}, "keys,namespace"),
	connects("an empty text", "", nil, "scheme,mongodb://"),
	connects("another scheme", "http://a", nil, "mongodb://"),
	connects("no host", "mongodb://", nil, "host"),
	connects("a port out of range", "mongodb://a:99999", nil, "port,65535"),
	connects("a password without a user", "mongodb://:b@a", nil, "user"),
	connects("two databases", "mongodb://a/b/c", nil, "/"),
	connects("direct to several", "mongodb://a,b/?directConnection=true", nil, "directConnection,one host"),
	connects("balanced with a replica set", "mongodb://a/?loadBalanced=true&replicaSet=r", nil, "loadBalanced,replicaSet"),
	connects("balanced and several", "mongodb://a,b/?loadBalanced=true", nil, "loadBalanced"),
	connects("minPoolSize over maxPoolSize", "mongodb://a/?minPoolSize=5&maxPoolSize=2", nil, "minPoolSize,maxPoolSize"),
	connects("TLS on and off", "mongodb://a/?tls=true&ssl=false", nil, "tls,different values"),
	connects("TLS insecure twice", "mongodb://a/?tlsInsecure=true&tlsAllowInvalidCertificates=true", nil, "tlsInsecure,tlsAllowInvalidCertificates"),
	connects("a negative Timeout", "mongodb://a", &options.Client{Timeout: new(-time.Second)}, "Timeout,less than 0"),
}
