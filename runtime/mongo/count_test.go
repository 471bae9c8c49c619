package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A count applies its filter, its skip and its limit. A limit of 0 means no limit.
func TestCountDocumentsSkipsAndStops(t *testing.T) {
	d := mongotest.Start(t)
	c := connect(t, d).Database("shop").Collection("numbers")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3), bson.Doc("_id", 4)}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		filter bson.D
		o      *options.Count
		want   int64
	}{
		{"all", bson.D{}, nil, 4},
		{"some", bson.Doc("_id", bson.Doc("$gt", 2)), nil, 2},
		{"none", bson.Doc("_id", 9), nil, 0},
		{"skipped", bson.D{}, &options.Count{Skip: new(int64(1))}, 3},
		{"limited", bson.D{}, &options.Count{Limit: new(int64(2))}, 2},
		{"not limited", bson.D{}, &options.Count{Limit: new(int64(0))}, 4},
		{"skipped and limited", bson.D{}, &options.Count{Skip: new(int64(1)), Limit: new(int64(2))}, 2},
		{"skipped before it is limited", bson.D{}, &options.Count{Skip: new(int64(3)), Limit: new(int64(2))}, 1},
		{"all skipped", bson.D{}, &options.Count{Skip: new(int64(4))}, 0},
		{"with a hint", bson.D{}, &options.Count{Hint: bson.Doc("_id", 1)}, 4},
	} {
		if n, err := c.CountDocuments(t.Context(), tt.filter, tt.o); err != nil || n != tt.want {
			t.Errorf("%s: %d, %v, want %d", tt.name, n, err, tt.want)
		}
		if n, err := c.Count(t.Context(), tt.filter, tt.o); err != nil || n != tt.want {
			t.Errorf("%s, by the command count: %d, %v, want %d", tt.name, n, err, tt.want)
		}
	}
	// CRUD, "Count API Details".
	first := d.Commands(mongotest.Named("aggregate"))[0].Body.Lookup("pipeline")
	if got, want := first.String(), `[{"$match":{}},{"$group":{"_id":1,"n":{"$sum":1}}}]`; got != want {
		t.Errorf("the pipeline is %s, want %s", got, want)
	}
	if n, err := c.EstimatedDocumentCount(t.Context()); err != nil || n != 4 {
		t.Errorf("EstimatedDocumentCount = %d, %v", n, err)
	}
	answer(t, d, "count", "ok", 0, "code", 26, "codeName", "NamespaceNotFound", "errmsg", "ns not found")
	if n, err := c.EstimatedDocumentCount(t.Context()); err != nil || n != 0 {
		t.Errorf("EstimatedDocumentCount of a collection that is not there = %d, %v", n, err)
	}
}
