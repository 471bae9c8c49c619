package exec

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// A write to a server without transaction numbers has one try, even if that fails before it has a connection.
func TestAWriteWithoutNumbersFindsNoConnection(t *testing.T) {
	for _, tt := range []struct {
		kind        string
		sessionless bool
		retries     int64
	}{{"standalone", false, 0}, {"member", true, 0}, {"member", false, 1}, {"balanced", true, 1}} {
		play(t, tt.kind, 1, func(s *scene) { s.sessionless = tt.sessionless }, func(s *scene) {
			s.refuse("a:1")
			_, err := s.x.Run(s.Context(), insert(s))
			if got := s.x.Stats().Retries; err == nil || got != tt.retries || fault.HasErrorLabel(err, "RetryableWriteError") != (got > 0) {
				s.Errorf("%+v: %d retries, %v", tt, got, err)
			}
		})
	}
}

// A retry with less time than a round trip is not sent, and the error of the try before it becomes a timeout.
func TestARetryThatComesTooLate(t *testing.T) {
	concern := []any{"writeConcernError", bson.Doc("code", 64, "errmsg", "x"), "errorLabels", bson.A{"RetryableWriteError"}}
	slow := func(a answer) answer { a.after = 90 * time.Millisecond; return a }
	for _, tt := range []struct {
		name  string
		op    func(s *scene) *Operation
		first answer
	}{
		{"an error", func(*scene) *Operation { return find() }, slow(failWith(262))},
		{"a failed write concern", insert, slow(ok(append(concern, "n", 1)...))},
		{"a commit", (*scene).newCommit, slow(ok(concern...))},
	} {
		play(t, "member", 1, func(s *scene) { s.helloTakes = 50 * time.Millisecond }, func(s *scene) {
			time.Sleep(time.Minute)
			s.run(find()) // opens a connection
			s.takeQuestions()
			op := tt.op(s)
			op.Timeout = new(120 * time.Millisecond)
			s.takeQuestions()
			s.answerWith(tt.first)
			out, err := s.x.Run(s.Context(), op)
			if err == nil {
				err = out.AsTimeout(fault.WriteException{WriteConcernError: fault.NewWriteConcernError(out.Reply)})
				if also := op.AsTimeout(fault.WriteException{}); !errors.As(also, new(fault.TimeoutError)) {
					s.Errorf("%s: %v", tt.name, also)
				}
			}
			if !errors.As(err, new(fault.TimeoutError)) || !fault.HasErrorCode(err, 262) && !fault.HasErrorCode(err, 64) || len(s.takeQuestions()) != 1 {
				s.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

// A failed write concern becomes a timeout if time runs out while the driver looks for a server for the retry.
func TestAFailedWriteConcernAtTheEndOfTime(t *testing.T) {
	for _, timeout := range []time.Duration{300 * time.Millisecond, 0} {
		play(t, "member", 1, nil, func(s *scene) {
			op := insert(s)
			if timeout > 0 {
				op.Timeout = &timeout
			}
			s.answerWith(answer{fields: ok("n", 1, "writeConcernError", bson.Doc("code", 91, "errmsg", "x"), "errorLabels",
				bson.A{"RetryableWriteError"}).fields, with: func() { s.setHelloTakes(time.Minute) }})
			out, err := s.x.Run(s.Context(), op)
			if err != nil {
				s.Fatal(err)
			}
			failed := fault.WriteException{WriteConcernError: fault.NewWriteConcernError(out.Reply)}
			if err = out.AsTimeout(failed); errors.As(err, new(fault.TimeoutError)) != (timeout > 0) || !fault.HasErrorCode(err, 91) {
				s.Errorf("%v: %v", timeout, err)
			}
			s.setHelloTakes(0)
		})
	}
}

// newCommit begins a transaction and returns its commit.
func (s *scene) newCommit() *Operation {
	c := s.beginTransaction(operation.ExplicitSession)
	s.startCommit(c)
	return &Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c, WriteConcern: &options.WriteConcern{}}
}
