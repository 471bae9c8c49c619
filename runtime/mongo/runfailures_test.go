package mongo_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// failingCall is a call that sends one command or more.
type failingCall struct {
	name string
	call func(ctx context.Context, f *failingScene) error
}

// commands makes the call where nothing fails, and returns what it sends.
func (c failingCall) commands(t *testing.T, filter mongotest.Filter) []mongotest.Command {
	t.Helper()
	d, f := newFailingScene(t)
	if err := c.call(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return d.Commands(filter)
}

// failingScene is what the calls work with.
type failingScene struct {
	client *mongo.Client
	db     *mongo.Database
	c      *mongo.Collection // holds three documents
	bucket *mongo.GridFSBucket
	keys   *mongo.ClientEncryption
	key    bson.UUID

	encrypting *mongo.Client // knows no schema
}

var (
	withoutKey = &options.CreateCollection{EncryptedFields: encryptedFields(bson.Doc("path", "a", "bsonType", "string", "keyId", bson.Null{}))}
	withKey    = encryptedFields(bson.Doc("path", "a", "bsonType", "string", "keyId", bson.NewUUID()))
)

func failingCalls() []failingCall {
	only := func(_ any, err error) error { return err }
	small := &options.Find{BatchSize: new(int32(1))}
	return []failingCall{
		{"Find", func(ctx context.Context, f *failingScene) error {
			cursor, err := f.c.Find(ctx, bson.D{}, small)
			if err != nil {
				return err
			}
			return only(mongo.All[bson.Raw](ctx, cursor))
		}},
		{"Find of a typed collection", func(ctx context.Context, f *failingScene) error {
			return only(mongo.Typed[bson.Raw](f.c).FindAll(ctx, bson.D{}, small))
		}},
		{"Aggregate", func(ctx context.Context, f *failingScene) error {
			return only(f.c.Aggregate(ctx, bson.A{bson.Doc("$out", "out")}))
		}},
		{"FindOne", func(ctx context.Context, f *failingScene) error { return f.c.FindOne(ctx, bson.D{}).Err() }},
		{"FindOneAndDelete", func(ctx context.Context, f *failingScene) error { return f.c.FindOneAndDelete(ctx, bson.D{}).Err() }},
		{"FindOneAndUpdate", func(ctx context.Context, f *failingScene) error {
			return f.c.FindOneAndUpdate(ctx, bson.D{}, someUpdate).Err()
		}},
		{"FindOneAndReplace", func(ctx context.Context, f *failingScene) error {
			return f.c.FindOneAndReplace(ctx, bson.D{}, bson.D{}).Err()
		}},
		{"InsertOne", func(ctx context.Context, f *failingScene) error { return only(f.c.InsertOne(ctx, bson.D{})) }},
		{"InsertMany", func(ctx context.Context, f *failingScene) error {
			return only(f.c.InsertMany(ctx, []bson.D{{}, {}}))
		}},
		{"UpdateOne", func(ctx context.Context, f *failingScene) error {
			return only(f.c.UpdateOne(ctx, bson.D{}, someUpdate))
		}},
		{"UpdateMany", func(ctx context.Context, f *failingScene) error {
			return only(f.c.UpdateMany(ctx, bson.D{}, someUpdate))
		}},
		{"ReplaceOne", func(ctx context.Context, f *failingScene) error { return only(f.c.ReplaceOne(ctx, bson.D{}, bson.D{})) }},
		{"DeleteOne", func(ctx context.Context, f *failingScene) error { return only(f.c.DeleteOne(ctx, bson.D{})) }},
		{"DeleteMany", func(ctx context.Context, f *failingScene) error { return only(f.c.DeleteMany(ctx, bson.D{})) }},
		{"BulkWrite", func(ctx context.Context, f *failingScene) error {
			return only(f.c.BulkWrite(ctx, []mongo.WriteModel{
				&mongo.InsertOneModel{Document: bson.D{}}, &mongo.UpdateOneModel{Filter: bson.D{}, Update: someUpdate},
				&mongo.DeleteOneModel{Filter: bson.D{}},
			}))
		}},
		{"BulkWrite of a client", func(ctx context.Context, f *failingScene) error {
			return only(f.client.BulkWrite(ctx, []mongo.ClientBulkWrite{{Database: "db", Collection: "c", Model: someModels[0]}}))
		}},
		{"CountDocuments", func(ctx context.Context, f *failingScene) error { return only(f.c.CountDocuments(ctx, bson.D{})) }},
		{"Count", func(ctx context.Context, f *failingScene) error { return only(f.c.Count(ctx, bson.D{})) }},
		{"EstimatedDocumentCount", func(ctx context.Context, f *failingScene) error { return only(f.c.EstimatedDocumentCount(ctx)) }},
		{"Distinct", func(ctx context.Context, f *failingScene) error { return f.c.Distinct(ctx, "a", bson.D{}).Err() }},
		{"Explain", func(ctx context.Context, f *failingScene) error {
			return f.c.Explain(ctx, mongo.ExplainFind(bson.D{}), "queryPlanner").Err()
		}},
		{"Watch", func(ctx context.Context, f *failingScene) error {
			stream, err := f.c.Watch(ctx, bson.A{}, &options.ChangeStream{MaxAwaitTime: new(time.Millisecond)})
			if err != nil {
				return err
			}
			defer stream.Close(ctx)
			stream.TryNext(ctx)
			return stream.Err()
		}},
		{"CreateCollection", func(ctx context.Context, f *failingScene) error { return f.db.CreateCollection(ctx, "other") }},
		{"CreateCollection with encrypted fields", func(ctx context.Context, f *failingScene) error {
			return f.db.CreateCollection(ctx, "other", &options.CreateCollection{EncryptedFields: withKey})
		}},
		{"CreateEncryptedCollection", func(ctx context.Context, f *failingScene) error {
			_, _, err := f.keys.CreateEncryptedCollection(ctx, f.db, "other", "local", nil, withoutKey)
			return err
		}},
		{"CreateView", func(ctx context.Context, f *failingScene) error { return f.db.CreateView(ctx, "view", "c", bson.A{}) }},
		{"ModifyCollection", func(ctx context.Context, f *failingScene) error { return f.db.ModifyCollection(ctx, "c") }},
		{"Rename", func(ctx context.Context, f *failingScene) error { return f.c.Rename(ctx, "other") }},
		{"Drop", func(ctx context.Context, f *failingScene) error { return f.c.Drop(ctx) }},
		{"Drop with encrypted fields", func(ctx context.Context, f *failingScene) error {
			return f.c.Drop(ctx, &options.DropCollection{EncryptedFields: withKey})
		}},
		{"Drop of a database", func(ctx context.Context, f *failingScene) error { return f.db.Drop(ctx) }},
		{"CreateIndex", func(ctx context.Context, f *failingScene) error {
			return only(f.c.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("a", 1)}))
		}},
		{"ListIndexNames", func(ctx context.Context, f *failingScene) error { return only(f.c.ListIndexNames(ctx)) }},
		{"ListIndexSpecifications", func(ctx context.Context, f *failingScene) error { return only(f.c.ListIndexSpecifications(ctx)) }},
		{"DropIndex", func(ctx context.Context, f *failingScene) error { return f.c.DropIndex(ctx, "b_1") }},
		{"DropIndexWithKey", func(ctx context.Context, f *failingScene) error { return f.c.DropIndexWithKey(ctx, bson.Doc("b", 1)) }},
		{"DropAllIndexes", func(ctx context.Context, f *failingScene) error { return f.c.DropAllIndexes(ctx) }},
		{"ListCollectionNames", func(ctx context.Context, f *failingScene) error { return only(f.db.ListCollectionNames(ctx, bson.D{})) }},
		{"ListCollectionSpecifications", func(ctx context.Context, f *failingScene) error {
			return only(f.db.ListCollectionSpecifications(ctx, bson.D{}))
		}},
		{"ListCollectionObjects", func(ctx context.Context, f *failingScene) error {
			return only(f.db.ListCollectionObjects(ctx, bson.D{}))
		}},
		{"ListDatabases", func(ctx context.Context, f *failingScene) error { return only(f.client.ListDatabases(ctx, bson.D{})) }},
		{"ListDatabaseNames", func(ctx context.Context, f *failingScene) error {
			return only(f.client.ListDatabaseNames(ctx, bson.D{}))
		}},
		{"ListDatabaseObjects", func(ctx context.Context, f *failingScene) error {
			return only(f.client.ListDatabaseObjects(ctx, bson.D{}))
		}},
		{"RunCommand", func(ctx context.Context, f *failingScene) error {
			return f.db.RunCommand(ctx, bson.Doc("count", "c")).Err()
		}},
		{"RunCursorCommand", func(ctx context.Context, f *failingScene) error {
			return only(f.db.RunCursorCommand(ctx, bson.Doc("find", "c")))
		}},
		{"CommitTransaction", func(ctx context.Context, f *failingScene) error {
			return f.client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
				return s.WithTransaction(ctx, func(ctx context.Context) error { return only(f.c.InsertOne(ctx, bson.D{})) })
			})
		}},
		{"SearchIndexes.CreateOne", func(ctx context.Context, f *failingScene) error {
			return only(f.c.SearchIndexes().CreateOne(ctx, mongo.SearchIndexModel{Definition: bson.Doc("mappings", bson.Doc("dynamic", true))}))
		}},
		{"SearchIndexes.List", func(ctx context.Context, f *failingScene) error { return only(f.c.SearchIndexes().List(ctx)) }},
		{"CreateDataKey", func(ctx context.Context, f *failingScene) error { return only(f.keys.CreateDataKey(ctx, "local")) }},
		{"RewrapManyDataKey", func(ctx context.Context, f *failingScene) error {
			return only(f.keys.RewrapManyDataKey(ctx, bson.D{}))
		}},
		{"Encrypt", func(ctx context.Context, f *failingScene) error {
			return only(f.keys.Encrypt(ctx, "a", &options.Encrypt{KeyID: &f.key, Algorithm: options.AlgorithmRandom}))
		}},
		{"DeleteKey", func(ctx context.Context, f *failingScene) error { return only(f.keys.DeleteKey(ctx, f.key)) }},
		{"GetKey", func(ctx context.Context, f *failingScene) error { return f.keys.GetKey(ctx, f.key).Err() }},
		{"GetKeys", func(ctx context.Context, f *failingScene) error { return only(f.keys.GetKeys(ctx)) }},
		{"AddKeyAltName", func(ctx context.Context, f *failingScene) error { return f.keys.AddKeyAltName(ctx, f.key, "b").Err() }},
		{"RemoveKeyAltName", func(ctx context.Context, f *failingScene) error {
			return f.keys.RemoveKeyAltName(ctx, f.key, "a").Err()
		}},
		{"GridFS: UploadFromStream", func(ctx context.Context, f *failingScene) error {
			return only(f.db.GridFSBucket(&options.GridFSBucket{Name: new("other")}).UploadFromStream(ctx, "file", strings.NewReader("content")))
		}},
		{"GridFS: DownloadToStream", func(ctx context.Context, f *failingScene) error {
			return only(f.bucket.DownloadToStream(ctx, 1, io.Discard))
		}},
		{"GridFS: DownloadToStreamByName", func(ctx context.Context, f *failingScene) error {
			return only(f.bucket.DownloadToStreamByName(ctx, "file", io.Discard))
		}},
		{"GridFS: a revision that is not there", func(ctx context.Context, f *failingScene) error {
			_, err := f.bucket.DownloadToStreamByName(ctx, "file", io.Discard, &options.GridFSName{Revision: new(int32(7))})
			if errors.Is(err, mongo.ErrRevisionNotFound) {
				return nil
			}
			return err
		}},
		{"GridFS: a path that is not there", func(ctx context.Context, f *failingScene) error {
			_, err := f.bucket.FS(ctx).Open("nowhere")
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}},
		{"Drop by a client that encrypts", func(ctx context.Context, f *failingScene) error {
			return f.encrypting.Database("db").Collection("secrets").Drop(ctx)
		}},
		{"GridFS: Find", func(ctx context.Context, f *failingScene) error { return only(f.bucket.Find(ctx, bson.D{})) }},
		{"GridFS: Delete", func(ctx context.Context, f *failingScene) error { return f.bucket.Delete(ctx, 1) }},
		{"GridFS: DeleteByName", func(ctx context.Context, f *failingScene) error { return f.bucket.DeleteByName(ctx, "file") }},
		{"GridFS: Rename", func(ctx context.Context, f *failingScene) error { return f.bucket.Rename(ctx, 1, "other") }},
		{"GridFS: RenameByName", func(ctx context.Context, f *failingScene) error { return f.bucket.RenameByName(ctx, "file", "other") }},
		{"GridFS: Drop", func(ctx context.Context, f *failingScene) error { return f.bucket.Drop(ctx) }},
		{"GridFS: ReadFile", func(ctx context.Context, f *failingScene) error { return only(fs.ReadFile(f.bucket.FS(ctx), "file")) }},
		{"GridFS: ReadDir", func(ctx context.Context, f *failingScene) error { return only(fs.ReadDir(f.bucket.FS(ctx), ".")) }},
	}
}

