package guide_test

import (
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func Example_pool() {
	ctx, client := connect(&options.Client{
		MaxPoolSize: new(50),
		MinPoolSize: new(5),
		Compressors: []string{"zstd", "snappy"},
	})
	defer client.Close(ctx)

	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func Example_rawDocuments() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	if _, err := users.InsertMany(ctx, []bson.D{bson.Doc("name", "Ada"), bson.Doc("name", "Grace")}); err != nil {
		log.Fatal(err)
	}

	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1000)), Projection: bson.Doc("name", 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
		name, _ := cursor.Current().Lookup("name").StringOK() // no copy, no struct
		fmt.Println(name)
	}
	// Output:
	// Ada
	// Grace
}

func Example_manyWrites() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")

	models := []mongo.WriteModel{
		&mongo.InsertOneModel{Document: bson.Doc("_id", 1, "name", "Ada")},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("age", 36))},
		&mongo.DeleteManyModel{Filter: bson.Doc("age", bson.Doc("$lt", 0))},
	}
	result, err := users.BulkWrite(ctx, models, &options.BulkWrite{Ordered: new(false)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.InsertedCount, result.DeletedCount)
	// Output: 1 0
}
