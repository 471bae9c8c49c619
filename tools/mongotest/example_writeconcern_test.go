package mongotest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A named write concern waits for members in two data centers.
func ExampleWriteConcernMode() {
	d, client, end := startConnected(mongotest.ReplicaSet(3), mongotest.WriteConcernMode("both", map[string]int{"dc": 2}))
	defer end()
	err := d.Reconfigure(
		mongotest.Member{Node: 0, Priority: 1, Tags: map[string]string{"dc": "ny"}},
		mongotest.Member{Node: 1, Priority: 1, Tags: map[string]string{"dc": "ny"}},
		mongotest.Member{Node: 2, Priority: 1, Tags: map[string]string{"dc": "sf"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	users := client.Database("shop").Collection("users", &options.Collection{WriteConcern: &options.WriteConcern{W: "both"}})
	_, err = users.InsertOne(context.Background(), bson.Doc("name", "Ada"))
	fmt.Println(err)
	// Output: <nil>
}
