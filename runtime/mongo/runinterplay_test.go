package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Tests of rules from two specifications that meet in one operation.

// insertThree inserts three documents and returns their collection.
func (s *scene) insertThree(client *mongo.Client) *mongo.Collection {
	s.t.Helper()
	c := client.Database("test").Collection("test")
	if _, err := c.InsertMany(s.t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// Closing a cursor of the session neither begins the transaction nor gives it the cursor's connection.
func TestTransactionBeginsAfterAnOlderCursor(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{
		"replica set": mongotest.ReplicaSet(1), "sharded": mongotest.Sharded(2), "load balanced": mongotest.LoadBalanced(2),
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				defer client.Close(context.Background())
				c := s.insertThree(client)
				err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
					cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
					if err != nil {
						return err
					}
					if err := session.StartTransaction(); err != nil {
						return err
					}
					cursor.Close(ctx)
					for id := range 3 {
						if _, err := c.InsertOne(ctx, bson.Doc("_id", 10+id)); err != nil {
							return err
						}
					}
					return session.CommitTransaction(ctx)
				})
				if n, counting := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 6 || counting != nil {
					t.Errorf("%v; then %d documents, %v", err, n, counting)
				}
			}, shape)
		})
	}
}

// A commit that finds no server within serverSelectionTimeoutMS is tried again while timeoutMS leaves time.
func TestWithTransactionCommitsAgainWithinItsTimeout(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("timeoutMS=60000&serverSelectionTimeoutMS=1000")
		defer client.Close(context.Background())
		c := s.insertThree(client)
		calls := 0
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				calls++
				_, err := c.InsertOne(ctx, bson.Doc("_id", 10))
				if calls == 1 {
					s.d.Kill(0)
					time.AfterFunc(5*time.Second, func() { s.d.Restart(0) })
				}
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
	}, mongotest.ReplicaSet(1))
}

// The timeout of WithTransaction takes the place of the client's for the batches of a cursor.
func TestTimeoutOfTheSessionReachesGetMore(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("timeoutMS=500")
		defer client.Close(context.Background())
		c := s.insertThree(client)
		o := &options.Transaction{Timeout: new(time.Minute)}
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					return err
				}
				n := 0
				for ; cursor.Next(ctx); n++ {
					time.Sleep(time.Second)
				}
				if n != 3 {
					t.Errorf("%d documents", n)
				}
				return cursor.Err()
			}, o)
		})
		if err != nil {
			t.Error(err)
		}
	}, mongotest.ReplicaSet(1))
}

// Under timeoutMS a write concern error that may be retried is retried whenever it comes.
func TestRetryableWriteConcernErrorOfARetry(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		monitor := events.monitor()
		failed := monitor.Failed
		monitor.Failed = func(ctx context.Context, e *event.CommandFailed) {
			failed(ctx, e)
			s.fail(once, bson.Doc("failCommands", bson.A{"insert"}, "writeConcernError",
				bson.Doc("code", 91, "errmsg", "no", "errorLabels", bson.A{"RetryableWriteError"})))
		}
		client := s.connectForTest(&options.Client{CommandMonitor: monitor, Timeout: new(time.Minute)})
		c := client.Database("test").Collection("test")
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		s.fail(once, bson.Doc("failCommands", bson.A{"insert"}, "closeConnection", true))
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
			t.Error(err)
		}
		if n := len(events.commands("insert")); n != 3 {
			t.Errorf("%d tries, want 3", n)
		}
	}, mongotest.ReplicaSet(1))
}

// A write to a standalone server whose connection could not be made for an overload is tried again: nothing was sent.
func TestOverloadedHandshakeOfAStandalone(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		broken := 0
		client := s.connect("heartbeatFrequencyMS=100000&serverMonitoringMode=poll&appName=test", &options.Client{PoolMonitor: &event.PoolMonitor{
			ConnectionClosed: func(*event.ConnectionClosed) { broken++ },
		}})
		defer client.Close(context.Background())
		time.Sleep(time.Second) // the monitor knows the server, and there is no other connection
		// The scene's own client must not run into it: its monitor is at work at the same moment.
		s.fail(once, bson.Doc("failCommands", bson.A{"hello", "isMaster", "ismaster"}, "closeConnection", true,
			"appName", "test"))
		if _, err := client.Database("test").Collection("test").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
			t.Error(err)
		}
		if broken != 1 {
			t.Errorf("%d connections broke, want 1", broken)
		}
	})
}
