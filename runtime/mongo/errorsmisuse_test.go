package mongo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// misuseScene has the objects that rows of misuse work with.
type misuseScene struct {
	t       *testing.T
	ctx     context.Context
	client  *mongo.Client
	db      *mongo.Database
	c       *mongo.Collection
	bucket  *mongo.GridFSBucket
	session *mongo.Session // new for each row
}

// misuse is a mistake in a program. The error must contain each of the words: they name the argument and the remedy.
type misuse struct {
	name  string
	call  func(m misuseScene) error
	words string // with commas between them
}

// ownEncryption is an AutoEncrypter that is not the driver's.
type ownEncryption struct{}

func (ownEncryption) AutoEncryption() *options.AutoEncryption { return nil }

// filtered are the methods that take a filter.
var filterMethods = map[string]func(m misuseScene, filter any) error{
	"Find":              func(m misuseScene, f any) error { _, err := m.c.Find(m.ctx, f); return err },
	"FindOne":           func(m misuseScene, f any) error { return m.c.FindOne(m.ctx, f).Err() },
	"FindOneAndDelete":  func(m misuseScene, f any) error { return m.c.FindOneAndDelete(m.ctx, f).Err() },
	"FindOneAndReplace": func(m misuseScene, f any) error { return m.c.FindOneAndReplace(m.ctx, f, bson.D{}).Err() },
	"FindOneAndUpdate":  func(m misuseScene, f any) error { return m.c.FindOneAndUpdate(m.ctx, f, someUpdate).Err() },
	"UpdateOne":         func(m misuseScene, f any) error { _, err := m.c.UpdateOne(m.ctx, f, someUpdate); return err },
	"UpdateMany":        func(m misuseScene, f any) error { _, err := m.c.UpdateMany(m.ctx, f, someUpdate); return err },
	"ReplaceOne":        func(m misuseScene, f any) error { _, err := m.c.ReplaceOne(m.ctx, f, bson.D{}); return err },
	"DeleteOne":         func(m misuseScene, f any) error { _, err := m.c.DeleteOne(m.ctx, f); return err },
	"DeleteMany":        func(m misuseScene, f any) error { _, err := m.c.DeleteMany(m.ctx, f); return err },
	"CountDocuments":    func(m misuseScene, f any) error { _, err := m.c.CountDocuments(m.ctx, f); return err },
	"Count":             func(m misuseScene, f any) error { _, err := m.c.Count(m.ctx, f); return err },
	"Distinct":          func(m misuseScene, f any) error { return m.c.Distinct(m.ctx, "a", f).Err() },
	"ExplainFind":       func(m misuseScene, f any) error { return m.c.Explain(m.ctx, mongo.ExplainFind(f), "").Err() },
	"ExplainDistinct":   func(m misuseScene, f any) error { return m.c.Explain(m.ctx, mongo.ExplainDistinct("a", f), "").Err() },
	"GridFS Find":       func(m misuseScene, f any) error { _, err := m.bucket.Find(m.ctx, f); return err },
	"ListCollections":   func(m misuseScene, f any) error { _, err := m.db.ListCollections(m.ctx, f); return err },
	"ListDatabases":     func(m misuseScene, f any) error { _, err := m.client.ListDatabases(m.ctx, f); return err },
}

// updating are the methods that take an update.
var updateMethods = map[string]func(m misuseScene, update any) error{
	"UpdateOne":        func(m misuseScene, u any) error { _, err := m.c.UpdateOne(m.ctx, bson.D{}, u); return err },
	"UpdateMany":       func(m misuseScene, u any) error { _, err := m.c.UpdateMany(m.ctx, bson.D{}, u); return err },
	"UpdateByID":       func(m misuseScene, u any) error { _, err := m.c.UpdateByID(m.ctx, 1, u); return err },
	"FindOneAndUpdate": func(m misuseScene, u any) error { return m.c.FindOneAndUpdate(m.ctx, bson.D{}, u).Err() },
	"BulkWrite UpdateOne": func(m misuseScene, u any) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: u}})
		return err
	},
	"BulkWrite UpdateMany": func(m misuseScene, u any) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.UpdateManyModel{Filter: bson.D{}, Update: u}})
		return err
	},
}

