package mongo_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleMajority() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	safe := users.Clone(&options.Collection{WriteConcern: mongo.Majority()})
	_, err := safe.InsertOne(ctx, bson.Doc("_id", 4))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleW() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	logged := users.Clone(&options.Collection{WriteConcern: mongo.W(0)}) // the server does not answer
	result, err := logged.InsertOne(ctx, bson.Doc("_id", 4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Acknowledged)
	// Output: false
}

func ExampleJournaled() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	safe := users.Clone(&options.Collection{WriteConcern: mongo.Journaled()})
	_, err := safe.InsertOne(ctx, bson.Doc("_id", 4))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleReadLocal() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadConcern: mongo.ReadLocal()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleReadAvailable() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadConcern: mongo.ReadAvailable()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleReadMajority() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadConcern: mongo.ReadMajority()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleReadLinearizable() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadConcern: mongo.ReadLinearizable()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleReadSnapshot() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadConcern: mongo.ReadSnapshot()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExamplePrimary() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadPreference: mongo.Primary()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExamplePrimaryPreferred() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadPreference: mongo.PrimaryPreferred()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleSecondaryPreferred() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadPreference: mongo.SecondaryPreferred()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleNearest() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	reader := users.Clone(&options.Collection{ReadPreference: mongo.Nearest()})
	n, err := reader.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 3 <nil>
}

func ExampleSecondary() {
	preference := mongo.Secondary(mongo.MaxStaleness(90*time.Second), mongo.Tags("region", "east"), mongo.Tags())
	fmt.Println(preference.Mode, *preference.MaxStaleness, len(preference.TagSets))
	// Output: secondary 1m30s 2
}

func ExampleMaxStaleness() {
	preference := mongo.Nearest(mongo.MaxStaleness(2 * time.Minute)) // no member that lags more than that
	fmt.Println(*preference.MaxStaleness)
	// Output: 2m0s
}

func ExampleTags() {
	// Members in the east, or else any member.
	preference := mongo.Secondary(mongo.Tags("region", "east"), mongo.Tags())
	fmt.Println(len(preference.TagSets))
	// Output: 2
}
