package mongotest_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A killed member comes back as a new process on the same port.
func ExampleDeployment_Kill() {
	ctx := context.Background()
	d, client, end := startConnected(mongotest.ReplicaSet(3))
	defer end()
	users := client.Database("shop").Collection("users")
	killed := d.Primary()
	d.Kill(killed)
	_, err := users.InsertOne(ctx, bson.Doc("name", "Ada")) // waits for the election
	fmt.Println(err)
	fmt.Println(d.Restart(killed))
	// Output:
	// <nil>
	// <nil>
}

// A node that is cut off keeps its connections and answers nothing.
func ExampleDeployment_Partition() {
	d, client, end := startConnected()
	defer end()
	if err := client.Ping(context.Background(), nil); err != nil {
		log.Fatal(err)
	}
	d.Partition(0, time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	fmt.Println(mongo.IsTimeout(client.Ping(ctx, nil)))
	d.Partition(0, 0) // ends it
	fmt.Println(client.Ping(context.Background(), nil))
	// Output:
	// true
	// <nil>
}

// A slow server shows what an application does when its time runs out.
func ExampleDeployment_Latency() {
	d, client, end := startConnected()
	defer end()
	if err := client.Ping(context.Background(), nil); err != nil {
		log.Fatal(err)
	}
	d.Latency(0, time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	fmt.Println(mongo.IsTimeout(client.Ping(ctx, nil)))
	// Output: true
}

// A lagging secondary returns an older state to readers.
func ExampleDeployment_Lag() {
	ctx := context.Background()
	d, client, end := startConnected(mongotest.ReplicaSet(2))
	defer end()
	secondary := 1 - d.Primary()
	users := client.Database("shop").Collection("users", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
	if _, err := users.InsertOne(ctx, bson.Doc("name", "Ada")); err != nil {
		log.Fatal(err)
	}
	d.Lag(secondary, 1) // it lacks the next write
	if _, err := users.InsertOne(ctx, bson.Doc("name", "Grace")); err != nil {
		log.Fatal(err)
	}
	for _, mode := range []options.ReadPreferenceMode{options.Primary, options.Secondary} {
		there := client.Database("shop").Collection("users", &options.Collection{ReadPreference: &options.ReadPreference{Mode: mode}})
		n, err := there.CountDocuments(ctx, bson.D{})
		fmt.Println(n, err)
	}
	// Output:
	// 2 <nil>
	// 1 <nil>
}

// Reconfigure makes members hidden, unelectable or arbiters, and sets tags.
func ExampleDeployment_Reconfigure() {
	d, client, end := startConnected(mongotest.ReplicaSet(3))
	defer end()
	err := d.Reconfigure(
		mongotest.Member{Node: 0, Priority: 1},
		mongotest.Member{Node: 1, Priority: 1, Tags: map[string]string{"use": "reports"}},
		mongotest.Member{Node: 2, Arbiter: true},
	)
	if err != nil {
		log.Fatal(err)
	}
	reports := &options.ReadPreference{Mode: options.Secondary, TagSets: []options.TagSet{{{Name: "use", Value: "reports"}}}}
	fmt.Println(client.Ping(context.Background(), reports))
	// Output: <nil>
}

// The list of commands shows what the application really sent.
func ExampleDeployment_Commands() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	users := client.Database("shop").Collection("users")
	if _, err := users.UpdateMany(ctx, bson.Doc("age", bson.Doc("$gt", 40)), bson.Doc("$set", bson.Doc("senior", true))); err != nil {
		log.Fatal(err)
	}
	for _, c := range d.Commands() {
		if c.Name == "update" {
			fmt.Println(c.Sequences["updates"][0])
		}
	}
	// Output: {"q":{"age":{"$gt":40}},"u":{"$set":{"senior":true}},"multi":true}
}
