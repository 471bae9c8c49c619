package guide_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

var errPoor = errors.New("not enough money")

func Example_transaction() {
	ctx, client := connect()
	defer client.Close(ctx)
	accounts := client.Database("bank").Collection("accounts")
	if _, err := accounts.InsertMany(ctx, []bson.D{bson.Doc("_id", "ada", "cents", 100), bson.Doc("_id", "bob", "cents", 0)}); err != nil {
		log.Fatal(err)
	}

	transfer := func(ctx context.Context) error {
		paid, err := accounts.UpdateOne(ctx,
			bson.Doc("_id", "ada", "cents", bson.Doc("$gte", 30)),
			bson.Doc("$inc", bson.Doc("cents", -30)))
		if err != nil {
			return err
		}
		if paid.ModifiedCount == 0 {
			return errPoor // ends the transaction: nothing of it happened
		}
		_, err = accounts.UpdateOne(ctx, bson.Doc("_id", "bob"), bson.Doc("$inc", bson.Doc("cents", 30)))
		return err
	}
	err := client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, transfer)
	})

	var bob struct{ Cents int }
	if err := accounts.FindOne(ctx, bson.Doc("_id", "bob")).Decode(&bob); err != nil {
		log.Fatal(err)
	}
	fmt.Println(err, bob.Cents)
	// Output: <nil> 30
}

func Example_transactionValue() {
	ctx, client := connect()
	defer client.Close(ctx)
	orders := client.Database("shop").Collection("orders")
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)

	number, err := mongo.WithTransaction(ctx, session, func(ctx context.Context) (int64, error) {
		n, err := orders.CountDocuments(ctx, bson.D{})
		if err != nil {
			return 0, err
		}
		_, err = orders.InsertOne(ctx, bson.Doc("number", n+1))
		return n + 1, err
	})

	fmt.Println(number, err)
	// Output: 1 <nil>
}

func Example_causalSession() {
	ctx, client := connect()
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")

	err := client.UseSession(ctx, func(ctx context.Context, _ *mongo.Session) error {
		if _, err := users.InsertOne(ctx, bson.Doc("name", "Ada")); err != nil {
			return err
		}
		fromSecondary := users.Clone(&options.Collection{ReadPreference: mongo.Secondary()})
		return fromSecondary.FindOne(ctx, bson.Doc("name", "Ada")).Err() // waits until the secondary has it
	})

	fmt.Println(err)
	// Output: <nil>
}
