package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// overloadedAnswer is the reply of a server that had no time for a command.
func overloadedAnswer(t *testing.T) mongotest.Answer {
	t.Helper()
	return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 462, "errmsg", "too busy",
		"errorLabels", bson.A{"SystemOverloadedError", "RetryableError"})}
}

// answerWith sets the answers to the next commands of one name.
func (s *scene) answerWith(command string, answers ...mongotest.Answer) {
	for _, answer := range answers {
		s.d.Control(command, func(mongotest.Command) mongotest.Answer { return answer })
	}
}

// A server that is too busy for a commit does not say what became of an earlier one.
func TestOverloadDoesNotHideThatACommitIsUnknown(t *testing.T) {
	drop := mongotest.Answer{Drop: true}
	busy := overloadedAnswer(t)
	for _, tt := range []struct {
		name    string
		answers []mongotest.Answer // to all commits
		commits int                // calls of CommitTransaction
		unknown bool               // after the last one
		code    int                // of the last error; 0 for a network error
	}{
		{"nothing but overload", []mongotest.Answer{busy, busy, busy}, 1, false, 462},
		{"a network error before it", []mongotest.Answer{drop, busy, busy}, 1, true, 462},
		{"a network error in the call before", []mongotest.Answer{drop, drop, busy, busy, busy}, 2, true, 462},
		{"a reply since the network error", []mongotest.Answer{
			drop, {Reply: encodeReply(t, "ok", 0, "code", 251, "errmsg", "no such transaction")}, busy, busy, busy,
		}, 2, false, 462},
		{"a network error after it", []mongotest.Answer{busy, drop, drop}, 1, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				defer client.Close(context.Background())
				c := s.insertThree(client)
				client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
					if err := session.StartTransaction(); err != nil {
						t.Fatal(err)
					}
					if _, err := c.InsertOne(ctx, bson.Doc("_id", 10)); err != nil {
						t.Fatal(err)
					}
					s.answerWith("commitTransaction", tt.answers...)
					var err error
					for range tt.commits {
						err = session.CommitTransaction(ctx)
					}
					if got := mongo.HasErrorLabel(err, "UnknownTransactionCommitResult"); got != tt.unknown {
						t.Errorf("UnknownTransactionCommitResult: %v, want %v, in %v", got, tt.unknown, err)
					}
					if tt.code == 0 != mongo.IsNetworkError(err) || tt.code != 0 && !mongo.HasErrorCode(err, errcode.Code(tt.code)) {
						t.Errorf("got %v, want code %d", err, tt.code)
					}
					return nil
				})
			}, mongotest.ReplicaSet(1))
		})
	}
}

// WithTransaction commits again until it knows the result, and gives an overloaded server time between the commits.
func TestWithTransactionWaitsBeforeACommitAfterAnOverload(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("", &options.Client{MaxAdaptiveRetries: new(0)})
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		c := s.insertThree(client)
		busy := overloadedAnswer(t)
		var began time.Time
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := c.InsertOne(ctx, bson.Doc("_id", 10))
				s.answerWith("commitTransaction", mongotest.Answer{Drop: true}, busy, busy)
				began = time.Now()
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
		// 5ms * 1.5 and 5ms * 1.5 * 1.5 for the two overloads
		if took := time.Since(began); took < 18*time.Millisecond {
			t.Errorf("the commits took %v", took)
		}
	}, mongotest.ReplicaSet(1))
}
