package mongo_test

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// answer makes the deployment answer one command with these fields, and the next ones as usual.
func answer(t *testing.T, d *mongotest.Deployment, command string, fields ...any) {
	t.Helper()
	reply, err := bson.Marshal(bson.Doc(fields...))
	if err != nil {
		t.Fatal(err)
	}
	d.Intercept(mongotest.Named(command), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
}

// A reply without the cursor that the command asks for is an error, after which neither a session nor a connection is
// in use.
func TestAReplyWithoutACursorKeepsNothing(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connectForTest()
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

// CreateOne returns the name that the server gave the search index.
func TestSearchIndexHasTheNameThatTheServerReturns(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		view := s.connectForTest().Database("db").Collection("c").SearchIndexes()
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
func TestNilHandlesSayWhatTheyAre(t *testing.T) {
	var database *mongo.Database
	if got := fmt.Sprint(database); got != "<nil>" {
		t.Errorf("a database that is none is %q", got)
	}
}

// Behind a load balancer, a broken reply returns its connection to the pool, even if it mentions an open cursor.
func TestABrokenReplyOfABulkKeepsNoConnection(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connectForTest()
		answer(t, s.d, "bulkWrite", "ok", 1, "cursor", bson.Doc("id", int64(5), "firstBatch", bson.A{}, "ns", 7))
		_, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{{Database: "db", Collection: "c", Model: &mongo.ClientInsertOneModel{Document: bson.D{}}}})
		if pool := client.Stats().Topology.Servers[0].Pool; err == nil || pool.InUse != 0 || pool.Idle != 1 {
			t.Errorf("%v, %+v", err, pool)
		}
	}, mongotest.LoadBalanced(1), mongotest.Version("8.0"))
}

// A value in a batch that is not a document ends the cursor and its batch.
func TestACursorEndsAtABrokenDocument(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connectForTest()
		c := client.Database("db").Collection("c")
		if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		pooled := client.Stats().Sessions.Pooled
		answer(t, s.d, "find", "ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{bson.D{}, 5, bson.D{}}))
		cursor, err := c.Find(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if next := cursor.Next(t.Context()); next != (n == 0) || (cursor.Err() == nil) != next {
				t.Errorf("document %d: %v, %v", n, next, cursor.Err())
			}
		}
		if left := cursor.RemainingBatchLength(); left != 0 {
			t.Errorf("%d documents are left", left)
		}
		if got := client.Stats().Sessions.Pooled; got != pooled {
			t.Errorf("%d sessions are in the pool, want %d", got, pooled)
		}
	}, mongotest.ReplicaSet(1))
}

// A stream that has failed for good gives its session back before anybody closes it.
func TestAFailedStreamKeepsNoSession(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connectForTest()
		c := client.Database("db").Collection("c")
		stream, err := c.Watch(t.Context(), bson.A{bson.Doc("$project", bson.Doc("_id", 0))})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(t.Context())
		if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		before := client.Stats().Sessions.Pooled
		if stream.Next(t.Context()) || stream.Err() == nil {
			t.Fatalf("an event without _id: %v", stream.Err())
		}
		if got := client.Stats().Sessions.Pooled; got != before+1 {
			t.Errorf("%d sessions are in the pool, %d were", got, before)
		}
	}, mongotest.ReplicaSet(1))
}

// Without an option, a getMore leaves the size of its batch to the server.
func TestRunCursorCommandLeavesTheBatchToTheServer(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	db := client.Database("db")
	if _, err := db.Collection("c").InsertMany(t.Context(), []any{bson.D{}, bson.D{}, bson.D{}}); err != nil {
		t.Fatal(err)
	}
	cursor, err := db.RunCursorCommand(t.Context(), bson.Doc("find", "c", "batchSize", 1))
	if err != nil {
		t.Fatal(err)
	}
	var all []bson.D
	if err := cursor.All(t.Context(), &all); err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, e := range r.commands("getMore") {
		if size := e.Command.Lookup("batchSize"); size.Type != 0 {
			t.Errorf("batchSize %v", size)
		}
	}
}
