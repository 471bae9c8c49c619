package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestURIOfReachesOnlyThoseNodes(t *testing.T) {
	t.Parallel() // it mostly waits
	for name, opts := range map[string][]mongotest.Option{
		"sharded":                 {mongotest.Sharded(3)},
		"load balanced":           {mongotest.LoadBalanced(3)},
		"load balanced in memory": {mongotest.LoadBalanced(3), mongotest.InMemory()},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, opts...)
			uri, err := d.URIOf(1)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.URIOf(1); again != uri || err != nil {
				t.Errorf("%s, then %s, %v", uri, again, err)
			}
			client, err := mongo.Connect(t.Context(), uri, &options.Client{Dialer: d.Dialer()})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(t.Context())
			for range 5 {
				if _, err := client.Database("db").Collection("c").InsertOne(t.Context(), bson.D{}); err != nil {
					t.Fatal(err)
				}
				d.CloseConnections(1)
			}
			for _, c := range d.Commands() {
				if c.Node != 1 {
					t.Errorf("node %d received %s", c.Node, c.Name)
				}
			}
			if _, err := d.URIOf(); err == nil {
				t.Error("no node is enough")
			}
		})
	}
}
