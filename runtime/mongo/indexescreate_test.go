package mongo_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Index Management, "Standard API": CreateIndex takes the options of CreateIndexes, and sends the same command.
func TestOneIndexHasTheOptionsOfMany(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	c := client.Database("shop").Collection("users")
	o := &options.CreateIndexes{CommitQuorum: "majority", MaxTime: new(time.Minute)}
	for _, create := range []func(mongo.IndexModel) error{
		func(m mongo.IndexModel) error { _, err := c.CreateIndex(t.Context(), m, o); return err },
		func(m mongo.IndexModel) error { _, err := c.Indexes().CreateOne(t.Context(), m, o); return err },
		func(m mongo.IndexModel) error {
			_, err := c.Indexes().CreateMany(t.Context(), []mongo.IndexModel{m}, o)
			return err
		},
	} {
		if err := create(mongo.IndexModel{Keys: bson.Doc("a", 1)}); err != nil {
			t.Fatal(err)
		}
	}
	sent := r.commands("createIndexes")
	if len(sent) != 3 {
		t.Fatalf("%d commands", len(sent))
	}
	for i, e := range sent {
		quorum, _ := e.Command.Lookup("commitQuorum").StringOK()
		ms, _ := e.Command.Lookup("maxTimeMS").AsInt64OK()
		if name, _ := e.Command.Lookup("indexes", "0", "name").StringOK(); quorum != "majority" || ms != 60000 || name != "a_1" {
			t.Errorf("command %d: %v", i, e.Command)
		}
	}
}
