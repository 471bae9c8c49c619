package mongo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleCollection_Indexes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	name, err := users.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.Doc("name", 1)})
	fmt.Println(name, err)
	// Output: name_1 <nil>
}

func ExampleIndexView_CreateOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	model := mongo.IndexModel{Keys: bson.Doc("name", 1), Options: &options.Index{Unique: new(true)}}
	name, err := users.Indexes().CreateOne(ctx, model)
	fmt.Println(name, err)
	// Output: name_1 <nil>
}

func ExampleIndexView_CreateMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	names, err := users.Indexes().CreateMany(ctx, []mongo.IndexModel{
		{Keys: bson.Doc("name", 1)},
		{Keys: bson.Doc("age", -1, "name", 1)},
	})
	fmt.Println(names, err)
	// Output: [name_1 age_-1_name_1] <nil>
}

func ExampleIndexView_List() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Indexes().List(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for index, err := range mongo.Each[struct{ Name string }](ctx, cursor) {
		fmt.Println(index.Name, err)
	}
	// Output: _id_ <nil>
}

func ExampleIndexView_ListSpecifications() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	list, err := users.Indexes().ListSpecifications(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].Name, list[0].Namespace)
	// Output: _id_ shop.users
}

func ExampleCollection_ListIndexSpecifications() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	list, err := users.ListIndexSpecifications(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].Name, list[0].Version)
	// Output: _id_ 2
}

func ExampleIndexView_DropOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	indexes := users.Indexes()
	name, err := indexes.CreateOne(ctx, mongo.IndexModel{Keys: bson.Doc("name", 1)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(indexes.DropOne(ctx, name))
	// Output: <nil>
}

func ExampleIndexView_DropWithKey() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	indexes := users.Indexes()
	if _, err := indexes.CreateOne(ctx, mongo.IndexModel{Keys: bson.Doc("name", 1)}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(indexes.DropWithKey(ctx, bson.Doc("name", 1)))
	// Output: <nil>
}

func ExampleIndexView_DropAll() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Indexes().DropAll(ctx)) // all but that of _id
	// Output: <nil>
}

func ExampleCollection_SearchIndexes() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	// Only Atlas has search indexes; other servers return an error.
	_, err := users.SearchIndexes().CreateOne(ctx, mongo.SearchIndexModel{
		Definition: bson.Doc("mappings", bson.Doc("dynamic", true)),
		Options:    &options.SearchIndex{Name: new("words")},
	})
	fmt.Println(err != nil)
	// Output: true
}

func ExampleSearchIndexView_CreateOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	name, err := users.SearchIndexes().CreateOne(ctx, mongo.SearchIndexModel{
		Definition: bson.Doc("mappings", bson.Doc("dynamic", true)),
	})
	fmt.Println(name == "", err != nil) // only Atlas has search indexes
	// Output: true true
}

func ExampleSearchIndexView_CreateMany() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	names, err := users.SearchIndexes().CreateMany(ctx, []mongo.SearchIndexModel{
		{Definition: bson.Doc("mappings", bson.Doc("dynamic", true))},
	})
	fmt.Println(len(names), err != nil) // only Atlas has search indexes
	// Output: 0 true
}

func ExampleSearchIndexView_UpdateOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.SearchIndexes().UpdateOne(ctx, "words", bson.Doc("mappings", bson.Doc("dynamic", false)))
	fmt.Println(err != nil) // only Atlas has search indexes
	// Output: true
}

func ExampleSearchIndexView_DropOne() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.SearchIndexes().DropOne(ctx, "words")
	fmt.Println(err != nil) // only Atlas has search indexes
	// Output: true
}

func ExampleSearchIndexView_List() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	_, err := users.SearchIndexes().List(ctx)
	fmt.Println(err != nil) // only Atlas has search indexes
	// Output: true
}
