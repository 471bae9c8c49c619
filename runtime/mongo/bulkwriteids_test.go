package mongo_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A result has the _ids of the documents that were written, as far as the driver knows.
func TestResultHasTheIDsOfWrittenDocumentsOnly(t *testing.T) {
	db := connect(t, mongotest.Start(t)).Database("d")
	taken := []any{bson.Doc("_id", 1), bson.Doc("_id", 1), bson.Doc("_id", 2)}
	models := []mongo.WriteModel{insertOne("_id", 1), insertOne("_id", 1), insertOne("_id", 2)}
	unacknowledged := &options.Collection{WriteConcern: &options.WriteConcern{W: 0}}
	for _, tt := range []struct {
		name    string
		options *options.Collection
		ordered bool
		many    []any
		bulk    map[int]any
		fails   bool
	}{
		{"ordered", nil, true, []any{int32(1)}, map[int]any{0: int32(1)}, true},
		{"unordered", nil, false, []any{int32(1), int32(2)}, map[int]any{0: int32(1), 2: int32(2)}, true},
		{"unacknowledged", unacknowledged, true, []any{int32(1), int32(1), int32(2)}, map[int]any{0: int32(1), 1: int32(1), 2: int32(2)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			many, err := db.Collection(tt.name+"1", tt.options).InsertMany(t.Context(), taken, &options.InsertMany{Ordered: &tt.ordered})
			if (err != nil) != tt.fails || !slices.Equal(many.InsertedIDs, tt.many) {
				t.Errorf("InsertMany: %v, %v", many, err)
			}
			bulk, err := db.Collection(tt.name+"2", tt.options).BulkWrite(t.Context(), models, &options.BulkWrite{Ordered: &tt.ordered})
			if (err != nil) != tt.fails || !maps.Equal(bulk.InsertedIDs, tt.bulk) {
				t.Errorf("BulkWrite: %v, %v", bulk, err)
			}
		})
	}
}

// A bulk write with a model that cannot be encoded is an error, ordered or not.
func TestBulksThatCannotBeWritten(t *testing.T) {
	client := connect(t, mongotest.Start(t))
	bad := []mongo.WriteModel{insertOne("a", 1), insertOne("a", make(chan int))}
	for _, ordered := range []bool{true, false} {
		if _, err := client.Database("d").Collection("c").BulkWrite(t.Context(), bad, &options.BulkWrite{Ordered: &ordered}); err == nil {
			t.Errorf("ordered %v: a channel was written", ordered)
		}
	}
	session, err := connect(t, mongotest.Start(t)).StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	writes := []mongo.ClientBulkWrite{{Database: "d", Collection: "c", Model: &mongo.ClientInsertOneModel{Document: bson.D{}}}}
	if _, err := client.BulkWrite(mongo.NewSessionContext(t.Context(), session), writes); !errors.Is(err, mongo.ErrWrongClient) {
		t.Errorf("in a session of another client: %v", err)
	}
}
