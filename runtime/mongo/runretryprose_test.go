package mongo_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Retryable Reads and Retryable Writes, in virtual time.

// retried is an operation of the prose tests.
type retried struct {
	command string
	labels  bson.A // the labels that a server attaches to a retryable error
	run     func(ctx context.Context, c *mongo.Collection) error
}

var (
	retriedRead = retried{"find", nil, func(ctx context.Context, c *mongo.Collection) error {
		return ignoreNoDocuments(c.FindOne(ctx, bson.D{}).Err())
	}}
	retriedWrite = retried{"insert", bson.A{"RetryableWriteError"}, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertOne(ctx, bson.Doc("x", 1))
		return err
	}}
)

// failCommandData is the data of failCommand for the operation.
func (r retried) failCommandData(rest ...any) bson.D {
	data := failCommandData(r.command, rest...)
	if len(r.labels) > 0 {
		data = append(data, bson.E{Key: "errorLabels", Value: r.labels})
	}
	return data
}

func TestRetryableReadsProse1PoolCleared(t *testing.T) {
	testRetryAfterPoolCleared(t, retriedRead)
}

func TestRetryableWritesProse2PoolCleared(t *testing.T) {
	testRetryAfterPoolCleared(t, retriedWrite)
}

func testRetryAfterPoolCleared(t *testing.T, op retried) {
	for _, shape := range []mongotest.Option{mongotest.ReplicaSet(1), mongotest.Sharded(1)} {
		inScene(t, func(t *testing.T, s *scene) {
			var mu sync.Mutex
			var pool []string
			note := func(what string) {
				mu.Lock()
				defer mu.Unlock()
				pool = append(pool, what)
			}
			var events recorder
			client := s.connect("maxPoolSize=1&retryReads=true&retryWrites=true", &options.Client{
				CommandMonitor: events.monitor(),
				PoolMonitor: &event.PoolMonitor{
					ConnectionCheckedOut: func(*event.ConnectionCheckedOut) { note("checked out") },
					PoolCleared:          func(*event.PoolCleared) { note("cleared") },
					ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
						note("failed: " + string(e.Reason))
					},
				},
			})
			defer client.Close(context.Background())
			s.fail(once, op.failCommandData("errorCode", 91, "blockConnection", true, "blockTimeMS", 1000))
			done := make(chan error)
			for range 2 {
				go func() { done <- op.run(t.Context(), client.Database("shop").Collection("things")) }()
			}
			for range 2 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if got := strings.Join(pool, ", "); !strings.HasPrefix(got, "checked out, cleared, failed: connectionError, checked out") {
				t.Errorf("the events of the pool are %s", got)
			}
			if n := len(events.commands(op.command)); n != 3 {
				t.Errorf("%d commands, want 3", n)
			}
		}, shape)
	}
}

func TestRetryableReadsProse2ShardedClusters(t *testing.T) {
	testRetryOfShardedClusters(t, retriedRead)
}
func TestRetryableWritesProse4And5ShardedClusters(t *testing.T) {
	testRetryOfShardedClusters(t, retriedWrite)
}

func testRetryOfShardedClusters(t *testing.T, op retried) {
	t.Run("on another mongos when one is available", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			var events recorder
			client := s.connect("", &options.Client{CommandMonitor: events.monitor()})
			defer client.Close(context.Background())
			time.Sleep(time.Second) // both routers are known
			for range 10 {          // chance alone would not pick the other one each time
				before := len(events.failed)
				fail(t, s.d, once, op.failCommandData("errorCode", 6))
				if err := op.run(t.Context(), client.Database("shop").Collection("things")); err == nil {
					t.Error("it succeeded")
				}
				failed := events.failed[before:]
				if len(failed) != 2 || host(failed[0].ConnectionID) == host(failed[1].ConnectionID) {
					t.Fatalf("the failures are %v", failed)
				}
			}
		}, mongotest.Sharded(2))
	})
	t.Run("on the same mongos when no other is available", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			var events recorder
			client := s.connect("directConnection=false", &options.Client{CommandMonitor: events.monitor()})
			defer client.Close(context.Background())
			data := op.failCommandData("errorCode", 6)
			if op.command == "insert" {
				data = append(data, bson.E{Key: "closeConnection", Value: true})
			}
			fail(t, s.d, once, data)
			if err := op.run(t.Context(), client.Database("shop").Collection("things")); err != nil {
				t.Error(err)
			}
			failed, succeeded := events.failed, events.succeeded
			if len(failed) != 1 || len(succeeded) != 1 || host(failed[0].ConnectionID) != host(succeeded[0].ConnectionID) {
				t.Errorf("failed: %v, succeeded: %v", failed, succeeded)
			}
		}, mongotest.Sharded(1))
	})
}