// replacing are the methods that take a replacement.
var replaceMethods = map[string]func(m misuseScene, replacement any) error{
	"ReplaceOne":        func(m misuseScene, r any) error { _, err := m.c.ReplaceOne(m.ctx, bson.D{}, r); return err },
	"FindOneAndReplace": func(m misuseScene, r any) error { return m.c.FindOneAndReplace(m.ctx, bson.D{}, r).Err() },
	"BulkWrite ReplaceOne": func(m misuseScene, r any) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: r}})
		return err
	},
}

// piping are the methods that take a pipeline.
var pipelineMethods = map[string]func(m misuseScene, pipeline any) error{
	"Collection.Aggregate": func(m misuseScene, p any) error { _, err := m.c.Aggregate(m.ctx, p); return err },
	"Database.Aggregate":   func(m misuseScene, p any) error { _, err := m.db.Aggregate(m.ctx, p); return err },
	"CreateView":           func(m misuseScene, p any) error { return m.db.CreateView(m.ctx, "v", "c", p) },
	"Collection.Watch":     func(m misuseScene, p any) error { _, err := m.c.Watch(m.ctx, p); return err },
	"Database.Watch":       func(m misuseScene, p any) error { _, err := m.db.Watch(m.ctx, p); return err },
	"Client.Watch":         func(m misuseScene, p any) error { _, err := m.client.Watch(m.ctx, p); return err },
}

var someUpdate = bson.Doc("$set", bson.Doc("a", 1))

// combineMisuses combines each method with each wrong argument.
func combineMisuses() []misuse {
	var out []misuse
	add := func(methods map[string]func(m misuseScene, v any) error, what string, v any, words string) {
		for name, call := range methods {
			out = append(out, misuse{name + ": " + what, func(m misuseScene) error { return call(m, v) }, words})
		}
	}
	add(filterMethods, "a nil filter", nil, "filter,nil,pass bson.D{}")
	add(filterMethods, "a number as filter", 7, "filter,int")
	add(filterMethods, "a text as filter", "name", "filter,string")
	add(updateMethods, "a nil update", nil, "update,nil,$set")
	add(updateMethods, "an empty update", bson.D{}, "update,empty,$set")
	add(updateMethods, "an update without operators", bson.Doc("a", 1), "update,a,$set")
	add(updateMethods, "a number as update", 7, "update,int")
	add(replaceMethods, "a nil replacement", nil, "replacement,nil")
	add(replaceMethods, "a replacement with an operator", someUpdate, "replacement,$set,Update")
	add(replaceMethods, "a number as replacement", 7, "replacement,int")
	add(pipelineMethods, "a nil pipeline", nil, "pipeline,nil,pass")
	add(pipelineMethods, "a document as pipeline", bson.D{{Key: "$match", Value: bson.D{}}}, "pipeline,object,slice")
	add(pipelineMethods, "a number as pipeline", 7, "pipeline,int,slice")
	return out
}

func TestMisuseIsExplained(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	db := client.Database("shop")
	rows := slices.Concat(combineMisuses(), wrongNames(), misusedValues, misusedSettings, orderMisuses(), misusedContents, singleMisuses)
	if len(rows) < 150 {
		t.Errorf("there are %d rows, want 150", len(rows))
	}
	var said wording
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			session, err := client.StartSession()
			if err != nil {
				t.Fatal(err)
			}
			defer session.EndSession(context.Background())
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err = row.call(misuseScene{t: t, ctx: ctx, client: client, db: db, c: db.Collection("c"), bucket: db.GridFSBucket(), session: session})
			if err == nil {
				t.Fatal("there is no error")
			}
			said.add(err)
			wantOnePrefix(t, err)
			for word := range strings.SplitSeq(row.words, ",") {
				if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(word)) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
	said.compare(t, "misuse.txt")
}

