package mongo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// exampleUsers is a collection of three users on a server in this process.
func exampleUsers(ctx context.Context) (users *mongo.Collection, done func()) {
	server, err := mongotest.New(mongotest.ReplicaSet(1))
	if err != nil {
		log.Fatal(err)
	}
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	users = client.Database("shop").Collection("users")
	if _, err := users.InsertMany(ctx, []bson.D{
		bson.Doc("_id", 1, "name", "Ada", "age", 36),
		bson.Doc("_id", 2, "name", "Edsger", "age", 40),
		bson.Doc("_id", 3, "name", "Grace", "age", 45),
	}); err != nil {
		log.Fatal(err)
	}
	return users, func() {
		client.Close(ctx)
		server.Close()
	}
}

func ExampleConnect() {
	server, err := mongotest.New() // any MongoDB does
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx := context.Background()
	client, err := mongo.Connect(ctx, server.URI(), &options.Client{AppName: new("shop"), MaxPoolSize: new(10)})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(client.Ping(ctx, nil))
	// Output: <nil>
}

func ExampleClient_Ping() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	fmt.Println(client.Ping(ctx, &options.ReadPreference{Mode: options.Primary}))
	// Output: <nil>
}

func ExampleClient_Close() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	client := users.Database().Client()
	fmt.Println(client.Close(ctx))
	fmt.Println(client.Ping(ctx, nil))
	// Output:
	// <nil>
	// mongo: the client is closed: call Connect to make another one
}

func ExampleClient_Database() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	shop := users.Database().Client().Database("shop", &options.Database{ReadConcern: &options.ReadConcern{Level: "majority"}})
	fmt.Println(shop.Name(), shop)
	// Output: shop database shop
}

func ExampleClient_TopologyDescription() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	description := users.Database().Client().TopologyDescription()
	fmt.Println(description.Type, len(description.Servers))
	text := description.String() // a line for each server
	fmt.Println(text != "")
	// Output:
	// ReplicaSetWithPrimary 1
	// true
}

func ExampleTopologyDescription_HasReadableServer() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	description := users.Database().Client().TopologyDescription()
	fmt.Println(description.HasReadableServer(mongo.Secondary())) // a set of one has none
	fmt.Println(description.HasReadableServer(mongo.SecondaryPreferred()))
	// Output:
	// false
	// true
}

func ExampleTopologyDescription_HasWritableServer() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().Client().TopologyDescription().HasWritableServer())
	// Output: true
}

func ExampleClient_AppendMetadata() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().Client().AppendMetadata(options.DriverInfo{Name: "shoplib", Version: "1.2"}))
	// Output: <nil>
}

func ExampleClient_ListDatabaseNames() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	names, err := users.Database().Client().ListDatabaseNames(ctx, bson.Doc("name", "shop"))
	fmt.Println(names, err)
	// Output: [shop] <nil>
}

func ExampleClient_ListDatabases() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	list, err := users.Database().Client().ListDatabases(ctx, bson.Doc("name", "shop"))
	if err != nil {
		log.Fatal(err)
	}
	for _, database := range list {
		fmt.Println(database.Name, database.Empty)
	}
	// Output: shop false
}

func ExampleDatabase_RunCommand() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	var reply struct {
		N int `bson:"n"`
	}
	err := users.Database().RunCommand(ctx, bson.Doc("count", "users")).Decode(&reply)
	fmt.Println(reply.N, err)
	// Output: 3 <nil>
}

func ExampleDatabase_RunCursorCommand() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Database().RunCursorCommand(ctx, bson.Doc("find", "users", "sort", bson.Doc("_id", 1)))
	if err != nil {
		log.Fatal(err)
	}
	list, err := mongo.All[bson.D](ctx, cursor)
	fmt.Println(len(list), err)
	// Output: 3 <nil>
}

func ExampleDatabase_CreateCollection() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	shop := users.Database()
	if err := shop.CreateCollection(ctx, "log", &options.CreateCollection{Capped: new(true), Size: new(int64(4096))}); err != nil {
		log.Fatal(err)
	}
	names, err := shop.ListCollectionNames(ctx, bson.Doc("name", "log"))
	fmt.Println(names, err)
	// Output: [log] <nil>
}

func ExampleDatabase_ListCollections() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Database().ListCollections(ctx, bson.D{})
	if err != nil {
		log.Fatal(err)
	}
	for spec, err := range mongo.Each[bson.Raw](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		name, _ := spec.Lookup("name").StringOK()
		fmt.Println(name)
	}
	// Output: users
}

func ExampleDatabase_ListCollectionNames() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	fmt.Println(users.Database().ListCollectionNames(ctx, bson.D{}))
	// Output: [users] <nil>
}

func ExampleDatabase_Aggregate() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	cursor, err := users.Database().Aggregate(ctx, mongo.Pipeline{
		bson.Doc("$documents", bson.A{bson.Doc("x", 1), bson.Doc("x", 2)}),
		bson.Doc("$match", bson.Doc("x", 2)),
	})
	if err != nil {
		log.Fatal(err)
	}
	list, err := mongo.All[bson.Raw](ctx, cursor)
	fmt.Println(list, err)
	// Output: [{"x":2}] <nil>
}

func ExampleDatabase_Drop() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	if err := users.Database().Drop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(users.EstimatedDocumentCount(ctx))
	// Output: 0 <nil>
}
