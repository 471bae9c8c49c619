package mongo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Transactions and of the Convenient API, in virtual time.

func TestTransactionsProsePinning(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   bool // each find begins a transaction
	}{
		{"1: the next transaction unpins the session", true},
		{"2: an operation outside of a transaction unpins the session", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				ctx := t.Context()
				var events recorder
				client := s.connect("localThresholdMS=1000", &options.Client{CommandMonitor: events.monitor()})
				defer client.Close(context.Background())
				time.Sleep(time.Second) // both routers are known
				c := client.Database("test").Collection("test")
				if _, err := c.InsertOne(ctx, bson.D{}); err != nil {
					t.Fatal(err)
				}
				session, err := client.StartSession()
				if err != nil {
					t.Fatal(err)
				}
				defer session.EndSession(context.Background())
				ctx = mongo.NewSessionContext(ctx, session)
				insert := func(ctx context.Context) error { _, err := c.InsertOne(ctx, bson.D{}); return err }
				if err := session.WithTransaction(ctx, insert); err != nil {
					t.Fatal(err)
				}
				find := func(ctx context.Context) error { return c.FindOne(ctx, bson.D{}).Err() }
				for range 50 {
					var err error
					if tt.in {
						err = session.WithTransaction(ctx, find)
					} else {
						err = find(ctx)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				addresses := map[string]bool{}
				for _, e := range events.commands("find") {
					addresses[host(e.ConnectionID)] = true
				}
				if len(addresses) < 2 {
					t.Errorf("every find went to %v", addresses)
				}
			}, mongotest.Sharded(2))
		})
	}
}

// A command of a transaction that is retried after an overload goes to the router of the transaction again: no other
// router knows the transaction. Only its first command may go to another one. Transactions, "Mongos Pinning".
func TestRetriesInATransactionKeepTheRouter(t *testing.T) {
	overloaded := bson.Doc("failCommands", bson.A{"update"}, "errorCode", 462,
		"errorLabels", bson.A{"SystemOverloadedError", "RetryableError", "TransientTransactionError"})
	for _, tt := range []struct {
		name    string
		first   bool // the update is the first command
		routers int
	}{
		{"a later command", false, 1},
		{"the first command", true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var events recorder
				client := s.connect("localThresholdMS=1000", &options.Client{CommandMonitor: events.monitor()})
				defer client.Close(context.Background())
				time.Sleep(time.Second) // both routers are known
				c := client.Database("test").Collection("test")
				if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
					t.Fatal(err)
				}
				fail(t, s.d, bson.Doc("times", 1), overloaded)
				err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
					return session.WithTransaction(ctx, func(ctx context.Context) error {
						if !tt.first {
							if err := c.FindOne(ctx, bson.D{}).Err(); err != nil {
								return err
							}
						}
						_, err := c.UpdateByID(ctx, 1, bson.Doc("$set", bson.Doc("x", 1)))
						return err
					})
				})
				if err != nil {
					t.Fatal(err)
				}
				addresses, numbers := map[string]bool{}, map[string]bool{}
				updates := events.commands("update")
				for _, e := range updates {
					addresses[host(e.ConnectionID)] = true
					numbers[e.Command.Lookup("txnNumber").String()] = true
				}
				if len(addresses) != tt.routers || len(numbers) != 1 {
					t.Errorf("%d updates went to %v in transactions %v", len(updates), addresses, numbers)
				}
			}, mongotest.Sharded(2))
		})
	}
}

