package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Values that no client has made have these texts, word for word.
func TestTextsOfZeroValues(t *testing.T) {
	if n := new(mongo.Session).PinnedConnection(); n != 0 {
		t.Errorf("a session that nobody started is pinned to connection %d", n)
	}
	if text := (mongo.TopologyDescription{}).String(); text != "" {
		t.Errorf("a description of nothing is %q", text)
	}
	var database *mongo.Database
	var collection *mongo.Collection
	if database.Name() != "" || collection.Name() != "" || (&mongo.Session{}).PinnedServer() != "" {
		t.Errorf("names of nothing are %q, %q and %q", database.Name(), collection.Name(), (&mongo.Session{}).PinnedServer())
	}
	var none context.Context
	if ctx := mongo.NewSessionContext(none, nil); ctx != nil {
		t.Errorf("no context becomes %v", ctx)
	}
	if s := mongo.SessionFromContext(none); s != nil {
		t.Errorf("no context has a session %v", s)
	}
	const want = "mongo: the change stream is nil: use what Watch returns, and look at its error first"
	if err := (*mongo.ChangeStream)(nil).Err(); err == nil || err.Error() != want {
		t.Errorf("a stream that is nil says %v", err)
	}
}

func TestTextOfOneDocumentForSeveral(t *testing.T) {
	c := connect(t, mongotest.Start(t)).Database("d").Collection("c")
	const want = "mongo: the documents are a bson.D, which is one document: pass a slice of documents, or use InsertOne"
	if _, err := c.InsertMany(t.Context(), bson.D{}); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
