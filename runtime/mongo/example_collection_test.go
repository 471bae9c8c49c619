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

func ExampleCollection_InsertOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.InsertOne(ctx, bson.Doc("_id", 4, "name", "Alan"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.InsertedID)
	_, err = users.InsertOne(ctx, bson.Doc("_id", 4))
	fmt.Println(mongo.IsDuplicateKeyError(err))
	// Output:
	// 4
	// true
}

func ExampleCollection_InsertMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.InsertMany(ctx, []bson.D{bson.Doc("_id", 4), bson.Doc("_id", 1), bson.Doc("_id", 5)},
		&options.InsertMany{Ordered: new(false)})
	if failed, ok := errors.AsType[mongo.BulkWriteException](err); ok {
		fmt.Println("failed:", failed.WriteErrors[0].Index)
	}
	fmt.Println(users.CountDocuments(ctx, bson.D{}))
	// Output:
	// failed: 1
	// 5 <nil>
}

func ExampleCollection_Find() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 38)), &options.Find{Sort: bson.Doc("age", -1)})
	if err != nil {
		log.Fatal(err)
	}
	for user, err := range mongo.Each[User](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(user.Name)
	}
	// Output:
	// Grace
	// Edsger
}

func ExampleCollection_FindOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var user User
	if err := users.FindOne(ctx, bson.Doc("name", "Ada")).Decode(&user); err != nil {
		log.Fatal(err)
	}
	fmt.Println(user.Age)
	err := users.FindOne(ctx, bson.Doc("name", "Nobody")).Err()
	fmt.Println(errors.Is(err, mongo.ErrNoDocuments))
	// Output:
	// 36
	// true
}

func ExampleCollection_UpdateOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.UpdateOne(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.MatchedCount, result.ModifiedCount)
	// Output: 1 1
}

func ExampleCollection_UpdateMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.UpdateMany(ctx, bson.D{}, bson.Doc("$set", bson.Doc("active", true)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.ModifiedCount)
	// Output: 3
}

func ExampleCollection_ReplaceOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.ReplaceOne(ctx, bson.Doc("_id", 9), bson.Doc("name", "Alan"), &options.ReplaceOne{Upsert: new(true)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.MatchedCount, result.UpsertedCount, result.UpsertedID)
	// Output: 0 1 9
}

func ExampleCollection_DeleteOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.DeleteOne(ctx, bson.Doc("name", "Ada"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.DeletedCount)
	// Output: 1
}

func ExampleCollection_DeleteMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	result, err := users.DeleteMany(ctx, bson.D{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.DeletedCount)
	// Output: 3
}

func ExampleCollection_FindOneAndUpdate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var user User
	err := users.FindOneAndUpdate(ctx, bson.Doc("name", "Ada"), bson.Doc("$inc", bson.Doc("age", 1)),
		&options.FindOneAndUpdate{ReturnDocument: new(options.After)}).Decode(&user)
	fmt.Println(user.Age, err)
	// Output: 37 <nil>
}

func ExampleCollection_FindOneAndReplace() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var before User
	err := users.FindOneAndReplace(ctx, bson.Doc("name", "Ada"), User{Name: "Ada", Age: 37}).Decode(&before)
	fmt.Println(before.Age, err)
	// Output: 36 <nil>
}

func ExampleCollection_FindOneAndDelete() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var last User
	err := users.FindOneAndDelete(ctx, bson.Doc("name", "Ada")).Decode(&last)
	fmt.Println(last.Age, err)
	// Output: 36 <nil>
}

func ExampleCollection_Aggregate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Aggregate(ctx, mongo.Pipeline{
		bson.Doc("$group", bson.Doc("_id", nil, "oldest", bson.Doc("$max", "$age"))),
	})
	if err != nil {
		log.Fatal(err)
	}
	for group, err := range mongo.Each[struct{ Oldest int }](ctx, cursor) {
		fmt.Println(group.Oldest, err)
	}
	// Output: 45 <nil>
}

func ExampleCollection_CountDocuments() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.CountDocuments(ctx, bson.Doc("age", bson.Doc("$gte", 40))))
	// Output: 2 <nil>
}

func ExampleCollection_EstimatedDocumentCount() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.EstimatedDocumentCount(ctx))
	// Output: 3 <nil>
}

func ExampleCollection_Count() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Count(ctx, bson.Doc("age", bson.Doc("$lt", 45))))
	// Output: 2 <nil>
}

func ExampleCollection_Distinct() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var names []string
	err := users.Distinct(ctx, "name", bson.Doc("age", bson.Doc("$lt", 45))).Decode(&names)
	fmt.Println(names, err)
	// Output: [Ada Edsger] <nil>
}

func ExampleCollection_Clone() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	careful := users.Clone(&options.Collection{WriteConcern: &options.WriteConcern{W: "majority"}})
	_, err := careful.InsertOne(ctx, bson.Doc("_id", 4))
	fmt.Println(careful.Name(), err)
	// Output: users <nil>
}

func ExampleCollection_Drop() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Drop(ctx), users.Drop(ctx)) // dropping twice is no error
	// Output: <nil> <nil>
}

func ExampleCollection_CreateIndex() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	name, err := users.CreateIndex(ctx, mongo.IndexModel{
		Keys: bson.Doc("name", 1), Options: &options.Index{Unique: new(true)},
	})
	fmt.Println(name, err)
	// Output: name_1 <nil>
}

func ExampleCollection_CreateIndexes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	names, err := users.CreateIndexes(ctx, []mongo.IndexModel{{Keys: bson.Doc("name", 1)}, {Keys: bson.Doc("age", -1, "name", 1)}})
	fmt.Println(names, err)
	// Output: [name_1 age_-1_name_1] <nil>
}

func ExampleCollection_ListIndexNames() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.ListIndexNames(ctx))
	// Output: [_id_] <nil>
}

func ExampleCollection_ListIndexes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.ListIndexes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	indexes, err := mongo.All[struct {
		Key bson.D `bson:"key"`
	}](ctx, cursor)
	fmt.Println(indexes[0].Key, err)
	// Output: {"_id":1} <nil>
}

func ExampleCollection_DropIndex() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	name, err := users.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("age", 1)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(users.DropIndex(ctx, name))
	// Output: <nil>
}

func ExampleCollection_DropIndexWithKey() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	if _, err := users.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("age", 1)}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(users.DropIndexWithKey(ctx, bson.Doc("age", 1)))
	// Output: <nil>
}

func ExampleCollection_DropAllIndexes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.DropAllIndexes(ctx)) // all but that on _id
	// Output: <nil>
}

func ExampleCollection_Database() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().Name())
	// Output: shop
}
