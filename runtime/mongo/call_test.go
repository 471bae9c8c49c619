package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Operations reuse the memory of earlier ones, and must not change their results.
func TestOperationsDoNotShareWhatTheyLeaveBehind(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t)
	r := &recorder{}
	client := connect(t, d, &options.Client{CommandMonitor: r.monitor()})
	c := client.Database("shop").Collection("things")
	first, err := c.InsertOne(t.Context(), bson.Doc("_id", "first", "n", 1))
	if err != nil {
		t.Fatal(err)
	}
	found := c.FindOne(t.Context(), bson.Doc("_id", "first"))
	for range 3 {
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", bson.NewObjectID(), "other", true)); err != nil {
			t.Fatal(err)
		}
		if err := c.FindOne(t.Context(), bson.Doc("other", true)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if first.InsertedID != "first" {
		t.Errorf("the result of the first insert says %v", first.InsertedID)
	}
	raw, err := found.Raw()
	if err != nil {
		t.Fatal(err)
	}
	insert, find := r.commands("insert")[0], r.commands("find")[0]
	for name, value := range map[string]bson.RawValue{
		"the document that was found":   raw.Lookup("_id"),
		"the event of the first insert": insert.Command.Lookup("documents", "0", "_id"),
		"the event of the first find":   find.Command.Lookup("filter", "_id"),
	} {
		if id, _ := value.StringOK(); id != "first" {
			t.Errorf("%s has become one of %q", name, id)
		}
	}
}
