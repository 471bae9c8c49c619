package exec

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// If a bulk write gets no connection, its retry depends on the items that its message would have held.
func TestForeseenMessages(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cmd   deletes
		tries int64
	}{
		{"all may be repeated", deletes{many: 9, n: 3}, 1}, {"one may not", deletes{many: 1, n: 3}, 0}, {"one of a later message may not", deletes{many: 3, n: 6}, 1},
		{"one cannot be encoded", deletes{many: 3, n: 6, err: errUnmarshalable}, 0},
	} {
		play(t, "member", 1, nil, func(s *scene) {
			s.refuse("a:1")
			_, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: &tt.cmd, Batch: &tt.cmd})
			if err == nil || s.x.Stats().Retries != tt.tries {
				s.Errorf("%s: %d retries, %v", tt.name, s.x.Stats().Retries, err)
			}
			s.wantAsked()
		})
	}
}

// A message has no number if it holds an item that forbids a retry, even if foresee expected that a retry is allowed.
func TestAForeseenMessageTurnsOutOtherwise(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.refuse("a:1")
		time.AfterFunc(time.Millisecond, func() { s.allowItems(6); s.refuse("") })
		cmd := &deletes{many: 3, n: 6}
		out := s.run(&Operation{DB: "db", Command: cmd, Batch: cmd})
		if q := s.wantAsked("delete")[0]; !q.command.Lookup("txnNumber").IsZero() || out.Sent != 6 || s.x.Stats().Retries != 1 {
			s.Errorf("%v: %d sent, %d retries", q.command, out.Sent, s.x.Stats().Retries)
		}
	})
}

// There is no retry if its message would hold more items, because the server now accepts more.
func TestARetryWithMoreItems(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(answer{breaks: true, with: func() { s.allowItems(6) }})
		cmd := &deletes{many: 3, n: 6}
		if _, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: cmd, Batch: cmd}); !fault.IsNetworkError(err) {
			s.Errorf("%v", err)
		}
		if q := s.wantAsked("delete")[0]; q.command.Lookup("txnNumber").IsZero() || q.sequences["deletes"] != 3 {
			s.Errorf("%v with %v", q.command, q.sequences)
		}
	})
}

// slowDeletes is a write whose items take long to encode.
type slowDeletes struct {
	deletes
	takes time.Duration
}

func (d *slowDeletes) AppendItem(dst []byte, i int, env *emitted.Env) ([]byte, error) {
	time.Sleep(d.takes)
	return d.deletes.AppendItem(dst, i, env)
}

// Time for a round trip must be left once the whole message is encoded, not only its command. A message that comes too
// late has not begun its transaction.
func TestAMessageThatTakesLongToWrite(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.helloTakes = 10 * time.Millisecond }, func(s *scene) {
		time.Sleep(5 * time.Minute)
		s.run(find())
		s.takeQuestions()
		for takes, sent := range map[time.Duration]bool{95 * time.Millisecond: false, 50 * time.Millisecond: true} {
			cmd := &slowDeletes{deletes{many: 9, n: 1}, takes}
			op := &Operation{DB: "db", Command: cmd, Batch: cmd, Timeout: new(100 * time.Millisecond), Session: s.startSession(operation.ExplicitSession)}
			if err := op.Session.Start(session.Transaction{}); err != nil {
				s.Fatal(err)
			}
			_, err := s.x.Run(s.Context(), op)
			if got := len(s.takeQuestions()) == 1; got != sent || errors.Is(err, ErrNotSent) == sent || (err == nil) != sent {
				s.Errorf("%v: sent %t, %v", takes, got, err)
			}
			if state := op.Session.Transaction().State; (state == txn.InProgress) != sent || op.Reached() != sent {
				s.Errorf("%v: the transaction is %v, the message has reached the server: %t", takes, state, op.Reached())
			}
		}
	})
}
