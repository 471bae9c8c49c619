package interop

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/FerretDB/FerretDB/ferretdb"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// startEmbeddedFerret starts a FerretDB over SQLite in this process. Its database lives in a directory: in memory it deadlocks.
func startEmbeddedFerret(t *testing.T) string {
	t.Helper()
	f, err := ferretdb.New(&ferretdb.Config{
		Handler: "sqlite", SQLiteURL: "file:" + t.TempDir() + "/?_pragma=synchronous(off)",
		Listener: ferretdb.ListenerConfig{TCP: "127.0.0.1:0"}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return f.MongoDBURI()
}

type person struct {
	ID   int    `bson:"_id"`
	Name string `bson:"name"`
	Age  int    `bson:"age"`
}

// Onion's driver against a server that others wrote.
func TestOnionAgainstFerretDB(t *testing.T) {
	ctx := t.Context()
	client, err := mongo.Connect(ctx, startEmbeddedFerret(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	if err := client.Ping(ctx, nil); err != nil {
		t.Fatal(err)
	}
	people := client.Database("interop").Collection("people")
	if _, err := people.InsertMany(ctx, []person{{1, "Ada", 36}, {2, "Grace", 45}, {3, "Edsger", 40}}); err != nil {
		t.Fatal(err)
	}
	t.Run("find", func(t *testing.T) {
		cursor, err := people.Find(ctx, bson.Doc("age", bson.Doc("$gt", 36)), &options.Find{Sort: bson.Doc("age", 1), BatchSize: new(int32(1))})
		if err != nil {
			t.Fatal(err)
		}
		all, err := mongo.All[person](ctx, cursor)
		if err != nil || len(all) != 2 || all[0].Name != "Edsger" {
			t.Errorf("%+v, %v", all, err)
		}
	})
	t.Run("update and count", func(t *testing.T) {
		updated, err := people.UpdateOne(ctx, bson.Doc("_id", 1), bson.Doc("$set", bson.Doc("age", 37)))
		if err != nil || updated.ModifiedCount != 1 {
			t.Errorf("%+v, %v", updated, err)
		}
		if n, err := people.CountDocuments(ctx, bson.Doc("age", bson.Doc("$gte", 37))); err != nil || n != 3 {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Run("duplicate key", func(t *testing.T) {
		if _, err := people.InsertOne(ctx, person{ID: 1}); !mongo.IsDuplicateKeyError(err) {
			t.Errorf("%v", err)
		}
	})
	t.Run("findAndModify", func(t *testing.T) {
		var p person
		after := &options.FindOneAndUpdate{ReturnDocument: new(options.After)}
		if err := people.FindOneAndUpdate(ctx, bson.Doc("_id", 2), bson.Doc("$inc", bson.Doc("age", 1)), after).Decode(&p); err != nil || p.Age != 46 {
			t.Errorf("%+v, %v", p, err)
		}
	})
	t.Run("indexes", func(t *testing.T) {
		if _, err := people.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("name", 1), Options: &options.Index{Unique: new(true)}}); err != nil {
			t.Fatal(err)
		}
		names, err := people.ListIndexNames(ctx)
		if err != nil || len(names) != 2 {
			t.Errorf("%v, %v", names, err)
		}
	})
	t.Run("lists", func(t *testing.T) {
		names, err := client.Database("interop").ListCollectionNames(ctx, bson.D{})
		if err != nil || len(names) != 1 || names[0] != "people" {
			t.Errorf("%v, %v", names, err)
		}
	})
	t.Run("aggregate", func(t *testing.T) {
		cursor, err := people.Aggregate(ctx, mongo.Pipeline{bson.Doc("$match", bson.Doc("age", bson.Doc("$gt", 40))), bson.Doc("$count", "n")})
		if err != nil {
			t.Fatal(err)
		}
		docs, err := mongo.All[bson.M](ctx, cursor)
		if err != nil || len(docs) != 1 {
			t.Errorf("%v, %v", docs, err)
		}
	})
	t.Run("delete", func(t *testing.T) {
		deleted, err := people.DeleteMany(ctx, bson.D{})
		if err != nil || deleted.DeletedCount != 3 {
			t.Errorf("%+v, %v", deleted, err)
		}
		if err := people.FindOne(ctx, bson.D{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
			t.Errorf("%v", err)
		}
	})
}