// newFailingScene is a deployment with three documents, a file and a data key, whose commands are forgotten.
func newFailingScene(t *testing.T) (*mongotest.Deployment, *failingScene) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.SearchIndexes(), mongotest.InMemory())
	client := connect(t, d, &options.Client{Dialer: d.Dialer()})
	f := &failingScene{client: client, db: client.Database("db")}
	f.c, f.bucket = f.db.Collection("c"), f.db.GridFSBucket()
	var err error
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.c.InsertMany(t.Context(), []bson.D{{}, {}, {}}))
	must(f.c.CreateIndex(t.Context(), mongo.IndexModel{Keys: bson.Doc("b", 1)}))
	must(nil, f.bucket.UploadFromStreamWithID(t.Context(), 1, "file", strings.NewReader("content")))
	f.keys, err = mongo.NewClientEncryption(client, &options.ClientEncryption{KeyVaultNamespace: "db.keys", KMSProviders: localKMS()})
	must(nil, err)
	f.key, err = f.keys.CreateDataKey(t.Context(), "local", &options.DataKey{KeyAltNames: []string{"a"}})
	must(nil, err)
	must(nil, f.db.CreateCollection(t.Context(), "secrets", &options.CreateCollection{EncryptedFields: withKey}))
	f.encrypting = connect(t, d, &options.Client{Dialer: d.Dialer(), AutoEncryption: &mongo.AutoEncryption{
		KeyVaultNamespace: "db.keys", KMSProviders: localKMS(),
	}})
	d.ForgetCommands()
	return d, f
}

