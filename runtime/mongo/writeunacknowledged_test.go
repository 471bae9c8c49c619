package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestUnacknowledgedFindAndModifyHasNoDocument says what remains of a reply that the server does not send.
func TestUnacknowledgedFindAndModifyHasNoDocument(t *testing.T) {
	c := connect(t, mongotest.Start(t)).Database("shop").Collection("users", &options.Collection{WriteConcern: mongo.W(0)})
	if err := c.FindOneAndDelete(t.Context(), bson.Doc("x", 1)).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("got %v, want ErrNoDocuments", err)
	}
}
