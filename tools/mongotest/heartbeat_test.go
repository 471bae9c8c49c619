package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A fail point that makes a node unknown does not cost a client ten seconds.
func TestUnknownNodesAreSoonKnown(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{
		"standalone": mongotest.Standalone(), "replica set": mongotest.ReplicaSet(1), "cluster": mongotest.Sharded(1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, shape)
			client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{RetryReads: new(false)})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(t.Context())
			if err := client.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if err := d.Fail(mongotest.FailPoint{Commands: []string{"find"}, Times: 1, Code: int(errcode.ShutdownInProgress)}); err != nil {
				t.Fatal(err)
			}
			c := client.Database("db").Collection("c")
			if err := c.FindOne(t.Context(), bson.D{}).Err(); err == nil {
				t.Fatal("the fail point does nothing")
			}
			began := time.Now()
			if err := client.Ping(t.Context(), nil); err != nil || time.Since(began) > 5*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	}
}
