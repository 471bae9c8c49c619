package guide_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
)

func Example_duplicateKey() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	if _, err := users.InsertOne(ctx, bson.Doc("_id", "ada")); err != nil {
		log.Fatal(err)
	}

	_, err := users.InsertOne(ctx, bson.Doc("_id", "ada"))
	if mongo.IsDuplicateKeyError(err) {
		fmt.Println("there is an Ada already")
	}
	var failed mongo.WriteException
	if errors.As(err, &failed) {
		fmt.Println(failed.WriteErrors[0].Index, failed.WriteErrors[0].Code)
	}
	// Output:
	// there is an Ada already
	// 0 DuplicateKey
}

func Example_noDocuments() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")

	err := users.FindOne(ctx, bson.Doc("name", "nobody")).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		fmt.Println("no such user")
	}
	// Output: no such user
}

func Example_errorCode() {
	ctx, client := connect()
	defer client.Close(ctx)

	err := client.Database("shop").RunCommand(ctx, bson.Doc("dance", 1)).Err()
	if mongo.HasErrorCode(err, errcode.CommandNotFound) {
		fmt.Println("the server cannot dance")
	}
	// Output: the server cannot dance
}
