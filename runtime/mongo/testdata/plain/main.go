// Plain is a program for the test of what a program links.
package main

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// main is a program that does not encrypt.
func main() {
	ctx := context.Background()
	c, err := mongo.Connect(ctx, "mongodb://localhost", &options.Client{})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Database("a").Collection("b").FindOne(ctx, bson.D{}).Err())
}
