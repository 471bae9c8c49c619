package shop

import (
	"context"
	"crypto/tls"
	"log"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

func connectInline(ctx context.Context) (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI("mongodb://localhost:27017"))
}

func connectNoContext() (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")))
}

func connectOtherName(parent context.Context, uri string) (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI(uri).SetAppName("shop"))
}

func connectVariable(ctx context.Context, uri string) (*mongo.Client, error) {
	opts := options.Client().ApplyURI(uri)
	client, err := mongo.Connect(opts)
	if err != nil {
		return nil, err
	}
	return client, client.Ping(ctx, readpref.Primary())
}

func connectVariableLater(ctx context.Context, uri string, secure bool) (*mongo.Client, error) {
	opts := options.Client()
	opts.ApplyURI(uri)
	opts.SetMaxPoolSize(20)
	if secure {
		opts.SetTLSConfig(&tls.Config{MinVersion: tls.VersionTLS13})
	}
	opts = opts.SetRetryWrites(true).SetRetryReads(false)
	return mongo.Connect(opts)
}

func connectEverything(ctx context.Context, uri string, pool uint64) (*mongo.Client, error) {
	monitor := &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			log.Println(e.CommandName, e.Command, e.RequestID)
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) { log.Println(e.Duration) },
		Failed:    func(_ context.Context, e *event.CommandFailedEvent) { log.Println(e.CommandName, e.Failure) },
	}
	return mongo.Connect(options.Client().
		ApplyURI(uri).
		SetMonitor(monitor).
		SetAppName("shop").
		SetMaxPoolSize(pool).
		SetMinPoolSize(2).
		SetMaxConnecting(4).
		SetMaxConnIdleTime(time.Minute).
		SetConnectTimeout(5 * time.Second).
		SetServerSelectionTimeout(3 * time.Second).
		SetTimeout(10 * time.Second).
		SetHeartbeatInterval(10 * time.Second).
		SetLocalThreshold(15 * time.Millisecond).
		SetCompressors([]string{"zstd", "snappy"}).
		SetZlibLevel(6).
		SetDirect(false).
		SetReplicaSet("rs0").
		SetReadPreference(readpref.SecondaryPreferred(readpref.WithMaxStaleness(90 * time.Second))).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(writeconcern.Majority()).
		SetServerAPIOptions(options.ServerAPI(options.ServerAPIVersion1).SetStrict(true)).
		SetServerMonitoringMode(options.ServerMonitoringModePoll).
		SetAuth(options.Credential{Username: "ada", Password: "secret", AuthSource: "admin"}))
}

func connectHosts(ctx context.Context) (*mongo.Client, error) {
	return mongo.Connect(options.Client().SetHosts([]string{"a:27017", "b:27017"}).SetReplicaSet("rs0"))
}

func connectHostList(ctx context.Context, hosts []string) (*mongo.Client, error) {
	return mongo.Connect(options.Client().SetHosts(hosts))
}

func connectOptionsFromElsewhere(ctx context.Context, opts *options.ClientOptions) (*mongo.Client, error) {
	return mongo.Connect(opts)
}

func disconnect(ctx context.Context, client *mongo.Client) {
	defer client.Disconnect(ctx)
	defer func() {
		if err := client.Disconnect(context.TODO()); err != nil {
			log.Fatal(err)
		}
	}()
}

func ping(ctx context.Context, client *mongo.Client) error {
	if err := client.Ping(ctx, nil); err != nil {
		return err
	}
	return client.Ping(ctx, readpref.Nearest(readpref.WithTags("dc", "east")))
}

func concerns(client *mongo.Client) *mongo.Collection {
	db := client.Database("shop", options.Database().SetWriteConcern(writeconcern.W1()).SetReadConcern(readconcern.Local()))
	wc := &writeconcern.WriteConcern{W: "majority"}
	db = client.Database("shop", options.Database().SetWriteConcern(wc))
	db.Collection("a", options.Collection().SetReadPreference(readpref.Secondary()).SetWriteConcern(writeconcern.Journaled()))
	db.Collection("b", options.Collection().SetWriteConcern(writeconcern.Unacknowledged()).SetReadConcern(readconcern.Snapshot()))
	return db.Collection("c", options.Collection().SetWriteConcern(writeconcern.Custom("east")))
}

func encryptingClient(uri string, keys *mongo.Client, providers map[string]map[string]any) (*mongo.ClientEncryption, error) {
	auto := options.AutoEncryption().SetKeyVaultNamespace("encryption.keys").SetKmsProviders(providers)
	if _, err := mongo.Connect(options.Client().ApplyURI(uri).SetAutoEncryptionOptions(auto)); err != nil {
		return nil, err
	}
	return mongo.NewClientEncryption(keys, options.ClientEncryption().SetKeyVaultNamespace("encryption.keys").SetKmsProviders(providers))
}

func encrypted(ctx context.Context, ce *mongo.ClientEncryption, value bson.RawValue) (bson.Binary, error) {
	return ce.Encrypt(ctx, value, options.Encrypt().SetAlgorithm("Indexed").SetKeyAltName("ssn").SetContentionFactor(1))
}
