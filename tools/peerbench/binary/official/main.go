// Command official is the smallest program that finds a document with the official driver. Its size is measured.
package main

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func main() {
	ctx := context.Background()
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://localhost"))
	if err != nil {
		panic(err)
	}
	var found bson.D
	err = client.Database("db").Collection("c").FindOne(ctx, bson.D{}).Decode(&found)
	fmt.Println(found, err)
}
