// Command onion is the smallest program that finds a document with this driver. Its size is measured.
package main

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

func main() {
	ctx := context.Background()
	client, err := mongo.Connect(ctx, "mongodb://localhost")
	if err != nil {
		panic(err)
	}
	var found bson.D
	err = client.Database("db").Collection("c").FindOne(ctx, bson.D{}).Decode(&found)
	fmt.Println(found, err)
}
