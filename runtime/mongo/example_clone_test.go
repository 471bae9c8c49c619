package mongo_test

import (
	"context"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleClient_Clone() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	// The clone uses the same connections, with other defaults for its databases.
	reports := client.Clone(&options.Database{ReadPreference: mongo.SecondaryPreferred(), Timeout: new(time.Minute)})
	fmt.Println(reports.Database("shop").Collection("users").CountDocuments(ctx, bson.D{}))
	// Output: 3 <nil>
}

func ExampleDatabase_Clone() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	durable := users.Database().Clone(&options.Database{WriteConcern: mongo.Majority()})
	_, err := durable.Collection("orders").InsertOne(ctx, bson.Doc("item", "pen"))
	fmt.Println(err)
	// Output: <nil>
}
