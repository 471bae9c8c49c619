package exec

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// A session keeps the times in every reply, including failures and replies in a transaction.
func TestASessionKeepsTheTimesOfEveryReply(t *testing.T) {
	times := func(n uint32) []any {
		return []any{"operationTime", timestampAt(n), "$clusterTime", bson.Doc("clusterTime", timestampAt(n))}
	}
	play(t, "member", 1, nil, func(s *scene) {
		now := uint32(0)
		for name, c := range map[string]*session.Client{
			"outside": s.startSession(operation.CausalSession), "in a transaction": s.beginTransaction(operation.CausalSession),
		} {
			for _, fail := range []bool{false, true} {
				now++
				reply := ok(times(now)...)
				if fail {
					reply = failWith(1, times(now)...)
				}
				s.answerWith(reply)
				op := find()
				op.Session = c
				s.x.Run(s.Context(), op)
				seen, ok := timestampOf(c.Clock().ClusterTime().Lookup("clusterTime"))
				if c.OperationTime() != timestampAt(now) || !ok || seen != timestampAt(now) {
					s.Errorf("%s, a failure: %t: %v, %v", name, fail, c.OperationTime(), c.Clock().ClusterTime())
				}
			}
		}
	})
}

// The next operation of a session ends an aborted transaction's state, just as that of a committed one.
func TestAnAbortedTransactionIsLeftBehind(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		c.Transaction().State, _ = txn.Next(c.Transaction().State, txn.Abort)
		s.run(&Operation{DB: "admin", Command: &command.AbortTransaction{}, Session: c})
		op := find()
		op.Session = c
		s.run(op)
		if got := c.Transaction().State; got != txn.None {
			s.Errorf("the transaction is %v", got)
		}
	})
}

// The outcome has the labels that the driver adds to a failed write concern.
func TestOutcomeHasTheLabelsOfItsFailure(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.wire = 8 }, func(s *scene) {
		failed := ok("n", 1, "writeConcernError", bson.Doc("code", 189, "errmsg", "x"))
		s.answerWith(failed, failed)
		if out := s.run(insert(s)); !slices.Contains(out.Labels, fault.LabelRetryableWriteError) || len(s.takeQuestions()) != 2 {
			s.Errorf("the outcome has the labels %v", out.Labels)
		}
	})
}
