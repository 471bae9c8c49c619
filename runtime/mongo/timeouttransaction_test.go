package mongo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Client Side Operations Timeout, "Validation and Overrides": a timeout of one operation inside withTransaction is an
// error, also if the operation ends the transaction.
func TestWithTransactionRefusesTheTimeoutOfItsEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		client  options.Client
		session options.Session
		txn     options.Transaction
		end     time.Duration
		refused bool
	}{
		{name: "timeout of withTransaction", txn: options.Transaction{Timeout: new(time.Minute)}, end: time.Second, refused: true},
		{name: "timeout of the session", session: options.Session{DefaultTimeout: new(time.Minute)}, end: time.Second, refused: true},
		{name: "timeout of the client", client: options.Client{Timeout: new(time.Minute)}, end: time.Second, refused: true},
		{name: "no timeout", end: time.Second},
		{name: "negative", end: -1, refused: true},
	} {
		for name, end := range map[string]func(*mongo.Session, context.Context, ...*options.EndTransaction) error{
			"commit": (*mongo.Session).CommitTransaction, "abort": (*mongo.Session).AbortTransaction,
		} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					client := s.connect("", &tt.client)
					defer client.Close(context.Background())
					c := s.insertThree(client)
					session, err := client.StartSession(&tt.session)
					if err != nil {
						t.Fatal(err)
					}
					defer session.EndSession(t.Context())
					err = session.WithTransaction(t.Context(), func(ctx context.Context) error {
						if _, err := c.InsertOne(ctx, bson.Doc("_id", 10)); err != nil {
							return err
						}
						if err := end(session, ctx, &options.EndTransaction{Timeout: new(tt.end)}); (err != nil) != tt.refused {
							t.Errorf("got %v", err)
						}
						if running := session.TransactionRunning(); running != tt.refused {
							t.Errorf("the transaction is running: %v", running)
						}
						return nil
					}, &tt.txn)
					if err != nil {
						t.Error(err)
					}
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}

// A session that ends inside withTransaction aborts its transaction, whatever timeout is in force.
func TestSessionMayEndInsideWithTransaction(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("timeoutMS=60000", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		c := s.insertThree(client)
		client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := c.InsertOne(ctx, bson.Doc("_id", 10))
				session.EndSession(ctx)
				return err
			})
		})
		if n := len(events.commands("abortTransaction")); n != 1 {
			t.Errorf("%d commands abort the transaction", n)
		}
	}, mongotest.ReplicaSet(1))
}

// The timeout of withTransaction is the timeoutMS that timeoutMode needs.
func TestTimeoutModeNeedsNoTimeoutInsideWithTransaction(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		c := s.insertThree(client)
		o := &options.Find{TimeoutMode: new(options.Iteration), BatchSize: new(int32(2))}
		if _, err := c.Find(t.Context(), bson.D{}, o); err == nil || !strings.Contains(err.Error(), "needs a Timeout") {
			t.Errorf("outside: %v", err)
		}
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				cursor, err := c.Find(ctx, bson.D{}, o)
				if err != nil {
					return err
				}
				var all []bson.D
				return cursor.All(ctx, &all)
			}, &options.Transaction{Timeout: new(time.Minute)})
		})
		if err != nil {
			t.Error(err)
		}
		sent := slices.Concat(events.commands("find"), events.commands("getMore"))
		if len(sent) != 2 {
			t.Errorf("%d commands", len(sent))
		}
		for _, e := range sent {
			if !e.Command.Lookup("maxTimeMS").IsZero() {
				t.Errorf("%s has a maxTimeMS, which would bound later batches", e.CommandName)
			}
		}
	}, mongotest.ReplicaSet(1))
}

// Client Side Operations Timeout, "Convenient Transactions API": the timeout of withTransaction bounds the operations
// of its function. Operations of the same session that follow have their own time, and may name it.
func TestTimeoutOfWithTransactionEndsWithIt(t *testing.T) {
	failed := errors.New("the function failed")
	for name, want := range map[string]error{"committed": nil, "failed": failed} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				defer client.Close(context.Background())
				c := s.insertThree(client)
				client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
					err := session.WithTransaction(ctx, func(ctx context.Context) error {
						if _, err := c.InsertOne(ctx, bson.Doc("_id", 10)); err != nil {
							return err
						}
						return want
					}, &options.Transaction{Timeout: new(time.Minute)})
					if !errors.Is(err, want) {
						t.Errorf("withTransaction: %v", err)
					}
					if err := c.FindOne(ctx, bson.D{}, &options.FindOne{Timeout: new(time.Minute)}).Err(); err != nil {
						t.Errorf("with a timeout of its own: %v", err)
					}
					time.Sleep(2 * time.Minute)
					if _, err := c.InsertOne(ctx, bson.Doc("_id", 11)); err != nil {
						t.Errorf("after the timeout of withTransaction: %v", err)
					}
					return nil
				})
			}, mongotest.ReplicaSet(1))
		})
	}
}

// An operation of several messages is refused before the first of them, with nothing written.
func TestWithTransactionRefusesTheTimeoutOfAClientBulkWrite(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				writes := []mongo.ClientBulkWrite{inDBColl(insertOne("_id", 1))}
				result, err := client.BulkWrite(ctx, writes, &options.ClientBulkWrite{Timeout: new(time.Second)})
				if err == nil || !strings.Contains(err.Error(), "imeout") || result != nil {
					t.Errorf("%+v, %v", result, err)
				}
				return nil
			}, &options.Transaction{Timeout: new(time.Minute)})
		})
		if n := len(r.commands("bulkWrite")); n != 0 {
			t.Errorf("%d commands", n)
		}
	}, mongotest.ReplicaSet(1))
}

// The abort after a callback that has used up the time of withTransaction has that time once more, whoever set it.
//
// Client Side Operations Timeout, "Convenient Transactions API".
func TestTheAbortOfWithTransactionHasItsOwnTime(t *testing.T) {
	for name, tt := range map[string]struct {
		session *options.Session
		call    *options.Transaction
	}{
		"of the session": {&options.Session{DefaultTimeout: new(500 * time.Millisecond)}, nil},
		"of the call":    {nil, &options.Transaction{Timeout: new(500 * time.Millisecond)}},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, events := s.connectRecorded()
				boom := errors.New("boom")
				err := client.UseSessionWithOptions(t.Context(), tt.session, func(ctx context.Context, session *mongo.Session) error {
					return session.WithTransaction(ctx, func(ctx context.Context) error {
						if err := insertEmpty(ctx, client.Database("test").Collection("test")); err != nil {
							t.Error(err)
						}
						time.Sleep(time.Second)
						return boom
					}, tt.call)
				})
				if !errors.Is(err, boom) {
					t.Error(err)
				}
				client.Close(t.Context()) // waits for an abort that goes on behind its call
				sent := events.commands("abortTransaction")
				if len(sent) != 1 {
					t.Fatalf("%d aborts", len(sent))
				}
				if ms, _ := sent[0].Command.Lookup("maxTimeMS").AsInt64OK(); ms != 500 {
					t.Errorf("the abort is %v, want maxTimeMS 500", sent[0].Command)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
