package decide

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/core/withtransaction"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// DescribeStream recognizes an error, however it is wrapped.
//
// Change Streams, "Resumable Error".
func TestDescribeStream(t *testing.T) {
	command := func(code errcode.Code, labels ...string) error {
		return fmt.Errorf("again: %w", fault.CommandError{Code: code, Labels: labels})
	}
	for _, tt := range []struct {
		name string
		err  error
		want changestream.Event
	}{
		{"the driver's own", errors.New("too large"), changestream.Event{Failure: changestream.OwnError, Expiry: changestream.NotExpired}},
		{"the network", fault.NetworkError{}, changestream.Event{Failure: changestream.NoAnswer, Expiry: changestream.NotExpired}},
		{"a cleared pool", fault.PoolClearedError{}, changestream.Event{Failure: changestream.NoAnswer}},
		{"no connection", fault.WaitQueueTimeoutError{}, changestream.Event{Failure: changestream.NoAnswer, Expiry: changestream.ServerExpired}},
		{"the end of the context", context.DeadlineExceeded, changestream.Event{Failure: changestream.NoAnswer, Expiry: changestream.ServerExpired}},
		{"cancelled", context.Canceled, changestream.Event{Failure: changestream.NoAnswer}},
		{"cancelled before another try", errors.Join(command(errcode.NotWritablePrimary), context.Canceled),
			changestream.Event{Failure: changestream.NoAnswer, Code: changestream.ListedCode}},
		{"timeoutMS", fault.TimeoutError{Err: context.DeadlineExceeded}, changestream.Event{Failure: changestream.NoAnswer, Expiry: changestream.DriverExpired}},
		{"timeoutMS, wrapped", fmt.Errorf("again: %w", fault.TimeoutError{Err: context.DeadlineExceeded}),
			changestream.Event{Failure: changestream.NoAnswer, Expiry: changestream.DriverExpired}},
		{"timeoutMS, as the server reports it", fault.TimeoutError{Err: command(errcode.MaxTimeMSExpired)},
			changestream.Event{Failure: changestream.ServerError, Expiry: changestream.DriverExpired}},
		{"the server's timeout", command(errcode.MaxTimeMSExpired), changestream.Event{Failure: changestream.ServerError, Expiry: changestream.ServerExpired}},
		{"a code", command(1), changestream.Event{Failure: changestream.ServerError}},
		{"a code of the list", command(errcode.NotWritablePrimary), changestream.Event{Failure: changestream.ServerError, Code: changestream.ListedCode}},
		{"the label", command(1, errcode.LabelResumableChangeStreamError), changestream.Event{Failure: changestream.ServerError, Label: changestream.Labelled}},
		{"the label behind another", command(1, fault.LabelRetryableError, errcode.LabelResumableChangeStreamError),
			changestream.Event{Failure: changestream.ServerError, Label: changestream.Labelled}},
		{"another label", command(1, fault.LabelRetryableWriteError), changestream.Event{Failure: changestream.ServerError}},
		{"CursorNotFound", command(errcode.CursorNotFound), changestream.Event{Failure: changestream.CursorMissing, Code: changestream.ListedCode}},
	} {
		var got changestream.Event
		if DescribeStream(&got, tt.err); got != tt.want {
			t.Errorf("%s: %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// The codes after which a stream resumes, in numbers, so that a changed row is noticed here.
//
// Change Streams, "Resumable Error".
func TestResumableCodesInNumbers(t *testing.T) {
	listed := []int{6, 7, 43, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436}
	for code := range 20_000 {
		var got changestream.Event
		DescribeStream(&got, fault.CommandError{Code: errcode.Code(code)})
		if is := got.Code == changestream.ListedCode; is != slices.Contains(listed, code) {
			t.Errorf("%d: listed %t", code, is)
		}
	}
}

// DescribeTransaction recognizes an error, however it is wrapped.
//
// Convenient API, "Pseudo-code".
func TestDescribeTransaction(t *testing.T) {
	command := func(code errcode.Code, labels ...string) error {
		return fmt.Errorf("the callback failed: %w", fault.CommandError{Code: code, Labels: labels})
	}
	for _, tt := range []struct {
		name string
		err  error
		want withtransaction.Event
	}{
		{"the program's own", errors.New("no"), withtransaction.Event{}},
		{"a code", command(1), withtransaction.Event{}},
		{"transient", command(251, fault.LabelTransientTransactionError), withtransaction.Event{Transience: withtransaction.Transient}},
		{"an unknown result", command(91, fault.LabelUnknownTransactionCommitResult), withtransaction.Event{Result: withtransaction.ResultUnknown}},
		{"an overload", command(462, fault.LabelSystemOverloadedError), withtransaction.Event{Load: withtransaction.Overloaded}},
		{"retryable, which says nothing", command(462, fault.LabelRetryableError), withtransaction.Event{}},
		{"out of time", command(errcode.MaxTimeMSExpired, fault.LabelUnknownTransactionCommitResult),
			withtransaction.Event{Result: withtransaction.ResultUnknown, Code: withtransaction.MaxTimeMSExpired}},
		{"out of time, by its write concern", fault.WriteException{WriteConcernError: &fault.WriteConcernError{Code: errcode.MaxTimeMSExpired},
			Labels: []string{fault.LabelUnknownTransactionCommitResult}},
			withtransaction.Event{Result: withtransaction.ResultUnknown, Code: withtransaction.MaxTimeMSExpired}},
	} {
		var got withtransaction.Event
		if DescribeTransaction(&got, tt.err); got != tt.want {
			t.Errorf("%s: %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}
