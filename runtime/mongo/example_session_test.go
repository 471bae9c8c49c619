package mongo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleClient_StartSession() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	ctx = mongo.NewSessionContext(ctx, session) // what gets this context runs in the session
	fmt.Println(users.CountDocuments(ctx, bson.D{}))
	// Output: 3 <nil>
}

func ExampleClient_UseSession() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	err := client.UseSession(ctx, func(ctx context.Context, _ *mongo.Session) error {
		_, err := users.InsertOne(ctx, bson.Doc("_id", 4))
		return err
	})
	fmt.Println(err, client.NumberSessionsInProgress())
	// Output: <nil> 0
}

func ExampleClient_UseSessionWithOptions() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	snapshot := &options.Session{Snapshot: new(true)} // all reads see the same moment
	err := client.UseSessionWithOptions(ctx, snapshot, func(ctx context.Context, _ *mongo.Session) error {
		n, err := users.CountDocuments(ctx, bson.D{})
		fmt.Println(n)
		return err
	})
	fmt.Println(err)
	// Output:
	// 3
	// <nil>
}

func ExampleNewSessionContext() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	_, err = users.InsertOne(mongo.NewSessionContext(ctx, session), bson.Doc("_id", 4))
	fmt.Println(err, session.OperationTime() != nil)
	// Output: <nil> true
}

func ExampleSessionFromContext() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	ctx = mongo.NewSessionContext(ctx, session)
	fmt.Println(mongo.SessionFromContext(ctx) == session, mongo.SessionFromContext(context.Background()))
	// Output: true <nil>
}

func ExampleSession_Client() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(session.Client() == client)
	// Output: true
}

func ExampleSession_ID() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	_, _, isUUID := session.ID().Lookup("id").BinaryOK()
	fmt.Println(isUUID)
	// Output: true
}

func ExampleSession_ClusterTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	err = client.Ping(mongo.NewSessionContext(ctx, session), nil)
	fmt.Println(err, session.ClusterTime() != nil)
	// Output: <nil> true
}

func ExampleSession_OperationTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	err = client.Ping(mongo.NewSessionContext(ctx, session), nil)
	fmt.Println(err, session.OperationTime() != nil)
	// Output: <nil> true
}

func ExampleSession_SnapshotTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession(&options.Session{Snapshot: new(true)})
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	_, err = users.CountDocuments(mongo.NewSessionContext(ctx, session), bson.D{})
	fmt.Println(err, session.SnapshotTime() != nil)
	// Output: <nil> true
}

func ExampleSession_AdvanceClusterTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	other, err := client.StartSession() // perhaps in another process
	if err != nil {
		log.Fatal(err)
	}
	defer other.EndSession(ctx)
	if err := client.Ping(mongo.NewSessionContext(ctx, other), nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.AdvanceClusterTime(other.ClusterTime()))
	// Output: <nil>
}

func ExampleSession_AdvanceOperationTime() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	other, err := client.StartSession() // perhaps in another process
	if err != nil {
		log.Fatal(err)
	}
	defer other.EndSession(ctx)
	if _, err := users.InsertOne(mongo.NewSessionContext(ctx, other), bson.Doc("_id", 4)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.AdvanceOperationTime(other.OperationTime())) // what session reads is not older
	// Output: <nil>
}

func ExampleSession_EndSession() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	session.EndSession(ctx)
	fmt.Println(session.Ended())
	// Output: true
}

func ExampleSession_Ended() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(session.Ended())
	// Output: false
}

func ExampleSession_Dirty() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(session.Dirty()) // true after a network error
	// Output: false
}

func ExampleSession_String() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	fmt.Println(len(session.String()) > 0)
	// Output: true
}
