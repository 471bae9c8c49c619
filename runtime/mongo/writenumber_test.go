package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Retryable Writes, "Generating Transaction IDs": each write has a larger number than those before it in its server session,
// also when another client session has that server session now.
func TestEachWriteHasALargerNumberThanTheLast(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connect(t, d).Database("shop").Collection("things")
	for range 4 {
		if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil { // with an implicit session each, of one server session
			t.Fatal(err)
		}
	}
	last := map[string]int64{}
	sent := commandsNamed(d, "insert")
	for _, command := range sent {
		_, id, _ := command.Body.Lookup("lsid", "id").BinaryOK()
		number, ok := command.Body.Lookup("txnNumber").Int64OK()
		if !ok || number <= last[string(id)] {
			t.Errorf("the number %d follows %d", number, last[string(id)])
		}
		last[string(id)] = number
	}
	if len(sent) != 4 || len(last) != 1 {
		t.Errorf("%d writes in %d sessions", len(sent), len(last))
	}
}
