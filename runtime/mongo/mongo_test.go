package mongo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

type user struct {
	ID   bson.ObjectID `bson:"_id,omitempty"`
	Name string        `bson:"name"`
	Age  int           `bson:"age"`
}

// shapes are the deployments that a test of the driver runs against.
var shapes = []struct {
	name   string
	option mongotest.Option
}{
	{"standalone", mongotest.Standalone()},
	{"replicaset", mongotest.ReplicaSet(3)},
	{"sharded", mongotest.Sharded(2)},
	{"loadbalanced", mongotest.LoadBalanced(2)},
}

// onEachShape runs a test against each kind of deployment.
func onEachShape(t *testing.T, test func(t *testing.T, d *mongotest.Deployment, client *mongo.Client)) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, shape.option)
			test(t, d, connect(t, d))
		})
	}
}

func connect(t *testing.T, d *mongotest.Deployment, opts ...*options.Client) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(t.Context(), d.URI(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(context.Background()); err != nil && err != mongo.ErrClientClosed { // the test may close it
			t.Errorf("Close: %v", err)
		}
	})
	return client
}

func TestCRUDOnEachShape(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		ctx := t.Context()
		users := client.Database("shop").Collection("users")
		inserted, err := users.InsertOne(ctx, user{Name: "Ada", Age: 36})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := inserted.InsertedID.(bson.ObjectID); !ok || !inserted.Acknowledged {
			t.Errorf("InsertOne = %+v", inserted)
		}
		many, err := users.InsertMany(ctx, []user{{Name: "Grace", Age: 45}, {Name: "Edsger", Age: 40}})
		if err != nil || len(many.InsertedIDs) != 2 {
			t.Fatalf("InsertMany = %+v, %v", many, err)
		}
		var ada user
		if err := users.FindOne(ctx, bson.Doc("name", "Ada")).Decode(&ada); err != nil || ada.Age != 36 {
			t.Fatalf("FindOne = %+v, %v", ada, err)
		}
		if err := users.FindOne(ctx, bson.Doc("name", "Nobody")).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
			t.Errorf("FindOne of nobody: %v", err)
		}
		updated, err := users.UpdateOne(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)))
		if err != nil || updated.MatchedCount != 1 || updated.ModifiedCount != 1 {
			t.Fatalf("UpdateOne = %+v, %v", updated, err)
		}
		upserted, err := users.ReplaceOne(ctx, bson.Doc("name", "Alan"), bson.Doc("name", "Alan"), &options.ReplaceOne{Upsert: new(true)})
		if err != nil || upserted.UpsertedCount != 1 || upserted.MatchedCount != 0 || upserted.UpsertedID == nil {
			t.Fatalf("ReplaceOne = %+v, %v", upserted, err)
		}
		n, err := users.CountDocuments(ctx, bson.Doc("age", bson.Doc("$gte", 37)))
		if err != nil || n != 3 {
			t.Errorf("CountDocuments = %d, %v", n, err)
		}
		deleted, err := users.DeleteMany(ctx, bson.Doc("age", bson.Doc("$gt", 40)))
		if err != nil || deleted.DeletedCount != 1 {
			t.Errorf("DeleteMany = %+v, %v", deleted, err)
		}
	})
}

func TestCursorFetchesEveryBatch(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		ctx := t.Context()
		numbers := client.Database("shop").Collection("numbers")
		var docs []bson.D
		for i := range 25 {
			docs = append(docs, bson.Doc("_id", i))
		}
		if _, err := numbers.InsertMany(ctx, docs); err != nil {
			t.Fatal(err)
		}
		cursor, err := numbers.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(4)), Sort: bson.Doc("_id", 1)})
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for doc, err := range mongo.Each[struct {
			ID int `bson:"_id"`
		}](ctx, cursor) {
			if err != nil {
				t.Fatal(err)
			}
			if doc.ID != next {
				t.Fatalf("document %d, want %d", doc.ID, next)
			}
			next++
		}
		if next != 25 {
			t.Errorf("%d documents", next)
		}
	})
}

func TestDuplicateKeyIsRecognized(t *testing.T) {
	d := mongotest.Start(t)
	users := connect(t, d).Database("shop").Collection("users")
	if _, err := users.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	_, err := users.InsertOne(t.Context(), bson.Doc("_id", 1))
	if !mongo.IsDuplicateKeyError(err) {
		t.Errorf("err = %v", err)
	}
	many, err := users.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 2), bson.Doc("_id", 1), bson.Doc("_id", 3)})
	var failed mongo.BulkWriteException
	if !errors.As(err, &failed) || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Index != 1 {
		t.Errorf("InsertMany = %+v, %v", many, err)
	}
}
