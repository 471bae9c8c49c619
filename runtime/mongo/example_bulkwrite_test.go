package mongo_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleCollection_BulkWrite() {
	ctx := context.Background()
	users, stop := exampleUsers(ctx)
	defer stop()
	items := users.Database().Collection("items")

	result, err := items.BulkWrite(ctx, []mongo.WriteModel{
		&mongo.InsertOneModel{Document: bson.Doc("_id", "pen", "stock", 10)},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", "pen"), Update: bson.Doc("$inc", bson.Doc("stock", -3))},
		&mongo.ReplaceOneModel{Filter: bson.Doc("_id", "ink"), Replacement: bson.Doc("stock", 5), Upsert: new(true)},
		&mongo.DeleteManyModel{Filter: bson.Doc("stock", 0)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.InsertedCount, result.ModifiedCount, result.UpsertedIDs)

	_, err = items.BulkWrite(ctx, []mongo.WriteModel{
		&mongo.InsertOneModel{Document: bson.Doc("_id", "cap")},
		&mongo.InsertOneModel{Document: bson.Doc("_id", "pen")},
	}, &options.BulkWrite{Ordered: new(false)})
	if failed, ok := errors.AsType[mongo.BulkWriteException](err); ok {
		for _, e := range failed.WriteErrors {
			fmt.Println("write", e.Index, "failed with", e.Code)
		}
	}
	// Output:
	// 1 1 map[2:ink]
	// write 1 failed with DuplicateKey
}

func ExampleClient_BulkWrite() {
	ctx := context.Background()
	users, stop := exampleUsers(ctx)
	defer stop()
	client := users.Database().Client()

	result, err := client.BulkWrite(ctx, []mongo.ClientBulkWrite{
		{Database: "shop", Collection: "items", Model: &mongo.ClientInsertOneModel{Document: bson.Doc("_id", "pen", "stock", 10)}},
		{Database: "log", Collection: "orders", Model: &mongo.ClientUpdateOneModel{
			Filter: bson.Doc("_id", "pen"), Update: bson.Doc("$inc", bson.Doc("sold", 3)), Upsert: new(true),
		}},
	}, &options.ClientBulkWrite{VerboseResults: new(true)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.InsertedCount, result.InsertResults[0].InsertedID, result.UpdateResults[1].UpsertedID)
	// Output: 1 pen pen
}
