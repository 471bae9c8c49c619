package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleCursor_Next() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
		fmt.Println(cursor.Current().Lookup("name"))
	}
	fmt.Println(cursor.Err())
	// Output:
	// "Ada"
	// "Edsger"
	// "Grace"
	// <nil>
}

func ExampleCursor_Current() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	cursor.Next(ctx)
	fmt.Println(cursor.Current()) // valid until the next call of Next
	// Output: {"_id":1,"name":"Ada","age":36}
}

func ExampleCursor_Decode() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	var user User
	cursor.Next(ctx)
	err = cursor.Decode(&user)
	fmt.Println(user.Name, err)
	// Output: Ada <nil>
}

func ExampleCursor_Err() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
	}
	fmt.Println(cursor.Err()) // Next is also false after an error
	// Output: <nil>
}

func ExampleCursor_Close() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	fmt.Println(cursor.Close(ctx), cursor.Next(ctx))
	// Output: <nil> false
}

func ExampleCursor_ID() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	fmt.Println(cursor.ID() != 0)
	for cursor.Next(ctx) {
	}
	fmt.Println(cursor.ID()) // the server has closed it
	// Output:
	// true
	// 0
}

func ExampleCursor_RemainingBatchLength() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	cursor.Next(ctx)
	fmt.Println(cursor.RemainingBatchLength())
	// Output: 1
}

func ExampleCursor_SetBatchSize() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	cursor.SetBatchSize(100) // of the batches to come
	for cursor.Next(ctx) {
	}
	fmt.Println(cursor.Err())
	// Output: <nil>
}

func ExampleCursor_SetComment() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2)), Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	cursor.SetComment("the nightly report") // on each getMore to come
	for cursor.Next(ctx) {
	}
	fmt.Println(cursor.Err())
	// Output: <nil>
}

func ExampleCursor_SetMaxAwaitTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	db := users.Database()
	err := db.CreateCollection(ctx, "log", &options.CreateCollection{Capped: new(true), Size: new(int64(1 << 20))})
	if err != nil {
		log.Fatal(err)
	}
	lines := db.Collection("log")
	if _, err := lines.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
		log.Fatal(err)
	}
	cursor, err := lines.Find(ctx, bson.D{}, &options.Find{CursorType: new(options.TailableAwait)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	cursor.SetMaxAwaitTime(10 * time.Millisecond) // how long the server waits for more
	fmt.Println(cursor.Next(ctx), cursor.TryNext(ctx))
	// Output: true false
}

func ExampleNewCursorFromDocuments() {
	cursor, err := mongo.NewCursorFromDocuments([]any{bson.Doc("name", "Ada")}, nil) // for tests without a server
	if err != nil {
		log.Fatal(err)
	}
	people, err := mongo.All[User](context.Background(), cursor)
	fmt.Println(people[0].Name, err)
	// Output: Ada <nil>
}

func ExampleNewSingleResultFromDocument() {
	result := mongo.NewSingleResultFromDocument(bson.Doc("name", "Ada"), nil) // for tests without a server
	var user User
	err := result.Decode(&user)
	fmt.Println(user.Name, err)
	// Output: Ada <nil>
}

func ExampleSingleResult_Decode() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var user User
	err := users.FindOne(ctx, bson.Doc("_id", 1)).Decode(&user)
	fmt.Println(user.Name, err)
	// Output: Ada <nil>
}

func ExampleSingleResult_Err() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.FindOne(ctx, bson.Doc("_id", 9)).Err()
	fmt.Println(errors.Is(err, mongo.ErrNoDocuments))
	// Output: true
}

func ExampleDistinctResult_Decode() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var names []string
	err := users.Distinct(ctx, "name", bson.D{}).Decode(&names)
	fmt.Println(names, err)
	// Output: [Ada Edsger Grace] <nil>
}

func ExampleDistinctResult_Raw() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	values, err := users.Distinct(ctx, "age", bson.D{}).Raw()
	fmt.Println(values, err)
	// Output: [36,40,45] <nil>
}

func ExampleDistinctResult_Err() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Distinct(ctx, "name", bson.D{}).Err())
	// Output: <nil>
}

func ExampleDistinct() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	ages, err := mongo.Distinct[int](ctx, users, "age", bson.Doc("age", bson.Doc("$lt", 45)))
	fmt.Println(ages, err)
	// Output: [36 40] <nil>
}

func ExampleExplainFind() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result := users.Explain(ctx, mongo.ExplainFind(bson.Doc("_id", 1)), "queryPlanner")
	fmt.Println(result.Err())
	// Output: <nil>
}

func ExampleExplainAggregate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	pipeline := mongo.Pipeline{bson.Doc("$match", bson.Doc("age", 36))}
	result := users.Explain(ctx, mongo.ExplainAggregate(pipeline), "queryPlanner")
	fmt.Println(result.Err())
	// Output: <nil>
}

func ExampleExplainDistinct() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result := users.Explain(ctx, mongo.ExplainDistinct("name", bson.D{}), "queryPlanner")
	fmt.Println(result.Err())
	// Output: <nil>
}

func ExampleExplainWrite() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	write := &mongo.DeleteManyModel{Filter: bson.Doc("age", bson.Doc("$lt", 40))}
	result := users.Explain(ctx, mongo.ExplainWrite(write), "queryPlanner") // nothing is deleted
	fmt.Println(result.Err())
	// Output: <nil>
}

func ExampleCollection_Explain() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	plan, err := users.Explain(ctx, mongo.ExplainFind(bson.Doc("_id", 1)), "executionStats").Raw()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Lookup("ok").AsInt64OK())
	// Output: 1 true
}

func ExampleCollection_UpdateByID() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.UpdateByID(ctx, 1, bson.Doc("$set", bson.Doc("age", 37)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.ModifiedCount)
	// Output: 1
}

func ExampleCollection_Rename() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.Rename(ctx, "people")
	if err != nil {
		log.Fatal(err)
	}
	names, err := users.Database().ListCollectionNames(ctx, bson.D{})
	fmt.Println(names, err)
	// Output: [people] <nil>
}

func ExampleCollection_Name() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Name())
	// Output: users
}

func ExampleHasErrorCode() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(mongo.HasErrorCode(err, errcode.DuplicateKey))
	// Output: true
}

func ExampleErrorCodes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(mongo.ErrorCodes(err))
	// Output: [DuplicateKey]
}

func ExampleIsNetworkError() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(mongo.IsNetworkError(err)) // the server did answer
	// Output: false
}

func ExampleIsNamespaceNotFound() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.Database().Collection("nowhere").Rename(ctx, "somewhere")
	fmt.Println(mongo.IsNamespaceNotFound(err))
	// Output: true
}