// Whichever of the commands of a call fails, the program hears of it, with the server's code.
func TestNoFailureOfACommandIsKeptFromTheProgram(t *testing.T) {
	for _, tt := range failingCalls() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sent := tt.commands(t, mongotest.Application())
			if len(sent) == 0 {
				t.Fatal("nothing was sent")
			}
			for n := range sent {
				d, f := newFailingScene(t)
				seen := 0
				refuse := encodeReply(t, "ok", 0, "code", 8000, "codeName", "AtlasError", "errmsg", "refused")
				d.Intercept(mongotest.Application(), 0, func(mongotest.Command) mongotest.Answer {
					if seen++; seen == n+1 {
						return mongotest.Answer{Reply: refuse}
					}
					return mongotest.Answer{}
				})
				if err := tt.call(t.Context(), f); !mongo.HasErrorCode(err, 8000) || !strings.Contains(err.Error(), "refused") {
					t.Errorf("command %d, %s: %v", n+1, sent[n].Name, err)
				}
			}
		})
	}
}

// writing are the commands that take a write concern.
var writeCommands = []string{
	"insert", "update", "delete", "findAndModify", "bulkWrite", "aggregate", "create", "collMod", "drop", "dropDatabase",
	"createIndexes", "dropIndexes", "renameCollection",
}

// Nor is a write concern that was not met.
func TestNoWriteConcernErrorIsKeptFromTheProgram(t *testing.T) {
	for _, tt := range failingCalls() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for n, c := range tt.commands(t, mongotest.Named(writeCommands...)) {
				if c.Name == "aggregate" && tt.name != "Aggregate" {
					continue // it reads
				}
				d, f := newFailingScene(t)
				if err := d.Fail(mongotest.FailPoint{Commands: []string{c.Name}, Times: 1, WriteConcernCode: 64}); err != nil {
					t.Fatal(err)
				}
				if err := tt.call(t.Context(), f); !mongo.HasErrorCode(err, 64) {
					t.Errorf("command %d, %s: %v", n+1, c.Name, err)
				}
			}
		})
	}
}