func TestRetryableReadsProse3ReplicaSets(t *testing.T) {
	overload := bson.A{"RetryableError", "SystemOverloadedError"}
	for _, tt := range []struct {
		name    string
		options *options.Client
		labels  bson.A
		moves   bool
	}{
		{"3.1 an overload, with retargeting", &options.Client{EnableOverloadRetargeting: new(true)}, overload, true},
		{"3.2 another error", nil, bson.A{"RetryableError"}, false},
		{"3.3 an overload, without retargeting", nil, overload, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var events recorder
				client := s.connect("retryReads=true&readPreference=primaryPreferred", tt.options,
					&options.Client{CommandMonitor: events.monitor()})
				defer client.Close(context.Background())
				time.Sleep(time.Second) // every member is known
				fail(t, s.d, once, failCommandData("find", "errorCode", 6, "errorLabels", tt.labels))
				if err := retriedRead.run(t.Context(), client.Database("shop").Collection("things")); err != nil {
					t.Error(err)
				}
				failed, succeeded := events.failed, events.succeeded
				if len(failed) != 1 || len(succeeded) != 1 {
					t.Fatalf("failed: %v, succeeded: %v", failed, succeeded)
				}
				if moved := host(failed[0].ConnectionID) != host(succeeded[0].ConnectionID); moved != tt.moves {
					t.Errorf("the retry went from %s to %s", failed[0].ConnectionID, succeeded[0].ConnectionID)
				}
			}, mongotest.ReplicaSet(3))
		})
	}
}

// failInSuccession makes the commands of an operation fail, the first one in one way and the later ones in another. It
// returns the number of commands sent, the number of pauses, and the error.
func (s *scene) failInSuccession(op retried, first, second bson.D, mode any) (sent, pauses int, err error) {
	var events recorder
	monitor := events.monitor()
	next := sync.OnceFunc(func() { s.fail(mode, second) })
	failed, succeeded := monitor.Failed, monitor.Succeeded
	monitor.Failed = func(ctx context.Context, e *event.CommandFailed) {
		failed(ctx, e)
		next()
	}
	monitor.Succeeded = func(ctx context.Context, e *event.CommandSucceeded) { // a write concern error
		succeeded(ctx, e)
		if e.CommandName == op.command {
			next()
		}
	}
	client := s.connect("", &options.Client{CommandMonitor: monitor})
	defer client.Close(context.Background())
	mongo.SetJitter(client, func() float64 { pauses++; return 0.5 })
	s.fail(once, first)
	err = op.run(s.t.Context(), client.Database("shop").Collection("things"))
	synctest.Wait()
	return len(events.commands(op.command)), pauses, err
}

func TestRetryableReadsProse4And5OverloadThenAnotherError(t *testing.T) {
	testOverloadThenAnotherError(t, retriedRead, bson.A{"RetryableError"})
}

func TestRetryableWritesProse6Case4And5OverloadThenAnotherError(t *testing.T) {
	testOverloadThenAnotherError(t, retriedWrite, bson.A{"RetryableError", "RetryableWriteError"})
}

func testOverloadThenAnotherError(t *testing.T, op retried, labels bson.A) {
	inScene(t, func(t *testing.T, s *scene) {
		sent, pauses, err := s.failInSuccession(op,
			failCommandData(op.command, "errorCode", 91, "errorLabels", bson.A{"RetryableError", "SystemOverloadedError"}),
			failCommandData(op.command, "errorCode", 91, "errorLabels", labels), "alwaysOn")
		if !mongo.HasErrorCode(err, 91) {
			t.Errorf("got %v", err)
		}
		if sent != options.DefaultMaxAdaptiveRetries+1 || pauses != 1 {
			t.Errorf("%d tries and %d pauses, want %d and 1", sent, pauses, options.DefaultMaxAdaptiveRetries+1)
		}
	}, mongotest.ReplicaSet(1))
}

func TestRetryableWritesProse3KeepsTheFirstWriteConcernError(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		sent, _, err := s.failInSuccession(retriedWrite,
			failCommandData("insert", "writeConcernError", bson.Doc("code", 91), "errorLabels", bson.A{"RetryableWriteError"}),
			failCommandData("insert", "errorCode", 10107, "errorLabels", bson.A{"RetryableWriteError", "NoWritesPerformed"}), once)
		if !mongo.HasErrorCode(err, 91) || mongo.HasErrorCode(err, 10107) || sent != 2 {
			t.Errorf("got %v after %d tries", err, sent)
		}
	}, mongotest.ReplicaSet(1))
}

func TestRetryableWritesProse6WhichErrorIsReturned(t *testing.T) {
	overload := bson.A{"RetryableError", "SystemOverloadedError"}
	nothing := bson.A{"RetryableError", "SystemOverloadedError", "NoWritesPerformed"}
	for _, tt := range []struct {
		name          string
		first, second bson.A // labels
		code, want    int    // the code of the second error, and the code that is returned
		without       string
	}{
		{"case 1: only errors without NoWritesPerformed", overload, overload, 10107, 10107, "NoWritesPerformed"},
		{"case 2: only errors with NoWritesPerformed", nothing, nothing, 10107, 91, ""},
		{"case 3: some errors with NoWritesPerformed", overload, nothing, 91, 91, "NoWritesPerformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				_, _, err := s.failInSuccession(retriedWrite, failCommandData("insert", "errorCode", 91, "errorLabels", tt.first),
					failCommandData("insert", "errorCode", tt.code, "errorLabels", tt.second), "alwaysOn")
				e, ok := errors.AsType[mongo.CommandError](err)
				if !ok || int(e.Code) != tt.want || tt.without != "" && mongo.HasErrorLabel(err, tt.without) {
					t.Errorf("got %v with the labels %v, want code %d", err, e.Labels, tt.want)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}
