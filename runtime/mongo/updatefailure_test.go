package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A write of many documents that fails in the middle has changed some: the result says what the server says. A write of
// one has changed nothing, and there is no result.
func TestResultBesideAWriteError(t *testing.T) {
	d := mongotest.Start(t, mongotest.Standalone())
	c := connect(t, d).Database("shop").Collection("things")
	all, set := bson.D{}, bson.Doc("$set", bson.Doc("x", 1))
	for _, tt := range []struct {
		name, command string
		call          func() (any, error)
		want          any
	}{
		{"UpdateMany", "update", func() (any, error) { return held(c.UpdateMany(t.Context(), all, set)) },
			mongo.UpdateResult{Acknowledged: true, MatchedCount: 3, ModifiedCount: 2}},
		{"DeleteMany", "delete", func() (any, error) { return held(c.DeleteMany(t.Context(), all)) },
			mongo.DeleteResult{Acknowledged: true, DeletedCount: 3}},
		{"UpdateOne", "update", func() (any, error) { return held(c.UpdateOne(t.Context(), all, set)) }, nil},
		{"ReplaceOne", "update", func() (any, error) { return held(c.ReplaceOne(t.Context(), all, bson.D{})) }, nil},
		{"DeleteOne", "delete", func() (any, error) { return held(c.DeleteOne(t.Context(), all)) }, nil},
	} {
		d.Control(tt.command, func(mongotest.Command) mongotest.Answer {
			return mongotest.Answer{Reply: encodeReply(t, "ok", 1, "n", 3, "nModified", 2,
				"writeErrors", bson.A{bson.Doc("index", 0, "code", 11000, "errmsg", "duplicate")})}
		})
		if got, err := tt.call(); got != tt.want || !mongo.HasErrorCode(err, 11000) {
			t.Errorf("%s: %+v, %v; want %+v and a write error", tt.name, got, err, tt.want)
		}
	}
}

// held is what a result holds; nil for none.
func held[T any](result *T, err error) (any, error) {
	if result == nil {
		return nil, err
	}
	return *result, err
}
