package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// Describe recognizes an error, however it is wrapped.
func TestDescribe(t *testing.T) {
	command := func(code errcode.Code, labels ...string) error {
		return fault.CommandError{Code: code, Labels: labels}
	}
	concern := fault.WriteException{WriteConcernError: &fault.WriteConcernError{Code: errcode.UnsatisfiableWriteConcern}}
	for _, tt := range []struct {
		name string
		err  error
		want operation.Event
	}{
		{"a refusal", errors.New("too large"), operation.Event{}},
		{"a timeout of the driver", context.DeadlineExceeded, operation.Event{Expiry: operation.Expired}},
		{"no server", fault.ServerSelectionError{}, operation.Event{Failure: operation.NoServer}},
		{"no connection", fault.WaitQueueTimeoutError{}, operation.Event{Failure: operation.NoConnection, Expiry: operation.Expired}},
		{"a closed pool", fault.PoolClosedError{}, operation.Event{Failure: operation.PoolGone}},
		{"a cleared pool", fault.PoolClearedError{}, operation.Event{Failure: operation.Network}},
		{"a network error", fault.NetworkError{}, operation.Event{Failure: operation.Network}},
		{"a check-out that the network ended", fault.WaitQueueTimeoutError{Err: fault.NetworkError{}},
			operation.Event{Failure: operation.Network}},
		{"a command", command(1), operation.Event{Failure: operation.CommandFailed}},
		{"a command inside another error", fmt.Errorf("again: %w", command(1)), operation.Event{Failure: operation.CommandFailed}},
		{"MaxTimeMSExpired", command(errcode.MaxTimeMSExpired),
			operation.Event{Failure: operation.CommandFailed, Expiry: operation.Expired}},
		{"ReauthenticationRequired", command(errcode.ReauthenticationRequired),
			operation.Event{Failure: operation.CommandFailed, Class: operation.ReauthenticationCode}},
		{"a write concern that is refused", concern,
			operation.Event{Failure: operation.WriteConcernFailed, Class: operation.RefusedConcernCode}},
		{"statements", fault.WriteException{WriteErrors: fault.WriteErrors{{Code: 11000}}}, operation.Event{Failure: operation.WritesFailed}},
		{"labels", command(1, fault.LabelRetryableWriteError, fault.LabelNoWritesPerformed, fault.LabelTransientTransactionError),
			operation.Event{Failure: operation.CommandFailed, Mark: operation.Marked, Writes: operation.NothingWritten,
				Transience: operation.Transient}},
		{"an unknown result", command(1, fault.LabelUnknownTransactionCommitResult),
			operation.Event{Failure: operation.CommandFailed, Result: operation.ResultUnknown}},
		{"an overload", command(1, fault.LabelSystemOverloadedError),
			operation.Event{Failure: operation.CommandFailed, Overload: operation.Overloaded}},
		{"a retryable overload", command(1, fault.LabelSystemOverloadedError, fault.LabelRetryableError),
			operation.Event{Failure: operation.CommandFailed, Overload: operation.OverloadedRetryable}},
		{"only RetryableError", command(1, fault.LabelRetryableError), operation.Event{Failure: operation.CommandFailed}},
		{"encryption, whatever it met", fault.EncryptionError{Err: command(1, fault.LabelRetryableWriteError)},
			operation.Event{Failure: operation.Encryption}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got operation.Event
			if Describe(&got, tt.err); got != tt.want {
				t.Errorf("%+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// Every code has the class that its lists say.
func TestClassesOfCodes(t *testing.T) {
	for code := errcode.Code(0); code < 20_000; code++ {
		var e operation.Event
		Describe(&e, fault.CommandError{Code: code})
		want := operation.OtherCode
		switch {
		case code == errcode.ReauthenticationRequired:
			want = operation.ReauthenticationCode
		case code.IsRetryableWrite():
			want = operation.WriteCode
		case code.IsRetryableRead():
			want = operation.ReadCode
		case code.IsWriteConcernRefused():
			want = operation.RefusedConcernCode
		}
		if e.Class != want {
			t.Errorf("%d has the class %v, want %v", code, e.Class, want)
		}
		if (code.IsRetryableWrite() || code.IsShardUnreachable()) && !code.IsRetryableRead() {
			t.Errorf("%d is retried for writes and not for reads", code)
		}
		if code.IsShutdown() && !code.IsRecovering() || code.IsStateChange() != (code.IsRecovering() || code.IsNotWritablePrimary()) {
			t.Errorf("%d: shutdown %v, recovering %v, state change %v", code, code.IsShutdown(), code.IsRecovering(), code.IsStateChange())
		}
		if code.IsStateChange() && code != 10058 && !code.IsResumable() && code.IsRetryableRead() {
			t.Errorf("%d: a change stream does not resume after a change of the server's state", code)
		}
	}
	if !errcode.Code(10058).IsNotWritablePrimary() || !errcode.Code(13388).IsResumable() {
		t.Error("the old codes have other classes")
	}
}

// The pause after an overload grows with each retry, up to a bound, from the server's base or the usual one.
func TestOverloadPause(t *testing.T) {
	for _, tt := range []struct {
		base    time.Duration
		retries int
		random  float64
		want    time.Duration
	}{
		{0, 0, 1, retry.BaseBackoff}, {0, 1, 1, 2 * retry.BaseBackoff}, {0, 3, 0.5, 4 * retry.BaseBackoff}, {0, 1, 0, 0},
		{0, 60, 1, retry.MaxBackoff}, {time.Second, 1, 1, 2 * time.Second}, {time.Hour, 1, 1, retry.MaxBackoff},
		{-time.Second, 1, 1, 2 * retry.BaseBackoff}, {math.MaxInt64, 2000, 1, retry.MaxBackoff},
	} {
		if got := OverloadPause(tt.base, tt.retries, tt.random); got != tt.want {
			t.Errorf("base %v, retry %d, %v: %v, want %v", tt.base, tt.retries, tt.random, got, tt.want)
		}
	}
}

// Three tries come without a pause. The pauses after that grow, and start over when the topology changes.
func TestPacer(t *testing.T) {
	var p Pacer
	for try := 1; try < retry.FreeTries; try++ {
		if p.Failed(7) {
			t.Fatalf("try %d waits", try)
		}
	}
	for _, want := range []time.Duration{retry.ShortestPace, 2 * retry.ShortestPace, 4 * retry.ShortestPace} {
		if !p.Failed(7) || p.Pause(1) != want || p.Pause(0) != 0 {
			t.Errorf("a pause of %v, want %v", p.Pause(1), want)
		}
	}
	for range 100 {
		p.Failed(7)
	}
	if p.Pause(1) != retry.LongestPace {
		t.Errorf("at most %v, want %v", p.Pause(1), retry.LongestPace)
	}
	for try := range retry.FreeTries { // the first one may have failed before the change
		if p.Failed(8) {
			t.Errorf("a change of the topology does not begin again: try %d waits", try)
		}
	}
}

// A getMore follows at once if the server waits for documents itself, and after longer and longer pauses if it does
// not.
func TestQuietPausesHastyTries(t *testing.T) {
	one := func() float64 { return 1 }
	var hasty, patient, told Quiet
	for try := 1; try < retry.FreeTries; try++ {
		if p := hasty.Pause(0, 0, one) + patient.Pause(0, 0, one) + told.Pause(0, 0, one); p != 0 {
			t.Fatalf("try %d waits %v", try, p)
		}
	}
	for i := range 100 {
		want := min(retry.ShortestPace<<min(i, 16), retry.LongestPace)
		if got := hasty.Pause(0, 0, one); got != want {
			t.Fatalf("pause %d is %v, want %v", i, got, want)
		}
		if got := patient.Pause(time.Second, 0, one); got != 0 {
			t.Fatalf("pause %d behind a second of the server is %v", i, got)
		}
		if got := told.Pause(2*time.Millisecond, 5*time.Millisecond, one); got != max(0, min(want, 5*time.Millisecond)-2*time.Millisecond) {
			t.Fatalf("pause %d of one that lets the server wait 5 ms is %v", i, got)
		}
	}
}