func TestTransactionsProseWriteConcernOfTheCollectionIsNotInherited(t *testing.T) {
	for _, shape := range shapes[1:] {
		t.Run(shape.name, func(t *testing.T) {
			d := mongotest.Start(t, shape.option)
			client, _ := connectRecorded(t, d)
			c := client.Database("shop").Collection("things", &options.Collection{WriteConcern: mongo.W(0)})
			if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
				t.Fatal(err)
			}
			session, err := client.StartSession()
			if err != nil {
				t.Fatal(err)
			}
			defer session.EndSession(t.Context())
			ctx := mongo.NewSessionContext(t.Context(), session)
			if err := session.StartTransaction(); err != nil {
				t.Fatal(err)
			}
			result, err := c.InsertOne(ctx, bson.Doc("n", 1))
			if err != nil || !result.Acknowledged {
				t.Errorf("InsertOne = %+v, %v", result, err)
			}
			if err := session.CommitTransaction(ctx); err != nil {
				t.Error(err)
			}
			if err := c.FindOne(t.Context(), bson.Doc("n", 1)).Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// withTransaction runs a callback in a transaction of a new client.
func (s *scene) withTransaction(
	jitter func() float64, callback func(ctx context.Context, c *mongo.Collection) error,
) (took time.Duration, err error) {
	client := s.connect("")
	defer client.Close(context.Background())
	mongo.SetJitter(client, jitter)
	began := time.Now()
	err = client.UseSession(s.t.Context(), func(ctx context.Context, session *mongo.Session) error {
		return session.WithTransaction(ctx, func(ctx context.Context) error {
			return callback(ctx, client.Database("shop").Collection("things"))
		})
	})
	return time.Since(began).Round(time.Millisecond), err
}

func insertEmpty(ctx context.Context, c *mongo.Collection) error {
	_, err := c.InsertOne(ctx, bson.D{})
	return err
}

func TestConvenientAPIProseCustomError(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		custom, called := errors.New("the program's own"), 0
		_, err := s.withTransaction(fullJitter, func(context.Context, *mongo.Collection) error {
			called++
			return custom
		})
		if err != custom || called != 1 {
			t.Errorf("got %v after %d calls", err, called)
		}
	}, mongotest.ReplicaSet(1))
}

func TestConvenientAPIProseReturnsAValue(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		got, err := mongo.WithTransaction(ctx, s, func(ctx context.Context) (string, error) {
			return "a value", insertEmpty(ctx, client.Database("shop").Collection("things"))
		})
		if got != "a value" {
			t.Errorf("got %q", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestConvenientAPIProseRetryTimeout(t *testing.T) {
	const limit = 120 * time.Second
	for _, tt := range []struct {
		name   string
		commit bson.D // how commitTransaction fails; nil = the callback fails
		label  string
	}{
		{"the callback fails with TransientTransactionError", nil, "TransientTransactionError"},
		{"committing fails with UnknownTransactionCommitResult",
			failCommandData("commitTransaction", "errorCode", 8000, "errorLabels", bson.A{"UnknownTransactionCommitResult"}), "UnknownTransactionCommitResult"},
		{"committing fails with TransientTransactionError", failCommandData("commitTransaction", "errorCode", 251), "TransientTransactionError"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				if tt.commit != nil {
					s.fail("alwaysOn", tt.commit)
				}
				called := 0
				took, err := s.withTransaction(fullJitter, func(ctx context.Context, c *mongo.Collection) error {
					called++
					time.Sleep(limit) // the time is up when this attempt ends
					if tt.commit == nil {
						return mongo.CommandError{Message: "the program's own", Labels: []string{tt.label}}
					}
					return insertEmpty(ctx, c)
				})
				e, ok := errors.AsType[mongo.TimeoutError](err)
				if !ok || !errors.Is(err, context.DeadlineExceeded) || called != 1 || took != limit {
					t.Fatalf("got %v after %d calls and %v", err, called, took)
				}
				for _, label := range []string{"TransientTransactionError", "UnknownTransactionCommitResult"} {
					if mongo.HasErrorLabel(err, label) != (label == tt.label) || mongo.HasErrorLabel(e.Err, label) != (label == tt.label) {
						t.Errorf("label %s: %v has it: %v, what is inside: %v", label, err, mongo.HasErrorLabel(err, label), mongo.HasErrorLabel(e.Err, label))
					}
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

func TestConvenientAPIProseRetryBackoff(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var took []time.Duration
		for _, jitter := range []func() float64{noJitter, fullJitter} {
			s.fail(bson.Doc("times", 13), failCommandData("commitTransaction", "errorCode", 251))
			d, err := s.withTransaction(jitter, insertEmpty)
			if err != nil {
				t.Error(err)
			}
			took = append(took, d)
		}
		if !slices.IsSorted(took) || (took[1]-took[0]-2300*time.Millisecond).Abs() > 500*time.Millisecond || took[0] != 0 {
			t.Errorf("13 retries took %v without and %v with backoff", took[0], took[1])
		}
	}, mongotest.ReplicaSet(1))
}
