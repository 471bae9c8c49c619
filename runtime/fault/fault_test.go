package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

func TestIsTimeout(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"deadline", context.DeadlineExceeded, true},
		{"canceled", context.Canceled, false},
		{"network deadline", fault.NetworkError{Err: os.ErrDeadlineExceeded}, true},
		{"network reset", fault.NetworkError{Err: errors.New("reset")}, false},
		{"wait queue", fault.WaitQueueTimeoutError{}, true},
		{"wait queue canceled", fault.WaitQueueTimeoutError{Err: context.Canceled}, false},
		{"wait queue deadline", fault.WaitQueueTimeoutError{Err: context.DeadlineExceeded}, true},
		{"max time", fault.CommandError{Code: errcode.MaxTimeMSExpired}, true},
		{"max time in a write concern error", fault.WriteException{
			WriteConcernError: &fault.WriteConcernError{Code: errcode.MaxTimeMSExpired},
		}, true},
		{"selection", fault.ServerSelectionError{Waited: time.Second}, true},
		{"selection impossible", fault.ServerSelectionError{Err: errors.New("incompatible")}, false},
		{"wrapped twice", fmt.Errorf("a: %w", fmt.Errorf("b: %w", context.DeadlineExceeded)), true},
		{"second of a join", errors.Join(errors.New("a"), context.DeadlineExceeded), true},
		{"cause of a clear", fault.PoolClearedError{Err: context.DeadlineExceeded}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.IsTimeout(tt.err); got != tt.want {
				t.Errorf("IsTimeout(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}

func TestContextErrorsAreReached(t *testing.T) {
	for _, err := range []error{
		fault.NetworkError{Err: context.Canceled},
		fault.WaitQueueTimeoutError{Err: context.Canceled},
		fault.ServerSelectionError{Err: context.Canceled},
		fault.AuthError{Err: fault.NetworkError{Err: context.Canceled}},
		fault.BulkWriteException{Err: context.Canceled},
		fault.AddLabels(context.Canceled, fault.LabelRetryableError),
	} {
		if !errors.Is(err, context.Canceled) || !fault.IsCanceled(err) {
			t.Errorf("%T does not reach context.Canceled", err)
		}
	}
}

func TestAddLabelsCopies(t *testing.T) {
	tests := []struct {
		name string
		err  error
	}{
		{"command", fault.CommandError{Labels: []string{"A"}}},
		{"network", fault.NetworkError{Labels: []string{"A"}}},
		{"write", fault.WriteException{Labels: []string{"A"}}},
		{"write concern", fault.WriteConcernError{Labels: []string{"A"}}},
		{"bulk", fault.BulkWriteException{Labels: []string{"A"}}},
		{"cleared", fault.PoolClearedError{Labels: []string{"A"}}},
		{"selection", fault.ServerSelectionError{Labels: []string{"A"}}},
		{"foreign", fault.AddLabels(errors.New("x"), "A")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fault.AddLabels(tt.err, "B", "A")
			if !fault.HasErrorLabel(got, "A") || !fault.HasErrorLabel(got, "B") {
				t.Errorf("AddLabels(%v) lacks a label", tt.err)
			}
			if fault.HasErrorLabel(tt.err, "B") {
				t.Error("AddLabels changed its argument")
			}
			if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", tt.err) {
				t.Errorf("AddLabels returned %T, want %T", got, tt.err)
			}
		})
	}
	if fault.AddLabels(nil, "A") != nil {
		t.Error("AddLabels(nil) is not nil")
	}
}

func TestPredicatesLookInside(t *testing.T) {
	duplicate := fault.WriteError{Code: errcode.DuplicateKey}
	bulk := fault.BulkWriteException{WriteErrors: []fault.BulkWriteError{
		{WriteError: fault.WriteError{Code: errcode.MaxTimeMSExpired}}, {WriteError: duplicate},
	}}
	single := fault.WriteException{WriteErrors: fault.WriteErrors{duplicate}}
	if !fault.IsDuplicateKeyError(bulk) || !fault.IsDuplicateKeyError(single) {
		t.Error("IsDuplicateKeyError does not look inside")
	}
	if fault.IsDuplicateKeyError(fault.WriteException{WriteConcernError: &fault.WriteConcernError{}}) {
		t.Error("IsDuplicateKeyError says yes to another error")
	}
	if !fault.IsNetworkError(fault.AuthError{Err: fault.NetworkError{}}) || !fault.IsNetworkError(fault.PoolClearedError{}) {
		t.Error("IsNetworkError does not look inside")
	}
	if fault.IsNetworkError(fault.CommandError{}) {
		t.Error("IsNetworkError says yes to a command error")
	}
	if _, ok := errors.AsType[fault.WriteError](error(bulk)); !ok {
		t.Error("a bulk write error does not reach its write errors")
	}
}

func TestMessagesSayWhatAndWhere(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{"command", fault.CommandError{Name: "Unauthorized", Message: "no", Command: "find", Address: "a:1"},
			[]string{"find: server a:1 replied: (Unauthorized) no"}},
		{"network", fault.NetworkError{Address: "a:1", Doing: "dialing", ConnectionID: 3, Err: errors.New("refused")},
			[]string{"network: dialing a:1 (connection 3): refused"}},
		{"wait queue", fault.WaitQueueTimeoutError{Address: "a:1", MaxPoolSize: 2, InUse: 2, Waiting: 7},
			[]string{"Timed out while checking out a Connection", "maxPoolSize 2", "raise maxPoolSize"}},
		{"cleared", fault.PoolClearedError{Address: "a:1", Err: errors.New("boom")},
			[]string{"Connection pool for a:1 was cleared because another operation failed with: boom"}},
		{"interrupted", fault.PoolClearedError{Address: "a:1", Interrupted: true},
			[]string{"Connection to a:1 interrupted due to server monitor timeout"}},
		{"uri", fault.URIError{Option: "maxPoolSize", Reason: "must not be negative"},
			[]string{"uri: option maxPoolSize: must not be negative"}},
		{"selection", fault.ServerSelectionError{Operation: "find", Selector: "primary", Waited: time.Second,
			Hints: []string{"start a member"}, Topology: description.Topology{SetName: "rs", Servers: []description.Server{
				{Address: "a:1", Err: errors.New("refused")}, {Address: "b:1", Type: description.RSSecondary},
			}}},
			[]string{"find: no suitable server for primary after 1s", "a:1 Unknown (refused)", "b:1 RSSecondary", "start a member"}},
		{"bulk", fault.BulkWriteException{WriteErrors: newSevenErrors()}, []string{"write 0 failed", "write 4 failed", "and 2 more"}},
		{"write error", fault.WriteException{WriteErrors: fault.NewWriteErrors(duplicateReply(t), 0)},
			[]string{"write 2 failed: (DuplicateKey) E11000 dup"}},
		{"validation", fault.WriteException{WriteErrors: fault.NewWriteErrors(validationReply(t), 0)},
			[]string{"(DocumentValidationFailure) Document failed validation", `"missingProperties":["name"]`}},
		{"options", fault.OptionError{Option: "maxPoolSize", Reason: "must not be negative"},
			[]string{"options: option maxPoolSize: must not be negative"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, want := range tt.want {
				if !strings.Contains(tt.err.Error(), want) {
					t.Errorf("Error() = %q, want it to contain %q", tt.err, want)
				}
			}
		})
	}
}

func newSevenErrors() []fault.BulkWriteError {
	var errs []fault.BulkWriteError
	for i := range 7 {
		errs = append(errs, fault.BulkWriteError{WriteError: fault.WriteError{Index: i}})
	}
	return errs
}

func duplicateReply(t *testing.T) bson.Raw {
	return document(t, bson.Doc("ok", 1, "writeErrors", bson.A{bson.Doc("index", 2, "code", 11000, "errmsg", "E11000 dup")}))
}

func validationReply(t *testing.T) bson.Raw {
	return document(t, bson.Doc("ok", 1, "writeErrors", bson.A{bson.Doc("index", 0, "code", 121,
		"errmsg", "Document failed validation",
		"errInfo", bson.Doc("details", bson.Doc("missingProperties", bson.A{"name"})))}))
}

func document(t *testing.T, d bson.D) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
