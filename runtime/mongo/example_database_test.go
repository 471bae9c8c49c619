package mongo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleDatabase_Name() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().Name())
	// Output: shop
}

func ExampleDatabase_String() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database())
	// Output: database shop
}

func ExampleDatabase_Client() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().Client().Ping(ctx, nil))
	// Output: <nil>
}

func ExampleDatabase_ReadConcern() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	db := users.Database().Clone(&options.Database{ReadConcern: mongo.ReadMajority()})
	fmt.Println(db.ReadConcern().Level)
	// Output: majority
}

func ExampleDatabase_ReadPreference() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	db := users.Database().Clone(&options.Database{ReadPreference: mongo.Nearest()})
	fmt.Println(users.Database().ReadPreference().Mode, db.ReadPreference().Mode)
	// Output: primary nearest
}

func ExampleDatabase_WriteConcern() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	db := users.Database().Clone(&options.Database{WriteConcern: mongo.Majority()})
	fmt.Println(users.Database().WriteConcern() == nil, db.WriteConcern().W)
	// Output: true majority
}

func ExampleClient_Timeout() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client().Clone(&options.Database{Timeout: new(2 * time.Second)})
	fmt.Println(*client.Timeout())
	// Output: 2s
}

func ExampleDatabase_Collection() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	orders := users.Database().Collection("orders", &options.Collection{WriteConcern: mongo.Majority()})
	_, err := orders.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleDatabase_CreateView() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	db := users.Database()
	pipeline := mongo.Pipeline{bson.Doc("$match", bson.Doc("age", bson.Doc("$gte", 40)))}
	if err := db.CreateView(ctx, "seniors", "users", pipeline); err != nil {
		log.Fatal(err)
	}
	fmt.Println(db.Collection("seniors").CountDocuments(ctx, bson.D{}))
	// Output: 2 <nil>
}

func ExampleDatabase_ModifyCollection() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	err := users.Database().ModifyCollection(ctx, "users", &options.ModifyCollection{ValidationLevel: new("moderate")})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleDatabase_ListCollectionSpecifications() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	list, err := users.Database().ListCollectionSpecifications(ctx, bson.Doc("name", "users"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].Name, list[0].Type, list[0].IDIndex.Name)
	// Output: users collection _id_
}

func ExampleDatabase_ListCollectionObjects() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	list, err := users.Database().ListCollectionObjects(ctx, bson.D{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].EstimatedDocumentCount(ctx))
	// Output: 3 <nil>
}

func ExampleClient_ListDatabaseObjects() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	list, err := client.ListDatabaseObjects(ctx, bson.Doc("name", "shop"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].Name())
	// Output: shop
}

func ExampleClient_Stats() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	cursor, err := users.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		log.Fatal(err)
	}
	defer cursor.Close(ctx)
	stats := client.Stats()
	fmt.Println(stats.Topology.Type, stats.Cursors, stats.Operations.Failed)
	// Output: ReplicaSetWithPrimary 1 0
}

func ExampleClient_NumberSessionsInProgress() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.NumberSessionsInProgress())
	session.EndSession(ctx)
	fmt.Println(client.NumberSessionsInProgress())
	// Output:
	// 1
	// 0
}

func ExampleTopologyDescription_String() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	text := client.TopologyDescription().String() // for logs
	fmt.Println(len(text) > 0)
	// Output: true
}

func ExampleStats_MarshalJSON() {
	stats := mongo.Stats{Operations: mongo.OperationStats{Finished: 10, Failed: 1, Failures: mongo.FailureStats{DuplicateKey: 1}}}
	text, err := json.Marshal(stats)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(text), `"failed":1`), strings.Contains(string(text), `"duplicateKey":1`))
	// Output: true true
}
