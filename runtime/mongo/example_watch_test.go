package mongo_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// exampleStreamed returns a collection of a replica set, because change streams need one.
func exampleStreamed(ctx context.Context) (c *mongo.Collection, done func()) {
	d, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		log.Fatal(err)
	}
	client, err := mongo.Connect(ctx, d.URI())
	if err != nil {
		log.Fatal(err)
	}
	return client.Database("shop").Collection("items"), func() {
		client.Close(ctx)
		d.Close()
	}
}

func ExampleCollection_Watch() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()

	stream, err := items.Watch(ctx, mongo.Pipeline{bson.Doc("$match", bson.Doc("operationType", "insert"))})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	for event, err := range mongo.Events[mongo.ChangeEvent](ctx, stream) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.OperationType, event.DocumentKey)
		break
	}
	// Output: insert {"_id":"pen"}
}

func ExampleChangeStream_TryNext() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()

	stream, err := items.Database().Watch(ctx, mongo.Pipeline{}, &options.ChangeStream{MaxAwaitTime: new(time.Second)})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	var token bson.Raw
	for stream.ID() != 0 && stream.Err() == nil {
		found := stream.TryNext(ctx)
		token = stream.ResumeToken() // worth storing each time, also when nothing has changed
		if found {
			break
		}
	}
	fmt.Println(len(token) > 0, stream.Err())
	// Output: true <nil>
}
