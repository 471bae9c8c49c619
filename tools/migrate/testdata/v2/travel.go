package shop

import (
	"context"
	"errors"
	"log"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

type config struct {
	URI, User, Password, Source, Mechanism string
	Hosts                                  []string
	Client                                 *options.ClientOptions
}

func (c config) uri() string { return c.URI }

func optionsReturned(c config) *options.ClientOptions {
	return options.Client().ApplyURI(c.URI).SetAppName("shop")
}

func optionsReturnedInSteps(c config) *options.ClientOptions {
	opts := options.Client().ApplyURI(c.URI)
	if c.User != "" {
		opts.SetAuth(options.Credential{Username: c.User, Password: c.Password, AuthSource: c.Source})
	}
	return opts
}

func connectReturned(c config) (*mongo.Client, error) { return mongo.Connect(optionsReturned(c)) }

func connectField(c *config) (*mongo.Client, error) {
	c.Client = options.Client().ApplyURI(c.URI)
	c.Client.SetMaxPoolSize(5)
	return mongo.Connect(c.Client)
}

func connectMany(opts ...*options.ClientOptions) (*mongo.Client, error) {
	return mongo.Connect(opts...)
}

func connectAppended(uri string, more ...*options.ClientOptions) (*mongo.Client, error) {
	return connectMany(append(more, options.Client().ApplyURI(uri))...)
}

func connectConditional(ctx context.Context, c config) (*mongo.Client, error) {
	opts := options.Client()
	if c.URI != "" {
		opts.ApplyURI(c.URI)
	} else {
		opts.SetHosts(c.Hosts)
	}
	return mongo.Connect(opts)
}

func connectCalled(c config) (*mongo.Client, error) {
	opts := options.Client().ApplyURI(c.uri())
	opts.SetRetryWrites(false)
	return mongo.Connect(opts)
}

func connectChanging(uri string) (*mongo.Client, error) {
	opts := options.Client().ApplyURI(uri)
	uri = "mongodb://elsewhere"
	log.Println(uri)
	return mongo.Connect(opts)
}

func connectTwice(uris []string) (clients []*mongo.Client, err error) {
	for _, uri := range uris {
		client, err := mongo.Connect(options.Client().ApplyURI(uri))
		if err != nil {
			return nil, err
		}
		clients = append(clients, client)
	}
	return clients, nil
}

func connectPrecedence(uri string) (*mongo.Client, error) {
	return mongo.Connect(options.Client().SetAppName("shop").ApplyURI(uri))
}

func connectDeferred(ctx context.Context, uri string) error {
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(ctx) }()
	return client.Ping(ctx, nil)
}

func connectNoOptions() (*mongo.Client, error) { return mongo.Connect() }

func connectDefault() (*mongo.Client, error) { return mongo.Connect(options.Client()) }

func connectJoined(host, port string) (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI(strings.Join([]string{"mongodb://", host, ":", port}, "")))
}

func optionsMerged(a, b *options.ClientOptions) *options.ClientOptions {
	return options.MergeClientOptions(a, b, options.Client().SetAppName("shop"))
}

func connectMechanism(c config) *options.ClientOptions {
	return options.Client().SetAuth(options.Credential{AuthMechanism: c.Mechanism, Username: c.User})
}

func connectCertificate() *options.ClientOptions {
	return options.Client().SetAuth(options.Credential{AuthMechanism: "MONGODB-X509"})
}

func connectScram(c config) *options.ClientOptions {
	cred := options.Credential{
		AuthMechanism: "SCRAM-SHA-256",
		Username:      c.User,
		Password:      c.Password,
	}
	return options.Client().SetAuth(cred)
}

func bsonOptionsInline(uri string) (*mongo.Client, error) {
	return mongo.Connect(options.Client().ApplyURI(uri).SetBSONOptions(&options.BSONOptions{UseJSONStructTags: true, NilSliceAsEmpty: true}))
}

func bsonOptionsVariable(db *mongo.Database) *mongo.Collection {
	bsonOpts := &options.BSONOptions{DefaultDocumentM: true, ObjectIDAsHexString: true}
	return db.Collection("users", options.Collection().SetBSONOptions(bsonOpts))
}

func readPreferenceNew() (*readpref.ReadPref, error) {
	rp, err := readpref.New(readpref.SecondaryMode, readpref.WithTags("dc", "east"))
	return rp, err
}

func readPreferenceMode(rp *readpref.ReadPref) bool { return rp.Mode() == readpref.PrimaryMode }

func sessionOptions(client *mongo.Client) (*mongo.Session, error) {
	txn := options.Transaction().SetReadConcern(readconcern.Snapshot()).SetWriteConcern(writeconcern.Majority())
	return client.StartSession(options.Session().SetDefaultTransactionOptions(txn).SetCausalConsistency(true))
}

func useSessionNamed(ctx context.Context, client *mongo.Client, work func(context.Context) error) error {
	return client.UseSession(ctx, work)
}

func useSessionSnapshot(ctx context.Context, client *mongo.Client, c *mongo.Collection) error {
	return client.UseSessionWithOptions(ctx, options.Session().SetSnapshot(true), func(ctx context.Context) error {
		return c.FindOne(ctx, bson.D{}).Err()
	})
}

func insertedIDsReturned(ctx context.Context, c *mongo.Collection, docs []any) ([]any, error) {
	res, err := c.InsertMany(ctx, docs)
	if err != nil {
		return nil, err
	}
	return res.InsertedIDs, nil
}

func insertedIDsFake() *mongo.InsertManyResult {
	return &mongo.InsertManyResult{InsertedIDs: []any{"a", "b"}}
}

func maxTimeExpired(err error) bool {
	var ce mongo.CommandError
	return errors.As(err, &ce) && ce.IsMaxTimeMSExpiredError()
}

func codesOf(err error) bool {
	var se mongo.ServerError
	return errors.As(err, &se) && (se.HasErrorCode(11000) || se.HasErrorMessage("dup") || se.HasErrorCodeWithMessage(1, "x"))
}

func writeErrors(err error) (indexes []int) {
	var bwe mongo.BulkWriteException
	if errors.As(err, &bwe) {
		for _, e := range bwe.WriteErrors {
			indexes = append(indexes, e.Index)
		}
	}
	return indexes
}
