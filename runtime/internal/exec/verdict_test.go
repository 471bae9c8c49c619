package exec

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// An error gets the labels of the verdict, and no others.
func TestLabelsFollowTheVerdict(t *testing.T) {
	for _, tt := range []struct {
		verdict operation.Verdict
		want    string
	}{
		{operation.Verdict{}, ""},
		{operation.Verdict{WriteLabel: operation.HasWriteLabel}, ""},
		{operation.Verdict{WriteLabel: operation.AddWriteLabel}, fault.LabelRetryableWriteError},
		{operation.Verdict{TransactionLabel: operation.AddTransient}, fault.LabelTransientTransactionError},
		{operation.Verdict{TransactionLabel: operation.AddUnknownResult}, fault.LabelUnknownTransactionCommitResult},
	} {
		e := &execution{verdict: tt.verdict}
		err := e.addLabels(fault.CommandError{Code: 1})
		for _, label := range []string{fault.LabelRetryableWriteError, fault.LabelTransientTransactionError, fault.LabelUnknownTransactionCommitResult} {
			if fault.HasErrorLabel(err, label) != (label == tt.want) {
				t.Errorf("%+v: %v", tt.verdict, err)
			}
		}
	}
}

// The driver explains the text of a server without retryable writes, which only a write with a number can get.
func TestTransactionNumbersAreExplained(t *testing.T) {
	theirs := fault.CommandError{Code: errcode.IllegalOperation, Message: retry.TransactionNumbers() + " and so on"}
	for _, tt := range []struct {
		policy operation.Policy
		err    error
		want   string
	}{
		{operation.AsWrite, theirs, retry.RetryableWritesUnsupported()},
		{operation.NotRetried, theirs, theirs.Message},
		{operation.AsWrite, fault.CommandError{Code: 1, Message: theirs.Message}, theirs.Message},
		{operation.AsWrite, fault.CommandError{Code: errcode.IllegalOperation, Message: "other"}, "other"},
	} {
		e := &execution{}
		e.course.State.Policy = tt.policy
		if c, _ := errors.AsType[fault.CommandError](e.addLabels(tt.err)); c.Message != tt.want {
			t.Errorf("%v: %q", tt.policy, c.Message)
		}
	}
}

// fail applies the verdict: a dirty session, an avoided server, the base of the pause, an outcome.
func TestFailCarriesTheVerdictOut(t *testing.T) {
	e := newReadingExecution(operation.ExplicitSession)
	e.err = errors.New("earlier")
	failed := fault.CommandError{Code: 1, Raw: raw(t, "baseBackoffMS", 30)}
	if e.fail(failed); e.session.Server().IsDirty() || e.avoid != nil || e.baseBackoff != 0 || e.err.Error() != "earlier" {
		t.Errorf("without a verdict: %+v", e)
	}
	e.verdict = operation.Verdict{
		Session: operation.DirtySession, Avoid: operation.AvoidServer, Wait: operation.Backoff, Report: operation.TakeError,
	}
	if e.fail(failed); !e.session.Server().IsDirty() || len(e.avoid) != 1 || e.baseBackoff != 30*time.Millisecond || fault.HasErrorCode(e.err, 1) == false {
		t.Errorf("with one: dirty %v, avoids %v, waits %v, %v", e.session.Server().IsDirty(), e.avoid, e.baseBackoff, e.err)
	}
}

// The base of a pause is in the reply or in the write concern error, and is bounded.
func TestBaseOfAPause(t *testing.T) {
	base := raw(t, "baseBackoffMS", 7)
	huge := raw(t, "baseBackoffMS", int64(1)<<62)
	for _, tt := range []struct {
		name string
		err  error
		want time.Duration
	}{
		{"none", errors.New("x"), 0},
		{"a command without", fault.CommandError{Raw: raw(t)}, 0},
		{"a command", fault.CommandError{Raw: base}, 7 * time.Millisecond},
		{"a write", fault.WriteException{Raw: base}, 7 * time.Millisecond},
		{"a write concern", fault.WriteException{Raw: raw(t), WriteConcernError: &fault.WriteConcernError{Raw: base}}, 7 * time.Millisecond},
		{"the reply before the write concern", fault.WriteException{Raw: base, WriteConcernError: &fault.WriteConcernError{Raw: huge}}, 7 * time.Millisecond},
		{"far below zero", fault.CommandError{Raw: raw(t, "baseBackoffMS", int64(-9223372036855))}, 0},
		{"a text", fault.CommandError{Raw: raw(t, "baseBackoffMS", "7")}, 0},
		{"no number", fault.CommandError{Raw: raw(t, "baseBackoffMS", math.NaN())}, 0},
		{"beyond all integers", fault.CommandError{Raw: raw(t, "baseBackoffMS", 1e300)}, 0},
		{"statements", fault.WriteException{Raw: raw(t)}, 0},
		{"a huge one", fault.CommandError{Raw: huge}, 9223372036854 * time.Millisecond},
	} {
		if got := baseBackoff(tt.err); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A transaction is pinned and unpinned as the verdict says.
func TestTransactionIsPinnedAsTheVerdictSays(t *testing.T) {
	e := newReadingExecution(operation.ExplicitSession)
	e.verdict.Pin = operation.PinServer
	if e.repin(); e.session.PinnedServer() != e.try.server || e.session.PinnedConnection() != nil {
		t.Error("it is not bound to its server")
	}
	e.verdict.Pin = operation.LeavePin
	if e.repin(); e.session.PinnedServer() == nil {
		t.Error("it is released unasked")
	}
	if got := e.binding(); got != operation.Unbound {
		t.Errorf("an operation outside of it is %v", got)
	}
	e.course.State.Role = operation.InTransaction
	if got := e.binding(); got != operation.TransactionPin {
		t.Errorf("an operation of it is %v", got)
	}
	e.verdict.Pin = operation.Unpin
	if e.repin(); e.session.PinnedServer() != nil {
		t.Error("it is not released")
	}
	for _, tt := range []struct {
		op   Operation
		want operation.Binding
	}{
		{Operation{}, operation.Unbound}, {Operation{Server: &topology.Server{}}, operation.CursorServer},
		{Operation{Server: &topology.Server{}, Conn: &topology.Pooled{}}, operation.CursorConnection},
	} {
		e.op = &tt.op
		if got := e.binding(); got != tt.want {
			t.Errorf("%v, want %v", got, tt.want)
		}
	}
}

// The end of an operation releases its implicit session, unless a cursor or the next command needs it.
func TestEndOfAnImplicitSession(t *testing.T) {
	open, closed := raw(t, "cursor", bson.Doc("id", int64(5))), raw(t, "cursor", bson.Doc("id", int64(0)))
	for _, tt := range []struct {
		name  string
		op    Operation
		reply bson.Raw
		kept  bool
	}{
		{"no cursor", Operation{}, open, false},
		{"an open cursor", Operation{Answer: OpenCursor}, open, true},
		{"a cursor that has ended", Operation{Answer: OpenCursor}, closed, false},
		{"later commands", Operation{Implicit: KeepSession}, closed, true},
		{"later commands, without a reply", Operation{Implicit: KeepSession}, nil, false},
	} {
		e := newReadingExecution(operation.ExplicitSession)
		e.op, e.ownsSession = &tt.op, true
		e.out.Reply = tt.reply
		if e.endSession(); (e.out.Session != nil) != tt.kept {
			t.Errorf("%s: kept %t, want %t", tt.name, e.out.Session != nil, tt.kept)
		}
	}
}
