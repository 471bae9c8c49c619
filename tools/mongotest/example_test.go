package mongotest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// In a test, mongotest.Start(t, mongotest.ReplicaSet(3)) closes the deployment when the test ends. Other programs close
// it themselves.
func Example() {
	ctx := context.Background()
	d, err := mongotest.New(mongotest.ReplicaSet(3), mongotest.Version("7.0"))
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	client, err := mongo.Connect(ctx, d.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	for _, name := range []string{"Ada", "Grace"} {
		if _, err := users.InsertOne(ctx, bson.Doc("name", name)); err != nil {
			log.Fatal(err)
		}
		d.StepDown()
	}
	n, err := users.CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 2 <nil>
}

// startConnected starts a deployment and a client for an example.
func startConnected(shape ...mongotest.Option) (d *mongotest.Deployment, client *mongo.Client, end func()) {
	d, err := mongotest.New(shape...)
	if err != nil {
		log.Fatal(err)
	}
	client, err = mongo.Connect(context.Background(), d.URI())
	if err != nil {
		log.Fatal(err)
	}
	return d, client, func() {
		client.Close(context.Background())
		d.Close()
	}
}

// A write goes to the primary, whichever member that is.
func ExampleDeployment_StepDown() {
	ctx := context.Background()
	d, client, end := startConnected(mongotest.ReplicaSet(3))
	defer end()
	users := client.Database("shop").Collection("users")
	if _, err := users.InsertOne(ctx, bson.Doc("name", "Ada")); err != nil {
		log.Fatal(err)
	}
	before := d.Primary()
	d.StepDown() // returns when there is another primary
	if _, err := users.InsertOne(ctx, bson.Doc("name", "Grace")); err != nil {
		log.Fatal(err)
	}
	n, err := users.CountDocuments(ctx, bson.D{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "users, the same primary:", d.Primary() == before)
	// Output: 2 users, the same primary: false
}

// A test can answer the next request of a command with anything, drop it, or just look at it.
func ExampleDeployment_Control() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	refusal, err := bson.Marshal(bson.Doc("ok", 0, "code", int32(errcode.Unauthorized), "errmsg", "not allowed to read users"))
	if err != nil {
		log.Fatal(err)
	}
	d.Control("find", func(c mongotest.Command) mongotest.Answer {
		fmt.Println(c.Name, c.DB, c.Body.Lookup("filter"))
		return mongotest.Answer{Reply: refusal}
	})
	err = client.Database("shop").Collection("users").FindOne(ctx, bson.Doc("name", "Ada")).Err()
	if refused, ok := errors.AsType[mongo.CommandError](err); ok {
		fmt.Println(refused.Code)
	}
	// Output:
	// find shop {"name":"Ada"}
	// Unauthorized
}

// A fail point of the server makes commands fail a given number of times. Here the connection breaks once, and the
// driver tries again.
func Example_failPoint() {
	ctx := context.Background()
	d, client, end := startConnected(mongotest.ReplicaSet(1))
	defer end()
	failPoint := bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1),
		"data", bson.Doc("failCommands", bson.A{"insert"}, "closeConnection", true))
	if err := client.Database("admin").RunCommand(ctx, failPoint).Err(); err != nil {
		log.Fatal(err)
	}
	users := client.Database("shop").Collection("users")
	if _, err := users.InsertOne(ctx, bson.Doc("name", "Ada")); err != nil {
		log.Fatal(err)
	}
	inserts := 0
	for _, c := range d.Commands() {
		if c.Name == "insert" {
			inserts++
		}
	}
	fmt.Println(inserts, "inserts were received")
	// Output: 2 inserts were received
}

// A client can use the deployment's own DNS, which has the SRV and TXT records of the deployment under one name.
func ExampleDeployment_Resolver() {
	ctx := context.Background()
	d, err := mongotest.New(mongotest.ReplicaSet(3))
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	zone := d.Resolver("users.example.com")
	fmt.Println(zone.URI())
	client, err := mongo.Connect(ctx, zone.URI(), &options.Client{Resolver: zone, Dialer: zone})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(client.Ping(ctx, nil))
	// Output:
	// mongodb+srv://users.example.com/?tls=false&heartbeatFrequencyMS=500
	// <nil>
}

// Without sockets a client needs the deployment's dialer. In a testing/synctest bubble both share virtual time.
func ExampleInMemory() {
	ctx := context.Background()
	d, err := mongotest.New(mongotest.InMemory(), mongotest.ReplicaSet(3))
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	client, err := mongo.Connect(ctx, d.URI(), &options.Client{Dialer: d.Dialer()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	fmt.Println(d.URI())
	fmt.Println(client.Ping(ctx, nil))
	// Output:
	// mongodb://node0.mongotest.invalid:27017,node1.mongotest.invalid:27017,node2.mongotest.invalid:27017/?replicaSet=rs0
	// <nil>
}

// By default, clients check the nodes every half second. They soon find a node again that a fail point made unknown.
func ExampleHeartbeat() {
	for _, every := range []time.Duration{time.Second, 0} {
		d, err := mongotest.New(mongotest.ReplicaSet(1), mongotest.Heartbeat(every))
		if err != nil {
			log.Fatal(err)
		}
		_, query, _ := strings.Cut(d.URI(), "?")
		fmt.Println(query)
		d.Close()
	}
	// Output:
	// replicaSet=rs0&heartbeatFrequencyMS=1000
	// replicaSet=rs0
}

// A test that watches one router needs a client that knows only that router.
func ExampleDeployment_URIOf() {
	d, _, end := startConnected(mongotest.Sharded(2), mongotest.Listen("127.0.0.1", 0))
	defer end()
	uri, err := d.URIOf(1)
	fmt.Println(uri == "mongodb://"+d.Hosts()[1]+"/?heartbeatFrequencyMS=500", err)
	// Output: true <nil>
}
