package session_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/txn"
)

// The transitions between transaction states, and the errors for users where there is no transition.
func TestStatesOfTransactions(t *testing.T) {
	const (
		none, starting, inProgress, committed, aborted = txn.None, txn.Starting, txn.InProgress, txn.Committed, txn.Aborted

		notStarted  = "No transaction started"
		already     = "Transaction already in progress"
		abortTwice  = "Cannot call abortTransaction twice"
		abortAfter  = "Cannot call abortTransaction after calling commitTransaction"
		commitAfter = "Cannot call commitTransaction after calling abortTransaction"
	)
	inputs := []txn.Input{txn.Start, txn.Operation, txn.Commit, txn.Abort}
	for from, want := range map[txn.State][]any{
		none:       {starting, none, notStarted, notStarted},
		starting:   {already, inProgress, committed, aborted},
		inProgress: {already, inProgress, committed, aborted},
		committed:  {starting, none, committed, abortAfter},
		aborted:    {starting, none, commitAfter, abortTwice},
	} {
		for i, input := range inputs {
			got, err := txn.Next(from, input)
			if message, mistake := want[i].(string); mistake {
				if err == nil || err.Error() != message || got != from {
					t.Errorf("%v on %v: %v, %v, want %q", from, input, got, err, message)
				}
			} else if got != want[i] || err != nil {
				t.Errorf("%v on %v: %v, %v, want %v", from, input, got, err, want[i])
			}
		}
	}
	var initial txn.State
	if initial != none {
		t.Errorf("a session begins %v", initial)
	}
}

// The specification's names of the states and of the events that change them.
func TestNamesOfStates(t *testing.T) {
	for _, tt := range []struct {
		got  fmt.Stringer
		want string
	}{
		{txn.None, "none"}, {txn.Starting, "starting"}, {txn.InProgress, "in progress"}, {txn.Committed, "committed"}, {txn.Aborted, "aborted"},
		{txn.Start, "start"}, {txn.Operation, "insert"}, {txn.Commit, "commit"}, {txn.Abort, "abort"},
	} {
		if tt.got.String() != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// Counts, pauses and texts of sessions and transactions that no option changes.
func TestConstantsOfSessions(t *testing.T) {
	for _, tt := range []struct{ got, want any }{
		{txn.WithTransactionTimeout, 2 * time.Minute},
		{txn.WithTransactionBackoff, 5 * time.Millisecond},
		{txn.WithTransactionMaxBackoff, 500 * time.Millisecond},
		{txn.WithTransactionBackoffGrowth, 1.5},
		{txn.EndSessionsBatch, 10_000},
		{txn.SessionMargin, time.Minute},
		{txn.CommitRetryWTimeout, 10 * time.Second},
		{txn.UnacknowledgedWriteConcern(), "transactions do not support unacknowledged write concerns"},
		{txn.ReadPreferenceNotPrimary(), "read preference in a transaction must be primary"},
		{txn.WriteConcernInTransaction(), "Cannot set write concern after starting a transaction"},
		{txn.ReadConcernInTransaction(), "Cannot set read concern after starting a transaction"},
		{txn.SnapshotReadsUnsupported("5.0"), "Snapshot reads require MongoDB 5.0 or later"},
		{txn.TransactionInSnapshot(), "Transactions are not supported in snapshot sessions"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %v, want %v", tt.got, tt.want)
		}
	}
}
