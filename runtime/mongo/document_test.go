package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// byItself has no exported field, but encodes itself.
type byItself struct{ hidden int }

func (b byItself) MarshalBSON() ([]byte, error) { return bson.Marshal(bson.Doc("n", b.hidden)) }

// within has no fields of its own, only those of an embedded struct.
type within struct{ part }

type part struct{ N int }

// A struct is a document if it encodes itself or if an embedded struct has a field. It is refused if nothing of it
// would be stored.
func TestWhichStructsAreDocuments(t *testing.T) {
	c := connect(t, mongotest.Start(t)).Database("shop").Collection("parts")
	for name, tt := range map[string]struct {
		v     any
		fails bool
	}{
		"one that encodes itself":       {byItself{hidden: 1}, false},
		"a pointer to it":               {&byItself{hidden: 1}, false},
		"one with a part":               {within{part{1}}, false},
		"a pointer to one with a part":  {&within{part{1}}, false},
		"one without a field":           {struct{}{}, false},
		"one without an exported field": {struct{ n int }{1}, true},
		"a pointer to one without":      {&struct{ n int }{1}, true},
		"one with a field left out": {struct {
			N int `bson:",omitempty"`
		}{}, false},
	} {
		if err := c.FindOne(t.Context(), tt.v).Err(); (err != nil && err.Error() != "mongo: no documents in result") != tt.fails {
			t.Errorf("%s as a filter: %v", name, err)
		}
		if _, err := c.InsertOne(t.Context(), tt.v); (err != nil) != tt.fails {
			t.Errorf("%s as a document: %v", name, err)
		}
	}
}

// The result distinguishes an upserted document whose _id is null from no upsert.
func TestUpsertedNullIDDiffersFromNoUpsert(t *testing.T) {
	c := connect(t, mongotest.Start(t)).Database("shop").Collection("parts")
	for _, id := range []any{bson.Null{}, int32(1), "a"} {
		result, err := c.UpdateOne(t.Context(), bson.Doc("_id", id), someUpdate, &options.UpdateOne{Upsert: new(true)})
		if err != nil || result.UpsertedID != id || result.UpsertedCount != 1 {
			t.Errorf("%v: %+v, %v", id, result, err)
		}
	}
	result, err := c.UpdateOne(t.Context(), bson.Doc("_id", 1), someUpdate, &options.UpdateOne{Upsert: new(true)})
	if err != nil || result.UpsertedID != nil || result.UpsertedCount != 0 {
		t.Errorf("no upsert: %+v, %v", result, err)
	}
}
