package mongo_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Every option for a length of time refuses a negative one: it means nothing, and 0 means no limit.
func TestNegativeTimeoutsAreRefused(t *testing.T) {
	below := new(-time.Second)
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	db := client.Database("shop")
	c := db.Collection("things")
	set := bson.Doc("$set", bson.Doc("x", 1))
	bucket := db.GridFSBucket()
	only := func(_ any, err error) error { return err }
	inTransaction := func(ctx context.Context, o *options.Session, tx *options.Transaction) error {
		return client.UseSessionWithOptions(ctx, o, func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error { return only(c.InsertOne(ctx, bson.D{})) }, tx)
		})
	}
	for name, run := range map[string]func(ctx context.Context) error{
		"Timeout of FindOne": func(ctx context.Context) error {
			return c.FindOne(ctx, bson.D{}, &options.FindOne{Timeout: below}).Err()
		},
		"MaxTime of FindOne": func(ctx context.Context) error {
			return c.FindOne(ctx, bson.D{}, &options.FindOne{MaxTime: below}).Err()
		},
		"Timeout of Find": func(ctx context.Context) error { return only(c.Find(ctx, bson.D{}, &options.Find{Timeout: below})) },
		"MaxTime of Find": func(ctx context.Context) error { return only(c.Find(ctx, bson.D{}, &options.Find{MaxTime: below})) },
		"MaxAwaitTime of Find": func(ctx context.Context) error {
			return only(c.Find(ctx, bson.D{}, &options.Find{MaxAwaitTime: below}))
		},
		"Timeout of Aggregate": func(ctx context.Context) error {
			return only(c.Aggregate(ctx, bson.A{}, &options.Aggregate{Timeout: below}))
		},
		"MaxTime of Aggregate": func(ctx context.Context) error {
			return only(c.Aggregate(ctx, bson.A{}, &options.Aggregate{MaxTime: below}))
		},
		"MaxAwaitTime of Watch": func(ctx context.Context) error {
			return only(c.Watch(ctx, bson.A{}, &options.ChangeStream{MaxAwaitTime: below}))
		},
		"Timeout of Watch": func(ctx context.Context) error {
			return only(c.Watch(ctx, bson.A{}, &options.ChangeStream{Timeout: below}))
		},
		"Timeout of InsertOne": func(ctx context.Context) error {
			return only(c.InsertOne(ctx, bson.D{}, &options.InsertOne{Timeout: below}))
		},
		"Timeout of UpdateOne": func(ctx context.Context) error {
			return only(c.UpdateOne(ctx, bson.D{}, set, &options.UpdateOne{Timeout: below}))
		},
		"Timeout of a bulk write": func(ctx context.Context) error {
			return only(c.BulkWrite(ctx, []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.D{}}}, &options.BulkWrite{Timeout: below}))
		},
		"MaxTime of a modification": func(ctx context.Context) error {
			return c.FindOneAndDelete(ctx, bson.D{}, &options.FindOneAndDelete{MaxTime: below}).Err()
		},
		"MaxTime of CountDocuments": func(ctx context.Context) error {
			return only(c.CountDocuments(ctx, bson.D{}, &options.Count{MaxTime: below}))
		},
		"MaxTime of Distinct": func(ctx context.Context) error {
			return c.Distinct(ctx, "a", bson.D{}, &options.Distinct{MaxTime: below}).Err()
		},
		"Timeout of ListCollections": func(ctx context.Context) error {
			return only(db.ListCollections(ctx, bson.D{}, &options.ListCollections{Timeout: below}))
		},
		"Timeout of RunCommand": func(ctx context.Context) error {
			return db.RunCommand(ctx, bson.Doc("ping", 1), &options.RunCommand{Timeout: below}).Err()
		},
		"Timeout of a collection": func(ctx context.Context) error {
			return db.Collection("c", &options.Collection{Timeout: below}).FindOne(ctx, bson.D{}).Err()
		},
		"Timeout of a database": func(ctx context.Context) error {
			return client.Database("d", &options.Database{Timeout: below}).RunCommand(ctx, bson.Doc("ping", 1)).Err()
		},
		"WTimeout of a collection": func(ctx context.Context) error {
			writes := &options.Collection{WriteConcern: &options.WriteConcern{WTimeout: below}}
			return only(db.Collection("c", writes).InsertOne(ctx, bson.D{}))
		},
		"DefaultTimeout of a session": func(ctx context.Context) error {
			return inTransaction(ctx, &options.Session{DefaultTimeout: below}, nil)
		},
		"Timeout of a transaction": func(ctx context.Context) error {
			return inTransaction(ctx, nil, &options.Transaction{Timeout: below})
		},
		"MaxCommitTime of a transaction": func(ctx context.Context) error {
			return inTransaction(ctx, nil, &options.Transaction{MaxCommitTime: below})
		},
		"Timeout of a bucket's Find": func(ctx context.Context) error {
			return only(bucket.Find(ctx, bson.D{}, &options.GridFSFind{Timeout: below}))
		},
		"MaxTime of a bucket's Find": func(ctx context.Context) error {
			return only(bucket.Find(ctx, bson.D{}, &options.GridFSFind{MaxTime: below}))
		},
		"Timeout of a bucket": func(ctx context.Context) error {
			return only(db.GridFSBucket(&options.GridFSBucket{Timeout: below}).Find(ctx, bson.D{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if run(t.Context()) == nil {
				t.Error("it is accepted")
			}
		})
	}
	typ := reflect.TypeFor[options.Client]()
	for i := range typ.NumField() {
		if typ.Field(i).Type != reflect.TypeFor[*time.Duration]() {
			continue
		}
		t.Run(typ.Field(i).Name+" of a client", func(t *testing.T) {
			var o options.Client
			reflect.ValueOf(&o).Elem().Field(i).Set(reflect.ValueOf(below))
			client, err := mongo.Connect(t.Context(), d.URI(), &o)
			if err == nil {
				client.Close(context.Background())
				t.Error("it is accepted")
			}
		})
	}
}

