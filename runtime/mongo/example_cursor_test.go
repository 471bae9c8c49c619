package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleCursor() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{Sort: bson.Doc("_id", 1), BatchSize: new(int32(2))})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
		var user User
		if err := cursor.Decode(&user); err != nil {
			log.Fatal(err)
		}
		fmt.Println(user.Name, cursor.RemainingBatchLength(), cursor.ID() != 0)
	}
	fmt.Println(cursor.Err())
	// Output:
	// Ada 1 true
	// Edsger 0 true
	// Grace 0 false
	// <nil>
}

func ExampleCursor_TryNext() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.Doc("name", "Ada"))
	if err != nil {
		log.Fatal(err)
	}
	for cursor.TryNext(ctx) {
		name, _ := cursor.Current().Lookup("name").StringOK()
		fmt.Println(name)
	}
	// Output: Ada
}

func ExampleCursor_All() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{})
	if err != nil {
		log.Fatal(err)
	}
	var list []User
	err = cursor.All(ctx, &list)
	fmt.Println(len(list), err)
	// Output: 3 <nil>
}

func ExampleAll() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.Doc("age", 36))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mongo.All[User](ctx, cursor))
	// Output: [{Ada 36}] <nil>
}

func ExampleEach() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{Sort: bson.Doc("age", 1)})
	if err != nil {
		log.Fatal(err)
	}
	for user, err := range mongo.Each[User](ctx, cursor) {
		fmt.Println(user.Name, err)
		break // closes the cursor
	}
	// Output: Ada <nil>
}

func ExampleSingleResult_Raw() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	raw, err := users.FindOne(ctx, bson.Doc("_id", 1)).Raw()
	fmt.Println(raw, err)
	// Output: {"_id":1,"name":"Ada","age":36} <nil>
}

func ExampleIsTimeout() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	short, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	_, err := users.InsertOne(short, bson.Doc("x", 1))
	fmt.Println(mongo.IsTimeout(err), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

func ExampleIsDuplicateKeyError() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(mongo.IsDuplicateKeyError(err))
	// Output: true
}

func ExampleHasErrorLabel() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(mongo.HasErrorLabel(err, "RetryableWriteError"))
	// Output: false
}
