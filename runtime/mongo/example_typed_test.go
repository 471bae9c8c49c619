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

func ExampleTyped() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	ada, err := people.FindOne(ctx, bson.Doc("name", "Ada"))
	fmt.Println(ada.Name, ada.Age, err)
	// Output: Ada 36 <nil>
}

func ExampleTypedCollection_Collection() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	_, err := people.Collection().DeleteOne(ctx, bson.Doc("name", "Ada")) // operations without a document are not typed
	fmt.Println(people.Collection().Name(), err)
	// Output: users <nil>
}

func ExampleTypedCollection_InsertOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	_, err := people.InsertOne(ctx, User{Name: "Alan", Age: 41})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleTypedCollection_InsertMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	result, err := people.InsertMany(ctx, []User{{Name: "Alan"}, {Name: "Barbara"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.InsertedIDs))
	// Output: 2
}

func ExampleTypedCollection_FindOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	_, err := people.FindOne(ctx, bson.Doc("name", "Nobody"))
	fmt.Println(errors.Is(err, mongo.ErrNoDocuments))
	// Output: true
}

func ExampleTypedCollection_Find() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	for user, err := range people.Find(ctx, bson.Doc("age", bson.Doc("$gt", 38)), &options.Find{Sort: bson.Doc("age", 1)}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(user.Name)
	}
	// Output:
	// Edsger
	// Grace
}

func ExampleTypedCollection_FindAll() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	all, err := people.FindAll(ctx, bson.D{})
	fmt.Println(len(all), err)
	// Output: 3 <nil>
}

func ExampleTypedCollection_Aggregate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	oldest := mongo.Pipeline{bson.Doc("$sort", bson.Doc("age", -1)), bson.Doc("$limit", 1)}
	for user, err := range people.Aggregate(ctx, oldest) {
		fmt.Println(user.Name, err)
	}
	// Output: Grace <nil>
}

func ExampleTypedCollection_ReplaceOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	result, err := people.ReplaceOne(ctx, bson.Doc("name", "Ada"), User{Name: "Ada", Age: 37})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.ModifiedCount)
	// Output: 1
}

func ExampleTypedCollection_FindOneAndDelete() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	gone, err := people.FindOneAndDelete(ctx, bson.Doc("name", "Ada"))
	fmt.Println(gone.Age, err)
	// Output: 36 <nil>
}

func ExampleTypedCollection_FindOneAndReplace() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	before, err := people.FindOneAndReplace(ctx, bson.Doc("name", "Ada"), User{Name: "Ada", Age: 37})
	fmt.Println(before.Age, err)
	// Output: 36 <nil>
}

func ExampleTypedCollection_FindOneAndUpdate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	people := mongo.Typed[User](users)
	after, err := people.FindOneAndUpdate(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)),
		&options.FindOneAndUpdate{ReturnDocument: new(options.After)})
	fmt.Println(after.Age, err)
	// Output: 37 <nil>
}
