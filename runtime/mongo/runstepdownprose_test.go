package mongo_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Connections Survive Primary Step Down, in virtual time.

// prepareStepDown prepares a test: a client that does not retry writes, an empty collection, and a counter of
// PoolCleared events.
func (s *scene) prepareStepDown() (client *mongo.Client, c *mongo.Collection, cleared *atomic.Int32) {
	s.t.Helper()
	cleared = new(atomic.Int32)
	client = s.connect("retryWrites=false", &options.Client{
		PoolMonitor: &event.PoolMonitor{PoolCleared: func(*event.PoolCleared) { cleared.Add(1) }},
	})
	db := client.Database("step-down", &options.Database{WriteConcern: mongo.Majority()})
	c = db.Collection("step-down")
	if err := c.Drop(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if err := db.CreateCollection(s.t.Context(), "step-down"); err != nil {
		s.t.Fatal(err)
	}
	return client, c, cleared
}

func TestStepDownProseGetMoreIteration(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		ctx := t.Context()
		client, c, cleared := s.prepareStepDown()
		defer client.Close(context.Background())
		var five []bson.D
		for i := range 5 {
			five = append(five, bson.Doc("_id", i))
		}
		if _, err := c.InsertMany(ctx, five); err != nil {
			t.Fatal(err)
		}
		cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(2))})
		if err != nil {
			t.Fatal(err)
		}
		defer cursor.Close(context.Background())
		for range 2 {
			if !cursor.Next(ctx) {
				t.Fatal(cursor.Err())
			}
		}
		admin := client.Database("admin")
		freeze := admin.RunCommand(ctx, bson.Doc("replSetFreeze", 0), &options.RunCommand{ReadPreference: mongo.Secondary()})
		if err := freeze.Err(); err != nil {
			t.Error(err)
		}
		if err := admin.RunCommand(ctx, bson.Doc("replSetStepDown", 30, "force", true)).Err(); err != nil {
			t.Error(err)
		}
		if !cursor.Next(ctx) || cursor.RemainingBatchLength() != 1 {
			t.Errorf("the next batch: %v, %d documents are left", cursor.Err(), cursor.RemainingBatchLength())
		}
		synctest.Wait()
		if n := cleared.Load(); n != 0 {
			t.Errorf("the pool was cleared %d times", n)
		}
	}, mongotest.ReplicaSet(3))
}

func TestStepDownProseStateChangeErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		code    int
		cleared int32
	}{
		{"not primary keeps the pool", 10107, 0},
		{"shutdown in progress resets it", 91, 1},
		{"interrupted at shutdown resets it", 11600, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, c, cleared := s.prepareStepDown()
				defer client.Close(context.Background())
				s.fail(once, failCommandData("insert", "errorCode", tt.code))
				_, err := c.InsertOne(t.Context(), bson.Doc("test", 1))
				if len(mongo.ErrorCodes(err)) != 1 || int(mongo.ErrorCodes(err)[0]) != tt.code {
					t.Errorf("got %v", err)
				}
				if n := cleared.Load(); n != tt.cleared {
					t.Errorf("the pool was cleared %d times, want %d", n, tt.cleared)
				}
				if _, err := c.InsertOne(t.Context(), bson.Doc("test", 1)); err != nil {
					t.Error(err)
				}
				if n := cleared.Load(); n != tt.cleared {
					t.Errorf("after an insert the pool was cleared %d times, want %d", n, tt.cleared)
				}
			}, mongotest.ReplicaSet(3))
		})
	}
}
