package mongotest_test

import (
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A linearizable read waits for a majority, and shows nothing that came during the wait: a rollback could still lose it.
func TestALinearizableReadShowsWhatAMajorityHas(t *testing.T) {
	runInBubble(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client) {
		db := client.Database("db")
		c := db.Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
		insert := func(id int) {
			if _, err := c.InsertOne(t.Context(), bson.Doc("_id", id)); err != nil {
				t.Fatal(err)
			}
		}
		insert(0)
		d.Lag(1, 1)
		d.Lag(2, 1)
		insert(1) // the secondaries lack it until the next write
		read := make(chan bson.Raw, 1)
		go func() {
			reply, err := db.RunCommand(t.Context(), bson.Doc("find", "c", "readConcern", bson.Doc("level", "linearizable"))).Raw()
			if err != nil {
				t.Error(err)
			}
			read <- reply
		}()
		synctest.Wait()
		insert(2)
		batch, _ := (<-read).Lookup("cursor", "firstBatch").ArrayOK()
		n := 0
		for range batch.All() {
			n++
		}
		if n != 2 {
			t.Errorf("%d documents, want 2", n)
		}
	}, mongotest.ReplicaSet(3))
}
