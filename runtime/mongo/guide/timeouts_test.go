package guide_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func Example_timeoutOfTheClient() {
	ctx, client := connect(&options.Client{Timeout: new(5 * time.Second)})
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")

	reports := users.Clone(&options.Collection{Timeout: new(time.Minute)}) // longer, for slow reads
	n, err := reports.CountDocuments(ctx, bson.D{}, &options.Count{Timeout: new(20 * time.Second)})

	fmt.Println(n, err)
	// Output: 0 <nil>
}

func Example_timeoutIsRecognized() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	failPoint := bson.Doc("configureFailPoint", "failCommand", "mode", "alwaysOn",
		"data", bson.Doc("failCommands", bson.A{"find"}, "blockConnection", true, "blockTimeMS", 10_000))
	if err := client.Database("admin").RunCommand(ctx, failPoint).Err(); err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	err := users.FindOne(ctx, bson.D{}).Err()
	fmt.Println(mongo.IsTimeout(err), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}
