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
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The pause before another commit grows with the commits of its own transaction, that before another transaction with
// the transactions.
//
// Convenient API, "Sequence of Actions".
func TestPausesOfWithTransaction(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("", &options.Client{MaxAdaptiveRetries: new(0), RetryWrites: new(false)})
		defer client.Close(context.Background())
		mongo.SetJitter(client, func() float64 { return 1 })
		unknown := encodeReply(t, "ok", 0, "code", 462, "errmsg", "told to",
			"errorLabels", bson.A{"SystemOverloadedError", "UnknownTransactionCommitResult"})
		gone := encodeReply(t, "ok", 0, "code", 251, "errmsg", "told to", "errorLabels", bson.A{"TransientTransactionError"})
		done := encodeReply(t, "ok", 1)
		answers := []bson.Raw{unknown, unknown, gone, unknown, unknown, done}
		var times []time.Time
		s.d.Intercept(mongotest.Named("commitTransaction"), len(answers), func(mongotest.Command) mongotest.Answer {
			times = append(times, time.Now())
			return mongotest.Answer{Reply: answers[len(times)-1]}
		})
		things := client.Database("shop").Collection("things")
		err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := things.InsertOne(ctx, bson.D{})
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		var pauses []time.Duration
		for i := range len(times) - 1 {
			pauses = append(pauses, times[i+1].Sub(times[i]).Round(time.Microsecond))
		}
		const once, twice = 7500 * time.Microsecond, 11250 * time.Microsecond
		if want := []time.Duration{once, twice, once, once, twice}; !slices.Equal(pauses, want) {
			t.Errorf("between the commits are %v, want %v", pauses, want)
		}
	}, mongotest.ReplicaSet(1))
}

// A pause that would last beyond the time of withTransaction is not made.
//
// Convenient API, "Sequence of Actions".
func TestWithTransactionEndsInTime(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, func() float64 { return 1 })
		again := mongo.CommandError{Code: 251, Labels: []string{"TransientTransactionError"}}
		began := time.Now()
		err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(context.Context) error { return again })
		})
		const limit, longest = 120 * time.Second, 500 * time.Millisecond
		const words = "mongo: withTransaction: the operation timed out: no time was left for another attempt: server replied: (code 251)"
		if err == nil || !strings.HasPrefix(err.Error(), words) {
			t.Errorf("err = %q, want %q", err, words)
		}
		if took := time.Since(began); !mongo.HasErrorCode(err, 251) || took >= limit || took < limit-longest {
			t.Errorf("%v after %v", err, took)
		}
	}, mongotest.ReplicaSet(1))
}

// A caller who gives up during a pause gets no further attempt.
func TestAPauseOfWithTransactionEndsWithItsContext(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, func() float64 { return 1 })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		attempts := 0
		err := client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(context.Context) error {
				attempts++
				time.AfterFunc(time.Millisecond, cancel)
				return mongo.CommandError{Code: 251, Labels: []string{"TransientTransactionError"}}
			})
		})
		if attempts != 1 || !mongo.HasErrorCode(err, 251) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v after %d attempts", err, attempts)
		}
		if want := " (no other attempt was made: context canceled)"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("err = %q, want %q", err, want)
		}
	}, mongotest.ReplicaSet(1))
}

// The error of an attempt that the end of the context has ended tells of it once.
func TestAnEndThatTheAttemptHasMetIsReportedOnce(t *testing.T) {
	broken := func(err error) error {
		return fault.AddLabels(fault.NetworkError{Address: "a:1", Doing: "reading from", Err: err}, "TransientTransactionError")
	}
	for _, attempt := range []error{broken(context.Canceled), fault.TimeoutError{Operation: "find", Err: broken(context.DeadlineExceeded)}} {
		inScene(t, func(t *testing.T, s *scene) {
			client := s.connect("")
			defer client.Close(context.Background())
			mongo.SetJitter(client, func() float64 { return 1 })
			ctx, cancel := context.WithCancel(t.Context())
			if fault.IsTimeout(attempt) {
				ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
			}
			defer cancel()
			err := client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
				return s.WithTransaction(ctx, func(context.Context) error {
					if !fault.IsTimeout(attempt) {
						time.AfterFunc(time.Millisecond, cancel)
					}
					return attempt
				})
			})
			if err == nil || err.Error() != attempt.Error() {
				t.Errorf("err = %q, want %q", err, attempt)
			}
		}, mongotest.ReplicaSet(1))
	}
}

// Commits that fail at once are spaced from the third failure on. The next transaction begins to count anew.
func TestCommitsOfTheNextTransactionAreNotSpaced(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, func() float64 { return 1 })
		unknown := encodeReply(t, "ok", 0, "code", 1, "errmsg", "told to", "errorLabels", bson.A{"UnknownTransactionCommitResult"})
		gone := encodeReply(t, "ok", 0, "code", 251, "errmsg", "told to", "errorLabels", bson.A{"TransientTransactionError"})
		answers := []bson.Raw{unknown, unknown, unknown, unknown, gone, unknown, unknown, encodeReply(t, "ok", 1)}
		var times []time.Time
		s.d.Intercept(mongotest.Named("commitTransaction"), len(answers), func(mongotest.Command) mongotest.Answer {
			times = append(times, time.Now())
			return mongotest.Answer{Reply: answers[len(times)-1]}
		})
		things := client.Database("shop").Collection("things")
		err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := things.InsertOne(ctx, bson.D{})
				return err
			})
		})
		if err != nil || len(times) != len(answers) {
			t.Fatalf("%v after %d commits", err, len(times))
		}
		for i, spaced := range []bool{false, false, true, true, true, false, false} {
			if pause := times[i+1].Sub(times[i]); (pause > 0) != spaced {
				t.Errorf("%v between the commits %d and %d", pause, i+1, i+2)
			}
		}
	}, mongotest.ReplicaSet(1))
}
