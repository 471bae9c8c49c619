package mongo_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleEvents() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	for event, err := range mongo.Events[mongo.ChangeEvent](ctx, stream) {
		fmt.Println(event.OperationType, err)
		break // closes the stream
	}
	// Output: insert <nil>
}

func ExampleChangeStream_Next() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	if stream.Next(ctx) {
		fmt.Println(stream.Current().Lookup("operationType"))
	}
	// Output: "insert"
}

func ExampleChangeStream_Current() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	stream.Next(ctx)
	fmt.Println(stream.Current().Lookup("documentKey", "_id"))
	// Output: "pen"
}

func ExampleChangeStream_Decode() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	stream.Next(ctx)
	var event mongo.ChangeEvent
	err = stream.Decode(&event)
	fmt.Println(event.OperationType, err)
	// Output: insert <nil>
}

func ExampleChangeStream_Err() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{bson.Doc("$project", bson.Doc("_id", 0))}) // the token is needed
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Next(ctx), stream.Err() != nil)
	// Output: false true
}

func ExampleChangeStream_Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Close(ctx), stream.ID())
	// Output: <nil> 0
}

func ExampleChangeStream_ID() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	fmt.Println(stream.ID() != 0) // 0 once nothing more can come
	// Output: true
}

func ExampleChangeStream_ResumeToken() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := items.InsertMany(ctx, []bson.D{bson.Doc("_id", "pen"), bson.Doc("_id", "ink")}); err != nil {
		log.Fatal(err)
	}
	stream.Next(ctx)
	token := stream.ResumeToken() // kept somewhere while the program is down
	stream.Close(ctx)

	stream, err = items.Watch(ctx, mongo.Pipeline{}, &options.ChangeStream{ResumeAfter: token})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	stream.Next(ctx)
	fmt.Println(stream.Current().Lookup("documentKey", "_id"))
	// Output: "ink"
}

func ExampleChangeStream_RemainingBatchLength() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertMany(ctx, []bson.D{bson.Doc("_id", "pen"), bson.Doc("_id", "ink")}); err != nil {
		log.Fatal(err)
	}
	stream.Next(ctx)
	fmt.Println(stream.RemainingBatchLength()) // what can be read without asking the server
	// Output: 1
}

func ExampleChangeStream_SetBatchSize() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Watch(ctx, mongo.Pipeline{})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	stream.SetBatchSize(1) // of the batches to come
	if _, err := items.InsertMany(ctx, []bson.D{bson.Doc("_id", "pen"), bson.Doc("_id", "ink")}); err != nil {
		log.Fatal(err)
	}
	stream.Next(ctx)
	fmt.Println(stream.RemainingBatchLength())
	// Output: 0
}

func ExampleDatabase_Watch() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Database().Watch(ctx, mongo.Pipeline{}) // all collections of the database
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Next(ctx))
	// Output: true
}

func ExampleClient_Watch() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	items, done := exampleStreamed(ctx)
	defer done()
	stream, err := items.Database().Client().Watch(ctx, mongo.Pipeline{}) // all databases
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	if _, err := items.InsertOne(ctx, bson.Doc("_id", "pen")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Next(ctx))
	// Output: true
}
