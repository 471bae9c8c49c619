package mongo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

type User struct {
	Name string `bson:"name"`
	Age  int    `bson:"age"`
}

func Example() {
	server, err := mongotest.New() // an in-memory server; any MongoDB does
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx := context.Background()
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	if _, err := users.InsertMany(ctx, []User{{"Ada", 36}, {"Grace", 45}}); err != nil {
		log.Fatal(err)
	}
	cursor, err := users.Find(ctx, bson.Doc("age", bson.Doc("$gt", 40)))
	if err != nil {
		log.Fatal(err)
	}
	for user, err := range mongo.Each[User](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(user.Name, user.Age)
	}
	// Output: Grace 45
}
