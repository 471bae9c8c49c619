package mongo_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestCursorsEndInTime makes a getMore, or the killCursors of Close, take 250 ms of virtual time, with a Timeout of 200
// ms. Client Side Operations Timeout, "Cursor close() methods refresh timeoutMS"; Load Balancers, "Behaviour With
// Cursors".
func TestCursorsEndInTime(t *testing.T) {
	for _, tt := range []struct {
		name    string
		slow    string        // the command
		next    bool          // the second batch is asked for
		limit   time.Duration // the timeout of Close's context; 0 = none
		expired bool          // the context of Close has ended
		took    time.Duration // how long Close takes
	}{
		{name: "Close has the whole timeout anew", slow: "getMore", next: true},
		{name: "Close gives up after the timeout", slow: "killCursors", took: 200 * time.Millisecond},
		{name: "a longer deadline of Close counts", slow: "killCursors", limit: 400 * time.Millisecond, took: 250 * time.Millisecond},
		{name: "a shorter deadline of Close counts", slow: "killCursors", limit: 100 * time.Millisecond, took: 100 * time.Millisecond},
		{name: "a context that has ended does not, and Close does not wait", slow: "killCursors", expired: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := mongotest.Start(t, mongotest.InMemory(), mongotest.ReplicaSet(1))
				client, events := connectRecorded(t, d, &options.Client{Dialer: d.Dialer()})
				c := client.Database("shop").Collection("things")
				if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
					t.Fatal(err)
				}
				fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", bson.A{tt.slow}, "blockConnection", true, "blockTimeMS", 250))
				cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1)), Timeout: new(200 * time.Millisecond)})
				if err != nil || !cursor.Next(t.Context()) {
					t.Fatal(err, cursor.Err())
				}
				if tt.next && (cursor.Next(t.Context()) || !mongo.IsTimeout(cursor.Err())) {
					t.Fatalf("the second Next: %v", cursor.Err())
				}
				if n := len(events.commands("killCursors")); n != 0 {
					t.Errorf("%d killCursors before Close", n)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				if tt.expired {
					cancel()
				}
				began := time.Now()
				cursor.Close(ctx)
				if took := time.Since(began); took != tt.took {
					t.Errorf("Close took %v, want %v", took, tt.took)
				}
				synctest.Wait()
				if n := len(events.commands("killCursors")); n != 1 {
					t.Errorf("%d killCursors after Close", n)
				}
				if tt.expired {
					client.Close(t.Context()) // the command goes on in the background
				}
			})
		})
	}
}
