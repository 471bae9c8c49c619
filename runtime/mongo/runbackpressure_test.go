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

// Client Backpressure, prose tests 3 and 4: every operation is retried at most maxAdaptiveRetries times.
func TestOverloadIsRetriedUpToTheLimit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options *options.Client
		tries   int
	}{
		{"by default", nil, 3},
		{"maxAdaptiveRetries=1", &options.Client{MaxAdaptiveRetries: new(1)}, 2},
		{"maxAdaptiveRetries=0", &options.Client{MaxAdaptiveRetries: new(0)}, 1},
		{"retryWrites=false", &options.Client{RetryWrites: new(false)}, 1},
		{"timeoutMS does not lift the limit", &options.Client{Timeout: new(time.Hour)}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, events := s.connectRecorded(tt.options)
				s.fail("alwaysOn", bson.Doc("failCommands", bson.A{"update"}, "errorCode", 462,
					"errorLabels", bson.A{"SystemOverloadedError", "RetryableError"}))
				// UpdateMany is not a retryable write. The driver retries it only after an overload error.
				_, err := client.Database("shop").Collection("things").UpdateMany(t.Context(), bson.D{}, bson.Doc("$set", bson.Doc("x", 1)))
				if !mongo.HasErrorLabel(err, "SystemOverloadedError") || !mongo.HasErrorLabel(err, "RetryableError") {
					t.Errorf("got %v", err)
				}
				if n := len(events.commands("update")); n != tt.tries {
					t.Errorf("%d tries, want %d", n, tt.tries)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

// The driver retries a transaction that it may run again, with another transaction number and the same options.
//
// Convenient API, "Sequence of Actions", step 3.
func TestWithTransactionStartsAgainAfterATransientError(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
		t.Fatal(err)
	}
	fail(t, d, bson.Doc("times", 3), bson.Doc("failCommands", bson.A{"commitTransaction"}, "errorCode", 251))
	called := 0
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			called++
			_, err := c.InsertOne(ctx, bson.Doc("_id", called))
			return err
		}, &options.Transaction{
			ReadConcern: &options.ReadConcern{Level: options.ReadConcernMajority}, WriteConcern: &options.WriteConcern{W: 1},
			MaxCommitTime: new(5 * time.Second),
		})
	})
	if err != nil || called != 4 {
		t.Errorf("%d calls, %v", called, err)
	}
	numbers := map[int64]bool{}
	for _, e := range events.commands("insert") {
		n, _ := e.Command.Lookup("txnNumber").AsInt64OK()
		numbers[n] = true
		if level, _ := e.Command.Lookup("readConcern", "level").StringOK(); level != "majority" {
			t.Errorf("the transaction %d begins with the read concern %q", n, level)
		}
	}
	for _, e := range events.commands("commitTransaction") {
		w, _ := e.Command.Lookup("writeConcern", "w").AsInt64OK()
		if ms, _ := e.Command.Lookup("maxTimeMS").AsInt64OK(); w != 1 || ms != 5000 {
			t.Errorf("the commit is %v", e.Command)
		}
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 || len(numbers) != 4 {
		t.Errorf("%d documents, %v, numbers %v", n, err, numbers)
	}
}

// Transactions, "writeConcern for commitTransaction attempts".
func TestCommitIsRetriedWithMajority(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
		t.Fatal(err)
	}
	fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", bson.A{"commitTransaction"}, "errorCode", 189))
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(ctx, bson.Doc("x", 1)); err != nil {
			return err
		}
		return s.CommitTransaction(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	commits := events.commands("commitTransaction")
	if len(commits) != 2 || !commits[0].Command.Lookup("writeConcern").IsZero() {
		t.Fatalf("commits %v", commits)
	}
	wc, _ := commits[1].Command.Lookup("writeConcern").DocumentOK()
	w, _ := wc.Lookup("w").StringOK()
	if ms, _ := wc.Lookup("wtimeout").AsInt64OK(); w != "majority" || ms != 10000 {
		t.Errorf("write concern %v", wc)
	}
}
