package mongotest_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// runInBubble runs a deployment in memory and a client of it in a synctest bubble.
func runInBubble(t *testing.T, test func(*testing.T, *mongotest.Deployment, *mongo.Client), opts ...mongotest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, append(opts, mongotest.InMemory())...)
		client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer()})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		test(t, d, client)
	})
}

func TestInMemoryShapes(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{
		"standalone": mongotest.Standalone(), "replica set": mongotest.ReplicaSet(3), "sharded": mongotest.Sharded(2),
		"load balanced": mongotest.LoadBalanced(2),
	} {
		t.Run(name, func(t *testing.T) {
			runInBubble(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
				c := client.Database("db").Collection("c")
				if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
					t.Fatal(err)
				}
				if n, err := c.CountDocuments(t.Context(), bson.D{}); n != 1 || err != nil {
					t.Errorf("got %d, %v", n, err)
				}
			}, shape)
		})
	}
}

// TestCompressorsInTwoBubbles uses all compressors in two bubbles, because objects of one bubble must not reach the next.
func TestCompressorsInTwoBubbles(t *testing.T) {
	for range 2 {
		for _, compressor := range []string{"snappy", "zlib", "zstd"} {
			synctest.Test(t, func(t *testing.T) {
				d := mongotest.Start(t, mongotest.InMemory())
				client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer(), Compressors: []string{compressor}})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close(context.Background())
				if _, err := client.Database("db").Collection("c").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
					t.Errorf("%s: %v", compressor, err)
				}
			})
		}
	}
}

// TestElectionInVirtualTime runs an election that takes an hour of the bubble's clock.
func TestElectionInVirtualTime(t *testing.T) {
	began := time.Now()
	runInBubble(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client) {
		ctx, c, began := t.Context(), client.Database("db").Collection("c"), time.Now()
		if _, err := c.InsertOne(ctx, bson.Doc("_id", 0)); err != nil {
			t.Fatal(err)
		}
		killed := d.Primary()
		d.Kill(killed)
		selection, cancel := context.WithTimeout(ctx, 2*time.Hour)
		defer cancel()
		for time.Since(began) < time.Hour {
			if _, err := c.InsertOne(selection, bson.Doc("a", 1)); err == nil {
				break
			}
		}
		if passed := time.Since(began); passed < time.Hour || passed > 61*time.Minute {
			t.Errorf("the write succeeded after %v", passed)
		}
		if d.Primary() == killed {
			t.Errorf("node %d is still the primary", killed)
		}
	}, mongotest.ReplicaSet(3), mongotest.ElectionDelay(time.Hour))
	if passed := time.Since(began); passed > time.Minute {
		t.Errorf("the test took %v", passed)
	}
}

// TestAcknowledgementInVirtualTime checks that a write waits until a member has caught up.
func TestAcknowledgementInVirtualTime(t *testing.T) {
	runInBubble(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client) {
		c, began := client.Database("db").Collection("c"), time.Now()
		d.Lag(1, 1000)
		d.Lag(2, 1000)
		time.AfterFunc(time.Minute, func() { d.Lag(1, 0) })
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
			t.Fatal(err)
		}
		if passed := time.Since(began); passed < time.Minute || passed > time.Minute+time.Second {
			t.Errorf("the write was acknowledged after %v", passed)
		}
	}, mongotest.ReplicaSet(3))
}

func TestInMemoryKnowsNoOtherAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, mongotest.InMemory())
		if _, err := d.Dialer().DialContext(t.Context(), "tcp", "127.0.0.1:27017"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v", err)
		}
	})
}
