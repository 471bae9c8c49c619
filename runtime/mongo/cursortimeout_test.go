package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The timeout of a cursor bounds every method that fetches the next batch.
//
// Client Side Operations Timeout, "Cursors".
func TestATimeoutBoundsTheNextBatch(t *testing.T) {
	for name, next := range map[string]func(c *mongo.Cursor, ctx context.Context) bool{
		"Next": (*mongo.Cursor).Next, "TryNext": (*mongo.Cursor).TryNext,
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				c := s.connectForTest().Database("db").Collection("c")
				if _, err := c.InsertMany(t.Context(), []bson.D{{}, {}}); err != nil {
					t.Fatal(err)
				}
				cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{
					BatchSize: new(int32(1)), Timeout: new(time.Second), TimeoutMode: new(options.Iteration),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer cursor.Close(t.Context())
				if !next(cursor, t.Context()) {
					t.Fatal(cursor.Err())
				}
				if err := s.d.Fail(mongotest.FailPoint{Commands: []string{"getMore"}, Times: 1, Block: time.Minute}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if next(cursor, t.Context()) || !mongo.IsTimeout(cursor.Err()) || time.Since(began) != time.Second {
					t.Errorf("%v after %v", cursor.Err(), time.Since(began))
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
