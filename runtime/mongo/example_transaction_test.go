package mongo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleSession_TransactionState() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(session.TransactionState())
	if err := session.StartTransaction(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.TransactionState())
	// Output:
	// none
	// starting
}

func ExampleSession_TransactionRunning() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	if err := session.StartTransaction(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.TransactionRunning())
	// Output: true
}

func ExampleSession_PinnedServer() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Printf("%q\n", session.PinnedServer()) // a mongos, in a transaction of a sharded cluster
	// Output: ""
}

func ExampleSession_PinnedConnection() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(session.PinnedConnection()) // in a transaction behind a load balancer
	// Output: 0
}

func ExampleSession_StartTransaction() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	if err := session.StartTransaction(&options.Transaction{WriteConcern: mongo.Majority()}); err != nil {
		log.Fatal(err)
	}
	ctx = mongo.NewSessionContext(ctx, session)
	if _, err := users.InsertOne(ctx, bson.Doc("_id", 4)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.CommitTransaction(ctx))
	// Output: <nil>
}

func ExampleSession_CommitTransaction() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	if err := session.StartTransaction(); err != nil {
		log.Fatal(err)
	}
	if _, err := users.InsertOne(mongo.NewSessionContext(ctx, session), bson.Doc("_id", 4)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.CommitTransaction(ctx))
	fmt.Println(users.CountDocuments(ctx, bson.D{}))
	// Output:
	// <nil>
	// 4 <nil>
}

func ExampleSession_AbortTransaction() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	if err := session.StartTransaction(); err != nil {
		log.Fatal(err)
	}
	if _, err := users.InsertOne(mongo.NewSessionContext(ctx, session), bson.Doc("_id", 4)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.AbortTransaction(ctx))
	fmt.Println(users.CountDocuments(ctx, bson.D{}))
	// Output:
	// <nil>
	// 3 <nil>
}

func ExampleSession_WithTransaction() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	err = session.WithTransaction(ctx, func(ctx context.Context) error { // may be called again
		if _, err := users.UpdateByID(ctx, 1, bson.Doc("$inc", bson.Doc("age", -1))); err != nil {
			return err
		}
		_, err := users.UpdateByID(ctx, 2, bson.Doc("$inc", bson.Doc("age", 1)))
		return err
	})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithTransaction() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	n, err := mongo.WithTransaction(ctx, session, func(ctx context.Context) (int64, error) {
		result, err := users.DeleteMany(ctx, bson.Doc("age", bson.Doc("$lt", 45)))
		if err != nil {
			return 0, err
		}
		return result.DeletedCount, nil
	})
	fmt.Println(n, err)
	// Output: 2 <nil>
}