// The client refuses options that do nothing, until they work.
func TestOptionsThatDoNothingAreRefused(t *testing.T) {
	db := connect(t, mongotest.Start(t)).Database("shop")
	c := db.Collection("things")
	mode := new(options.Iteration)
	only := func(_ any, err error) error { return err }
	for name, run := range map[string]func(ctx context.Context) error{
		"TimeoutMode of Find without a Timeout": func(ctx context.Context) error {
			return only(c.Find(ctx, bson.D{}, &options.Find{TimeoutMode: mode}))
		},
		"TimeoutMode of Aggregate without a Timeout": func(ctx context.Context) error {
			return only(c.Aggregate(ctx, bson.A{}, &options.Aggregate{TimeoutMode: mode}))
		},
		"TimeoutMode of Aggregate that writes": func(ctx context.Context) error {
			o := &options.Aggregate{TimeoutMode: mode, Timeout: new(time.Hour)}
			return only(c.Aggregate(ctx, []bson.D{bson.Doc("$out", "copy")}, o))
		},
		"TimeoutMode of ListCollections without a Timeout": func(ctx context.Context) error {
			return only(db.ListCollections(ctx, bson.D{}, &options.ListCollections{TimeoutMode: mode}))
		},
		"TimeoutMode of ListIndexes without a Timeout": func(ctx context.Context) error {
			return only(c.ListIndexes(ctx, &options.ListIndexes{TimeoutMode: mode}))
		},
		"TimeoutMode of RunCursorCommand without a Timeout": func(ctx context.Context) error {
			return only(db.RunCursorCommand(ctx, bson.Doc("find", "things"), &options.RunCursorCommand{TimeoutMode: mode}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if run(t.Context()) == nil {
				t.Error("it is accepted")
			}
		})
	}
}

// The driver does not send a name that is not UTF-8: the server would read another name, or reset the connection.
func TestNamesThatAreNotUTF8AreNotSent(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t))
	const name = "\xff"
	c := client.Database("shop").Collection(name)
	only := func(_ any, err error) error { return err }
	for what, run := range map[string]func(ctx context.Context) error{
		"collection of InsertOne": func(ctx context.Context) error { return only(c.InsertOne(ctx, bson.D{})) },
		"collection of FindOne":   func(ctx context.Context) error { return c.FindOne(ctx, bson.D{}).Err() },
		"collection of Drop":      func(ctx context.Context) error { return c.Drop(ctx) },
		"collection of Aggregate": func(ctx context.Context) error { return only(c.Aggregate(ctx, bson.A{})) },
		"collection of BulkWrite": func(ctx context.Context) error {
			return only(c.BulkWrite(ctx, []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.D{}}}))
		},
		"collection to create": func(ctx context.Context) error { return client.Database("shop").CreateCollection(ctx, name) },
		"database": func(ctx context.Context) error {
			return client.Database(name).RunCommand(ctx, bson.Doc("ping", 1)).Err()
		},
		"collection of a bulk write on the client": func(ctx context.Context) error {
			model := &mongo.InsertOneModel{Document: bson.D{}}
			return only(client.BulkWrite(ctx, []mongo.ClientBulkWrite{{Database: "shop", Collection: name, Model: model}}))
		},
		"collection of a cursor's next batch": func(ctx context.Context) error {
			return only(client.Database("shop").RunCursorCommand(ctx, bson.Doc("find", name)))
		},
	} {
		t.Run(what, func(t *testing.T) {
			if err := run(t.Context()); err == nil || mongo.IsNetworkError(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	if len(events.started) > 0 {
		t.Errorf("%d commands were sent, such as %v", len(events.started), events.started[0].Command)
	}
}
