package mongotest_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A client finds each kind of deployment by a name in its fake DNS.
func TestResolverNamesTheDeployment(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []mongotest.Option
	}{
		{"standalone", []mongotest.Option{mongotest.Standalone()}},
		{"replica set with a user", []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Auth("user", "p@ss")}},
		{"sharded", []mongotest.Option{mongotest.Sharded(2)}},
		{"load balanced", []mongotest.Option{mongotest.LoadBalanced(2)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			zone := mongotest.Start(t, test.options...).Resolver("db.example.test")
			client, err := mongo.Connect(t.Context(), zone.URI(), &options.Client{Resolver: zone, Dialer: zone})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Close(context.Background()) })
			if _, err := client.Database("db").Collection("c").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
				t.Error(err)
			}
		})
	}
	zone := mongotest.Start(t, mongotest.Heartbeat(time.Minute)).Resolver("db.example.test")
	if uri := zone.URI(); uri != "mongodb+srv://db.example.test/?tls=false&heartbeatFrequencyMS=60000" {
		t.Error(uri)
	}
	if _, _, err := zone.LookupSRV(t.Context(), "mongodb", "tcp", "other.example.test"); err == nil {
		t.Error("another name has SRV records")
	}
	if _, err := zone.LookupTXT(t.Context(), "other.example.test"); err == nil {
		t.Error("another name has TXT records")
	}
}
