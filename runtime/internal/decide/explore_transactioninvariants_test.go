package decide

import (
	"testing"

	. "github.com/specdrivers/onion/generated/core/withtransaction"
)

// callInvariant is a sentence that holds for every step, and where the specifications say it.
type callInvariant struct {
	name, spec string
	holds      func(*callEdge) bool
}

// hasEnded reports whether a step has failed, the abort behind it included.
func (e *callEdge) hasEnded() bool {
	return e.event.What == Aborted || e.event.What == Failed && e.verdict.Do != Abort
}

// isCommitFailure reports whether a commit has failed.
func (e *callEdge) isCommitFailure() bool { return e.event.What == Failed && e.before.do == Commit }

// isUnknownCommit reports whether a commit has failed in a way that asks for another one.
func (e *callEdge) isUnknownCommit() bool {
	return e.isCommitFailure() && e.event.Result == ResultUnknown && e.event.Code == OtherCode && e.event.Sending == MaySend
}

// hasSucceeded reports whether the call returns without an error.
func (e *callEdge) hasSucceeded() bool { return e.verdict.Do == Return && e.verdict.Report == NoError }

var callInvariants = []callInvariant{
	{"a call begins with a transaction", "convenient API, Sequence of Actions, 3", func(e *callEdge) bool {
		return e.event.What != Begun || e.verdict.Do == Start
	}},
	{"an error of startTransaction is the caller's, as it is", "convenient API, Sequence of Actions, 4", func(e *callEdge) bool {
		return e.event.What != Failed || e.before.do != Start || e.verdict.Do == Return && e.verdict.Report == AsIs
	}},
	{"the function runs in every transaction that was started", "convenient API, Sequence of Actions, 5", func(e *callEdge) bool {
		return (e.verdict.Do == Call) == (e.event.What == Started)
	}},
	{"a transaction is aborted when its function fails, unless the function has ended it", "convenient API, Sequence of Actions, 7.1",
		func(e *callEdge) bool {
			wanted := e.event.What == Failed && e.before.do == Call && e.event.Transaction == TransactionOpen
			return (e.verdict.Do == Abort) == wanted
		}},
	{"no transaction is left open", "convenient API, Sequence of Actions, 7.1", func(e *callEdge) bool {
		return e.verdict.Do != Start && e.verdict.Do != Return && e.verdict.Do != Backoff || !e.after.world.open
	}},
	{"a function that has ended its transaction meant it", "convenient API, Sequence of Actions, 8", func(e *callEdge) bool {
		return e.event.What != Returned || e.event.Transaction == TransactionOpen || e.hasSucceeded()
	}},
	{"a transaction whose function has succeeded is committed", "convenient API, Sequence of Actions, 9", func(e *callEdge) bool {
		return e.event.What != Returned || e.event.Transaction == TransactionEnded || e.verdict.Do == Commit
	}},
	{"a call succeeds after a commit, or when the function has ended its transaction, and in no other way",
		"convenient API, Sequence of Actions, 8 and 11", func(e *callEdge) bool {
			wanted := e.event.What == Committed || e.event.What == Returned && e.event.Transaction == TransactionEnded
			return e.hasSucceeded() == wanted
		}},
	{"a whole transaction is repeated after TransientTransactionError alone", "convenient API, ClientSession.withTransaction",
		func(e *callEdge) bool {
			return e.verdict.Again != WholeTransaction || e.event.Transience == Transient
		}},
	{"TransientTransactionError repeats the whole transaction, behind a pause", "convenient API, Sequence of Actions, 7.2 and 10.2",
		func(e *callEdge) bool {
			return !e.hasEnded() || e.event.Transience != Transient || e.before.do == Start ||
				e.verdict.Do == Backoff && e.after.state.Stage == AtPause
		}},
	{"a commit with an unknown result is repeated while there is time", "convenient API, Sequence of Actions, 10.1",
		func(e *callEdge) bool {
			again := e.verdict.Do == Commit || e.verdict.Do == Space || e.verdict.Do == Backoff && e.after.state.Stage == AtCommitBackoff
			return !e.isUnknownCommit() || again == (e.event.Time == TimeLeft)
		}},
	{"no other error repeats the commit alone", "convenient API, Sequence of Actions, 10.1", func(e *callEdge) bool {
		return !e.hasEnded() || e.verdict.Again != SameCommit || e.isUnknownCommit()
	}},
	{"a commit is not repeated after MaxTimeMSExpired", "convenient API, The commit is not retried after a MaxTimeMSExpired error",
		func(e *callEdge) bool {
			return !e.isCommitFailure() || e.event.Code != MaxTimeMSExpired || e.verdict.Do == Return && e.verdict.Report == AsIs
		}},
	{"a commit that could not be sent in the time left is not repeated", "CSOT, Command Execution", func(e *callEdge) bool {
		return !e.isCommitFailure() || e.event.Sending != TooLate || e.verdict.Do == Return && e.verdict.Report == AsIs
	}},
	{"an error with neither label is the caller's, as it is", "convenient API, ClientSession.withTransaction", func(e *callEdge) bool {
		neither := e.event.Transience == NotTransient && e.event.Result == ResultKnown
		return !e.hasEnded() || !neither || e.verdict.Do == Return && e.verdict.Report == AsIs
	}},
	{"a function whose own commit is unknown gets no second one", "convenient API, Sequence of Actions, 7.3", func(e *callEdge) bool {
		return !e.hasEnded() || e.before.do == Commit || e.verdict.Again != SameCommit
	}},
	{"nothing begins after the time is over", "convenient API, ClientSession.withTransaction", func(e *callEdge) bool {
		begins := e.verdict.Do == Start || e.verdict.Do == Commit && e.event.What != Returned
		return !begins || e.event.Time == TimeLeft
	}},
	{"the first transaction and its commit do not ask for the time", "convenient API, Sequence of Actions, 9", func(e *callEdge) bool {
		return e.event.What != Returned || e.event.Transaction == TransactionEnded || e.event.Time == TimeLeft || e.verdict.Do == Commit
	}},
	{"a limit that is reached makes a timeout of the error", "convenient API, Timeout Error propagation", func(e *callEdge) bool {
		limited := e.event.Time == LimitReached && (e.event.What == Waited || e.isUnknownCommit())
		return (e.verdict.Report == NoTimeForAnother) == limited
	}},
	{"a deadline of the caller that passes in a backoff makes a timeout of the error", "convenient API, Timeout Error propagation",
		func(e *callEdge) bool {
			passed := e.event.What == Waited && e.event.Time == DeadlinePassed && e.before.do == Backoff
			return (e.verdict.Report == OutOfTime) == passed
		}},
	{"a caller that gives up in a backoff gets the error, and why there was no other attempt",
		"convenient API, Timeout Error propagation", func(e *callEdge) bool {
			passed := e.event.What == Waited && e.event.Time == Canceled && e.before.do == Backoff
			return (e.verdict.Report == GivenUp) == passed
		}},
	{"a call that goes on has nothing to report but an error that is aborted first", "convenient API, Sequence of Actions",
		func(e *callEdge) bool {
			return e.verdict.Do == Return || e.verdict.Do == Abort || e.verdict.Report == NoError
		}},
	{"a commit after an overload waits longer each time", "client backpressure, Interaction with Other Retry Policies",
		func(e *callEdge) bool {
			return !e.isUnknownCommit() || e.event.Time != TimeLeft || (e.verdict.Do == Backoff) == (e.event.Load == Overloaded)
		}},
	{"other commits wait only where they follow each other too fast", "departures, paced-commits", func(e *callEdge) bool {
		return (e.verdict.Do == Space) == (e.isUnknownCommit() && e.event.Time == TimeLeft && e.event.Load == NotOverloaded &&
			e.event.Pace == Spinning)
	}},
	{"a pause leads back to what it interrupted", "convenient API, Sequence of Actions, 2", func(e *callEdge) bool {
		if e.event.What != Waited || e.event.Time != TimeLeft {
			return true
		}
		return (e.verdict.Do == Start) == (e.before.state.Stage == AtPause) && (e.verdict.Do == Commit) == (e.before.state.Stage != AtPause)
	}},
	{"each thing to do belongs to one stage", "convenient API, Sequence of Actions", func(e *callEdge) bool {
		switch s := e.after.state.Stage; e.verdict.Do {
		case Start:
			return s == AtStart
		case Call:
			return s == AtCallback
		case Abort:
			return s == AtAbort
		case Commit:
			return s == AtCommit
		case Backoff:
			return s == AtPause || s == AtCommitBackoff
		case Space:
			return s == AtCommitSpacing
		default:
			return s == Idle
		}
	}},
}

func TestCallInvariantsAreSentences(t *testing.T) {
	names := map[string]bool{}
	for _, inv := range callInvariants {
		if names[inv.name] || inv.spec == "" {
			t.Errorf("%q stands twice or cites nothing", inv.name)
		}
		names[inv.name] = true
	}
}
