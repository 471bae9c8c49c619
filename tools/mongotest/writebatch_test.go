package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A deployment with a small limit for batches makes a driver split a write that it would otherwise send at once.
func TestWriteBatch(t *testing.T) {
	d := mongotest.Start(t, mongotest.WriteBatch(2))
	c, err := mongo.Connect(t.Context(), d.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Database("db").Collection("c").InsertMany(t.Context(), []bson.D{{}, {}, {}, {}, {}}); err != nil {
		t.Fatal(err)
	}
	inserts := 0
	for _, command := range d.Commands() {
		if command.Name == "insert" {
			inserts++
		}
	}
	if inserts != 3 {
		t.Errorf("five documents were sent in %d messages", inserts)
	}
}
