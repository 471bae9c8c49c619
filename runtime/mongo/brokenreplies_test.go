package mongo_test

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// answer has the deployment answer one command so, and then as usual.
func answer(t *testing.T, d *mongotest.Deployment, command string, fields ...any) {
	t.Helper()
	reply, err := bson.Marshal(bson.Doc(fields...))
	if err != nil {
		t.Fatal(err)
	}
	d.Intercept(mongotest.Named(command), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
}

// A reply that opens no cursor where one was asked for is an error, and keeps neither session nor connection.
func TestAReplyWithoutACursorKeepsNothing(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connected()
		c := client.Database("db").Collection("c")
		if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		pooled := client.Stats().Sessions.Pooled
		answer(t, s.d, "find", "ok", 1)
		if cursor, err := c.Find(t.Context(), bson.D{}); err == nil {
			t.Errorf("a reply without a cursor is one: %v", cursor.Close(t.Context()))
		}
		if got := client.Stats().Sessions.Pooled; got != pooled {
			t.Errorf("%d sessions are in the pool, want %d", got, pooled)
		}
		answer(t, s.d, "bulkWrite", "ok", 1, "cursor", "none")
		_, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{{Database: "db", Collection: "c", Model: &mongo.ClientInsertOneModel{Document: bson.D{}}}})
		if err == nil || client.Stats().Sessions.Pooled != pooled {
			t.Errorf("%v, %d sessions are in the pool, want %d", err, client.Stats().Sessions.Pooled, pooled)
		}
	}, mongotest.ReplicaSet(1))
}

// The name of a search index is the one that the server tells.
func TestTheNameOfASearchIndex(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		view := s.connected().Database("db").Collection("c").SearchIndexes()
		answer(t, s.d, "createSearchIndexes", "ok", 1, "indexesCreated", bson.A{bson.Doc("id", "1", "name", "by text")})
		name, err := view.CreateOne(t.Context(), mongo.SearchIndexModel{Definition: bson.Doc("mappings", bson.Doc("dynamic", true))})
		if err != nil || name != "by text" {
			t.Errorf("%q, %v", name, err)
		}
		answer(t, s.d, "createSearchIndexes", "ok", 1, "indexesCreated", bson.A{})
		if name, err := view.CreateOne(t.Context(), mongo.SearchIndexModel{Definition: bson.D{}}); err == nil {
			t.Errorf("no index has the name %q", name)
		}
	})
}

// A handle that is nil says so.
func TestNamesOfHandles(t *testing.T) {
	var database *mongo.Database
	if got := fmt.Sprint(database); got != "<nil>" {
		t.Errorf("a database that is none is %q", got)
	}
}
