package fault_test

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
)

func TestMessagesOfRepliesWithoutCode(t *testing.T) {
	tests := []struct {
		message                 string
		notWritable, recovering bool
	}{
		{"not master", true, false},
		{"not master or secondary", true, true},
		{"not master and slaveOk=false", true, false},
		{"node is recovering", false, true},
		{"the node is recovering now", false, true},
		{"not primary", false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			if got := errcode.NotWritablePrimaryMessage(tt.message); got != tt.notWritable {
				t.Errorf("NotWritablePrimaryMessage() = %t", got)
			}
			if got := errcode.RecoveringMessage(tt.message); got != tt.recovering {
				t.Errorf("RecoveringMessage() = %t", got)
			}
		})
	}
}

func TestLabelsAreThoseOfTheServer(t *testing.T) {
	got := []string{
		errcode.LabelRetryableWriteError, errcode.LabelTransientTransactionError, errcode.LabelUnknownTransactionCommitResult,
		errcode.LabelResumableChangeStreamError, errcode.LabelNonResumableChangeStreamError, errcode.LabelNoWritesPerformed,
		errcode.LabelRetryableError, errcode.LabelSystemOverloadedError,
	}
	want := []string{
		"RetryableWriteError", "TransientTransactionError", "UnknownTransactionCommitResult",
		"ResumableChangeStreamError", "NonResumableChangeStreamError", "NoWritesPerformed",
		"RetryableError", "SystemOverloadedError",
	}
	if !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}

// Codes that programs look for, with the server's names.
func TestCodesHaveTheServersNames(t *testing.T) {
	for name, want := range map[string]errcode.Code{
		"InternalError": 1, "BadValue": 2, "HostUnreachable": 6, "HostNotFound": 7, "FailedToParse": 9, "Unauthorized": 13,
		"AuthenticationFailed": 18, "NamespaceNotFound": 26, "IndexNotFound": 27, "CursorNotFound": 43, "NamespaceExists": 48,
		"MaxTimeMSExpired": 50, "CommandNotFound": 59, "WriteConcernFailed": 64, "WriteConcernTimeout": 64, "InvalidOptions": 72,
		"UnknownReplWriteConcern": 79, "IndexOptionsConflict": 85, "IndexKeySpecsConflict": 86, "NetworkTimeout": 89,
		"ShutdownInProgress": 91, "UnsatisfiableWriteConcern": 100, "WriteConflict": 112, "DocumentValidationFailure": 121,
		"PrimarySteppedDown": 189, "NoSuchTransaction": 251, "ExceededTimeLimit": 262, "ReauthenticationRequired": 391,
		"SocketException": 9001, "NotWritablePrimary": 10107, "DuplicateKey": 11000, "InterruptedAtShutdown": 11600,
		"InterruptedDueToReplStateChange": 11602, "NotPrimaryNoSecondaryOk": 13435, "NotPrimaryOrSecondary": 13436,
	} {
		if got, ok := errcode.ByName(name); !ok || got != want {
			t.Errorf("ByName(%s) = %d, %t, want %d", name, got, ok, want)
		}
	}
}