// misuseOfClosed is a call of a method of a closed client.
func misuseOfClosed(name string, call func(m misuseScene) error) misuse {
	return misuse{name + " after Close", func(m misuseScene) error {
		client, err := mongo.Connect(m.ctx, "mongodb://127.0.0.1:1")
		if err != nil {
			m.t.Fatal(err)
		}
		if err := client.Close(m.ctx); err != nil {
			m.t.Fatal(err)
		}
		m.client, m.db = client, client.Database("shop")
		m.c, m.bucket = m.db.Collection("c"), m.db.GridFSBucket()
		return call(m)
	}, "client,closed"}
}

var singleMisuses = []misuse{
	{"InsertOne: nil", func(m misuseScene) error { _, err := m.c.InsertOne(m.ctx, nil); return err }, "document,nil"},
	{"InsertOne: a number", func(m misuseScene) error { _, err := m.c.InsertOne(m.ctx, 7); return err }, "int,document"},
	{"InsertOne: a slice", func(m misuseScene) error { _, err := m.c.InsertOne(m.ctx, []bson.D{{}}); return err }, "document"},
	{"InsertMany: nil", func(m misuseScene) error { _, err := m.c.InsertMany(m.ctx, nil); return err }, "documents,slice"},
	{"InsertMany: none", func(m misuseScene) error { _, err := m.c.InsertMany(m.ctx, []bson.D{}); return err }, "no documents"},
	{"InsertMany: one document", func(m misuseScene) error { _, err := m.c.InsertMany(m.ctx, bson.D{}); return err }, "slice,InsertOne"},
	{"InsertMany: a nil document", func(m misuseScene) error { _, err := m.c.InsertMany(m.ctx, []any{nil}); return err }, "document,nil"},
	{"BulkWrite: none", func(m misuseScene) error { _, err := m.c.BulkWrite(m.ctx, nil); return err }, "no models"},
	{"BulkWrite: a nil model", func(m misuseScene) error { _, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{nil}); return err }, "model,nil"},
	{"BulkWrite: a nil filter", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.DeleteOneModel{}})
		return err
	}, "filter,nil"},
	{"ModifyCollection: a zero byte", func(m misuseScene) error { return m.db.ModifyCollection(m.ctx, "a\x00") }, "zero byte"},
	{"CreateIndex: two dots", func(m misuseScene) error {
		_, err := m.c.CreateIndex(m.ctx, mongo.IndexModel{Keys: bson.Doc("a..b", 1)})
		return err
	}, "a..b,empty part"},
	{"Distinct: a zero byte", func(m misuseScene) error { return m.c.Distinct(m.ctx, "a\x00", bson.D{}).Err() }, "field,a\\x00,zero byte"},
	{"UpdateMany: a map of two keys as sort", func(m misuseScene) error {
		_, err := m.c.UpdateOne(m.ctx, bson.D{}, someUpdate, &options.UpdateOne{Sort: map[string]int{"a": 1, "b": 1}})
		return err
	}, "sort,map,bson.D"},
	{"Client.BulkWrite: none", func(m misuseScene) error { _, err := m.client.BulkWrite(m.ctx, nil); return err }, "no models"},
	{"Client.BulkWrite: a nil model", func(m misuseScene) error {
		_, err := m.client.BulkWrite(m.ctx, []mongo.ClientBulkWrite{{Database: "a", Collection: "b"}})
		return err
	}, "model,nil"},
	{"UpdateByID: a nil _id", func(m misuseScene) error { _, err := m.c.UpdateByID(m.ctx, nil, someUpdate); return err }, "_id,nil,UpdateOne"},
	{"RunCommand: nil", func(m misuseScene) error { return m.db.RunCommand(m.ctx, nil).Err() }, "command,nil"},
	{"RunCommand: empty", func(m misuseScene) error { return m.db.RunCommand(m.ctx, bson.D{}).Err() }, "command,empty"},
	{"RunCursorCommand: nil", func(m misuseScene) error { _, err := m.db.RunCursorCommand(m.ctx, nil); return err }, "command,nil"},
	{"Indexes.CreateOne: nil keys", func(m misuseScene) error { _, err := m.c.Indexes().CreateOne(m.ctx, mongo.IndexModel{}); return err }, "keys,nil"},
	{"Indexes.CreateOne: a map of two keys", func(m misuseScene) error {
		_, err := m.c.Indexes().CreateOne(m.ctx, mongo.IndexModel{Keys: map[string]int{"a": 1, "b": 1}})
		return err
	}, "keys,map,bson.D"},
	{"Indexes.CreateOne: a direction that is none", func(m misuseScene) error {
		_, err := m.c.Indexes().CreateOne(m.ctx, mongo.IndexModel{Keys: bson.Doc("a", true)})
		return err
	}, "index key a,1"},
	{"Indexes.CreateMany: none", func(m misuseScene) error { _, err := m.c.Indexes().CreateMany(m.ctx, nil); return err }, "no indexes"},
	{"Indexes.DropOne: all", func(m misuseScene) error { return m.c.Indexes().DropOne(m.ctx, "*") }, "DropAllIndexes"},
	{"Find: a map of two keys as sort", func(m misuseScene) error {
		_, err := m.c.Find(m.ctx, bson.D{}, &options.Find{Sort: map[string]int{"a": 1, "b": 1}})
		return err
	}, "sort,map,bson.D"},
	{"Find: a negative Timeout", func(m misuseScene) error {
		_, err := m.c.Find(m.ctx, bson.D{}, &options.Find{Timeout: new(-time.Second)})
		return err
	}, "timeout,negative"},
	{"Aggregate: a negative Timeout", func(m misuseScene) error {
		_, err := m.c.Aggregate(m.ctx, mongo.Pipeline{}, &options.Aggregate{Timeout: new(-time.Second)})
		return err
	}, "timeout,negative"},
	{"UploadFromStream: a nil source", func(m misuseScene) error { _, err := m.bucket.UploadFromStream(m.ctx, "a", nil); return err }, "source,nil,io.Reader"},
	{"DownloadToStream: a nil stream", func(m misuseScene) error { _, err := m.bucket.DownloadToStream(m.ctx, 1, nil); return err }, "stream,nil,io.Writer"},
	{"DownloadToStreamByName: a nil stream", func(m misuseScene) error { _, err := m.bucket.DownloadToStreamByName(m.ctx, "a", nil); return err }, "stream,nil,io.Writer"},
	{"GridFS Delete: a nil ID", func(m misuseScene) error { return m.bucket.Delete(m.ctx, nil) }, "file ID,nil"},
	{"GridFS Rename: a nil ID", func(m misuseScene) error { return m.bucket.Rename(m.ctx, nil, "b") }, "file ID,nil"},
	{"StartSession: causal and snapshot", func(m misuseScene) error {
		_, err := m.client.StartSession(&options.Session{Snapshot: new(true), CausalConsistency: new(true)})
		return err
	}, "snapshot,causal"},
	{"StartSession: a snapshot time without snapshot", func(m misuseScene) error {
		_, err := m.client.StartSession(&options.Session{SnapshotTime: &bson.Timestamp{T: 1}})
		return err
	}, "snapshot"},
	{"StartSession: unacknowledged transactions", func(m misuseScene) error {
		_, err := m.client.StartSession(&options.Session{DefaultTransaction: &options.Transaction{WriteConcern: mongo.W(0)}})
		return err
	}, "transactions,unacknowledged"},
	{"StartTransaction: twice", func(m misuseScene) error {
		if err := m.session.StartTransaction(); err != nil {
			m.t.Fatal(err)
		}
		return m.session.StartTransaction()
	}, "transaction already in progress"},
	{"StartTransaction: unacknowledged", func(m misuseScene) error {
		return m.session.StartTransaction(&options.Transaction{WriteConcern: mongo.W(0)})
	}, "unacknowledged"},
	{"StartTransaction: in a snapshot session", func(m misuseScene) error {
		s, err := m.client.StartSession(&options.Session{Snapshot: new(true)})
		if err != nil {
			m.t.Fatal(err)
		}
		defer s.EndSession(m.ctx)
		return s.StartTransaction()
	}, "snapshot"},
	{"CommitTransaction: none", func(m misuseScene) error { return m.session.CommitTransaction(m.ctx) }, "no transaction started"},
	{"AbortTransaction: none", func(m misuseScene) error { return m.session.AbortTransaction(m.ctx) }, "no transaction started"},
	{"AbortTransaction: twice", func(m misuseScene) error {
		if err := m.session.StartTransaction(); err != nil {
			m.t.Fatal(err)
		}
		if err := m.session.AbortTransaction(m.ctx); err != nil {
			m.t.Fatal(err)
		}
		return m.session.AbortTransaction(m.ctx)
	}, "cannot call abortTransaction twice"},
	{"CommitTransaction: after an abort", func(m misuseScene) error {
		if err := m.session.StartTransaction(); err != nil {
			m.t.Fatal(err)
		}
		if err := m.session.AbortTransaction(m.ctx); err != nil {
			m.t.Fatal(err)
		}
		return m.session.CommitTransaction(m.ctx)
	}, "commitTransaction,abortTransaction"},
	{"StartTransaction: an ended session", func(m misuseScene) error { m.session.EndSession(m.ctx); return m.session.StartTransaction() }, "session,ended"},
	{"Find: an ended session", func(m misuseScene) error {
		ctx := mongo.NewSessionContext(m.ctx, m.session)
		m.session.EndSession(m.ctx)
		return m.c.FindOne(ctx, bson.D{}).Err()
	}, "session,ended"},
	{"InsertOne: unacknowledged in a session", func(m misuseScene) error {
		c := m.c.Clone(&options.Collection{WriteConcern: mongo.W(0)})
		_, err := c.InsertOne(mongo.NewSessionContext(m.ctx, m.session), bson.D{})
		return err
	}, "session,unacknowledged"},
	{"Ping: the session of another client", func(m misuseScene) error {
		other, err := mongo.Connect(m.ctx, "mongodb://127.0.0.1:1")
		if err != nil {
			m.t.Fatal(err)
		}
		defer other.Close(m.ctx)
		return other.Ping(mongo.NewSessionContext(m.ctx, m.session), nil)
	}, "session,client"},
	{"AdvanceClusterTime: not a cluster time", func(m misuseScene) error { return m.session.AdvanceClusterTime(nil) }, "cluster time"},
	{"AdvanceOperationTime: nil", func(m misuseScene) error { return m.session.AdvanceOperationTime(nil) }, "operation time,nil"},
	{"Database: an empty name", func(m misuseScene) error {
		_, err := m.client.Database("").Collection("c").InsertOne(m.ctx, bson.D{})
		return err
	}, "database,name"},
	{"Distinct: an empty field", func(m misuseScene) error { return m.c.Distinct(m.ctx, "", bson.D{}).Err() }, "field"},
	{"CreateCollection: an empty name", func(m misuseScene) error { return m.db.CreateCollection(m.ctx, "") }, "name"},
	{"Rename: an empty name", func(m misuseScene) error { return m.c.Rename(m.ctx, "") }, "name"},
	{"Primary: with tags", func(m misuseScene) error {
		p := mongo.Primary()
		p.TagSets = mongo.Nearest(mongo.Tags("region", "east")).TagSets
		c := m.c.Clone(&options.Collection{ReadPreference: p})
		return c.FindOne(m.ctx, bson.D{}).Err()
	}, "primary,tag"},
	{"MaxStaleness: too short", func(m misuseScene) error {
		c := m.c.Clone(&options.Collection{ReadPreference: mongo.Nearest(mongo.MaxStaleness(time.Second))})
		return c.FindOne(m.ctx, bson.D{}).Err()
	}, "maxStalenessSeconds,at least 1m30s"},
	{"W: a negative number", func(m misuseScene) error {
		_, err := m.c.Clone(&options.Collection{WriteConcern: mongo.W(-1)}).InsertOne(m.ctx, bson.D{})
		return err
	}, "w,-1"},
	{"W: zero and journaled", func(m misuseScene) error {
		concern := mongo.W(0)
		concern.Journal = new(true)
		_, err := m.c.Clone(&options.Collection{WriteConcern: concern}).InsertOne(m.ctx, bson.D{})
		return err
	}, "journal"},
	{"CreateIndex: no keys", func(m misuseScene) error {
		_, err := m.c.Indexes().CreateOne(m.ctx, mongo.IndexModel{Keys: bson.D{}})
		return err
	}, "the index has no keys"},
	{"Connect: an AutoEncryption of the program's own", func(m misuseScene) error {
		_, err := mongo.Connect(m.ctx, "mongodb://127.0.0.1:1", &options.Client{AutoEncryption: ownEncryption{}})
		return err
	}, "AutoEncryption is a mongo_test.ownEncryption,set it to &mongo.AutoEncryption"},
	{"Explain: unknown verbosity", func(m misuseScene) error { return m.c.Explain(m.ctx, mongo.ExplainFind(bson.D{}), "loud").Err() }, "verbosity"},
	{"Aggregate: a number as pipeline in a transaction", func(m misuseScene) error {
		if err := m.session.StartTransaction(); err != nil {
			m.t.Fatal(err)
		}
		c := m.c.Clone(&options.Collection{WriteConcern: mongo.Majority()})
		_, err := c.Aggregate(mongo.NewSessionContext(m.ctx, m.session), 7)
		return err
	}, "pipeline,int"},
	{"WithTransaction: an ended session", func(m misuseScene) error {
		m.session.EndSession(m.ctx)
		return m.session.WithTransaction(m.ctx, func(context.Context) error { return nil })
	}, "session,ended"},
	{"SingleResult.Decode: nil", func(m misuseScene) error {
		return mongo.NewSingleResultFromDocument(bson.Doc("a", 1), nil).Decode(nil)
	}, "nil"},
	{"SingleResult.Decode: no pointer", func(m misuseScene) error {
		return mongo.NewSingleResultFromDocument(bson.Doc("a", 1), nil).Decode(bson.D{})
	}, "pointer"},
	{"Cursor.All: no slice", func(m misuseScene) error {
		cursor, err := mongo.NewCursorFromDocuments([]any{bson.D{}}, nil)
		if err != nil {
			m.t.Fatal(err)
		}
		return cursor.All(m.ctx, 7)
	}, "slice"},
	misuseOfClosed("Ping", func(m misuseScene) error { return m.client.Ping(m.ctx, nil) }),
	misuseOfClosed("StartSession", func(m misuseScene) error { _, err := m.client.StartSession(); return err }),
	misuseOfClosed("ListDatabaseNames", func(m misuseScene) error { _, err := m.client.ListDatabaseNames(m.ctx, bson.D{}); return err }),
	misuseOfClosed("InsertOne", func(m misuseScene) error { _, err := m.c.InsertOne(m.ctx, bson.D{}); return err }),
	misuseOfClosed("InsertMany", func(m misuseScene) error { _, err := m.c.InsertMany(m.ctx, []bson.D{{}}); return err }),
	misuseOfClosed("Find", func(m misuseScene) error { _, err := m.c.Find(m.ctx, bson.D{}); return err }),
	misuseOfClosed("FindOne", func(m misuseScene) error { return m.c.FindOne(m.ctx, bson.D{}).Err() }),
	misuseOfClosed("Aggregate", func(m misuseScene) error { _, err := m.c.Aggregate(m.ctx, mongo.Pipeline{}); return err }),
	misuseOfClosed("Watch", func(m misuseScene) error { _, err := m.c.Watch(m.ctx, mongo.Pipeline{}); return err }),
	misuseOfClosed("Drop", func(m misuseScene) error { return m.c.Drop(m.ctx) }),
	misuseOfClosed("RunCommand", func(m misuseScene) error { return m.db.RunCommand(m.ctx, bson.Doc("ping", 1)).Err() }),
	misuseOfClosed("CreateCollection", func(m misuseScene) error { return m.db.CreateCollection(m.ctx, "c") }),
	misuseOfClosed("UploadFromStream", func(m misuseScene) error {
		_, err := m.bucket.UploadFromStream(m.ctx, "a", strings.NewReader(fmt.Sprint(1)))
		return err
	}),
	misuseOfClosed("UseSession", func(m misuseScene) error {
		return m.client.UseSession(m.ctx, func(context.Context, *mongo.Session) error { return nil })
	}),
}
