package decide

import (
	. "github.com/specdrivers/onion/generated/core/operation"
)

// invariant is a sentence that holds for every step, and where the specifications say it.
type invariant struct {
	name, spec string
	holds      func(*edge) bool
}

func (e *edge) isRetry() bool   { return e.verdict.Again == Retry }
func (e *edge) state() *State   { return &e.before.operation.State }
func (e *edge) now() *State     { return &e.after.operation.State }
func (e *edge) hasFailed() bool { return e.event.What == Failed }
func (e *edge) isNetworkError() bool {
	return e.event.Failure == Network || e.event.Failure == PoolGone
}
func (e *edge) isInTransaction() bool { return e.state().Role > OnCursor }
func (e *edge) isOverload() bool      { return e.event.Overload == OverloadedRetryable }

var invariants = []invariant{
	{"an operation that has ended hears of nothing more, and one that has not ended has something to do",
		"retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
			return (e.now().Stage == Idle) == (e.verdict.Do == Return)
		}},
	{"a message is sent only after it was encoded", "OP_MSG", func(e *edge) bool {
		return (e.verdict.Do == Send) == (e.event.What == Encoded && e.now().Stage == AtServer)
	}},
	{"a write that may have been carried out is not sent again without a number", "retryable writes, Generating Transaction IDs",
		func(e *edge) bool {
			return e.verdict.Do != Send || !e.before.world.unnumbered || e.state().Access == Reading
		}},
	{"a retry of a write keeps its number", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		return e.verdict.Do != Send || e.before.world.sends == 0 || !e.before.world.number || e.after.world.number ||
			e.before.world.kept != mayHaveWritten
	}},
	{"a write with a number goes only to servers that take one", "retryable writes, Supported Server Versions", func(e *edge) bool {
		return e.verdict.Do != Send || e.now().Policy != AsWrite || e.isInTransaction() || e.event.Numbers == TakesNumbers
	}},
	{"a message whose items forbid a retry has no number", "retryable writes, Supported Write Operations", func(e *edge) bool {
		return e.verdict.Do != Send || e.event.Items != ItemsForbid || e.isInTransaction() || !e.after.world.number
	}},
	{"a write is retried only where retryWrites is on", "retryable writes, retryWrites", func(e *edge) bool {
		return !e.isRetry() || e.state().Access != Writing || e.state().WriteSetting == RetryWritesOn || e.state().Role >= Commit
	}},
	{"a read is retried only where retryReads is on", "retryable reads, retryReads", func(e *edge) bool {
		return !e.isRetry() || e.state().Access != Reading || e.state().ReadSetting == RetryReadsOn
	}},
	{"a command of the program's own is retried only after an overload, and only where both settings are on",
		"client backpressure, Overload retry policy", func(e *edge) bool {
			return !e.isRetry() || e.state().Access != UnknownAccess ||
				e.isOverload() && e.state().ReadSetting == RetryReadsOn && e.state().WriteSetting == RetryWritesOn
		}},
	{"a command of a transaction is retried only after an overload", "transactions, Interaction with Retryable Writes",
		func(e *edge) bool {
			return !e.isRetry() || e.state().Role != FirstInTransaction && e.state().Role != InTransaction || e.isOverload()
		}},
	{"an operation on a cursor is retried only after an overload", "retryable reads, Unsupported Read Operations",
		func(e *edge) bool { return !e.isRetry() || e.state().Role != OnCursor || e.isOverload() }},
	{"a write without an answer is not sent twice", "retryable writes, Supported Write Operations", func(e *edge) bool {
		return e.state().Reply != Unacknowledged || e.after.world.sends <= 1
	}},
	{"without timeoutMS and without an overload there is one retry", "retryable reads, Executing Retryable Read Commands",
		func(e *edge) bool {
			return !e.isRetry() || e.state().Clock == UnderTimeout || e.now().Load == OnceOverloaded || e.before.operation.Retries == 0
		}},
	{"after an overload there are no more retries than maxAdaptiveRetries", "client backpressure, Overload retry policy",
		func(e *edge) bool {
			return !e.isRetry() || e.now().Load == NeverOverloaded || e.before.operation.Retries < adaptiveRetries
		}},
	{"under timeoutMS the number of retries has no limit until a server is overloaded", "CSOT, Retryability", func(e *edge) bool {
		return !e.hasFailed() || e.state().Clock != UnderTimeout || e.now().Load == OnceOverloaded || e.verdict.Room == HasRoom
	}},
	{"nothing begins after the time is over", "CSOT, Retryability", func(e *edge) bool {
		return !e.isRetry() || e.event.Time == TimeLeft
	}},
	{"a retryable overload is retried wherever time, number and settings allow", "client backpressure, Overload retry policy",
		func(e *edge) bool {
			return !e.hasFailed() || !e.isOverload() || e.isRetry() || e.event.Time != TimeLeft || e.verdict.Room == NoRoom ||
				e.verdict.Adaptive == NotAdaptive
		}},
	{"a retry waits when its error reports an overload, or tries follow each other too fast, and only then",
		"client backpressure, Overload retry policy; departures, paced-operations", func(e *edge) bool {
			wanted := e.event.Overload != NotOverloaded || e.event.Pace == Spinning
			return !e.hasFailed() || (e.verdict.Do == Pause) == (e.isRetry() && wanted)
		}},
	{"an overload decides how long a retry waits", "client backpressure, Overload retry policy", func(e *edge) bool {
		return !e.isRetry() || (e.verdict.Wait == Backoff) == (e.event.Overload != NotOverloaded)
	}},
	{"a retryable read is retried after a network error", "retryable reads, Retryable Error", func(e *edge) bool {
		return !e.hasFailed() || e.state().Policy != AsRead || !e.isNetworkError() || e.isRetry() || e.event.Time != TimeLeft ||
			e.verdict.Room == NoRoom
	}},
	{"a retryable read is retried after each code of its list", "retryable reads, Retryable Error", func(e *edge) bool {
		return !e.hasFailed() || e.state().Policy != AsRead || e.event.Class != ReadCode && e.event.Class != WriteCode || e.isRetry() ||
			e.event.Time != TimeLeft || e.verdict.Room == NoRoom
	}},
	{"a retryable write is retried exactly when its error has the label", "retryable writes, Determining Retryable Write Errors",
		func(e *edge) bool {
			return !e.hasFailed() || e.state().Policy != AsWrite || e.isOverload() || e.event.Time != TimeLeft ||
				e.event.Failure == Encryption || e.verdict.Room == NoRoom || e.isRetry() == (e.verdict.WriteLabel != NoWriteLabel)
		}},
	{"an error of the driver's own is not retried", "retryable writes, Terms", func(e *edge) bool {
		return !e.isRetry() || e.event.Failure != Refusal && e.event.Failure != Encryption && e.event.Failure != TooLate
	}},
	{"the driver labels the network errors of retryable writes", "retryable writes, RetryableWriteError Labels", func(e *edge) bool {
		return !e.hasFailed() || !e.isNetworkError() || (e.verdict.WriteLabel == AddWriteLabel) == (e.now().Policy == AsWrite)
	}},
	{"the driver leaves the labels of replies to servers that know them", "retryable writes, RetryableWriteError Labels",
		func(e *edge) bool {
			return e.event.Labelling != ServerLabels || e.isNetworkError() || e.verdict.WriteLabel != AddWriteLabel
		}},
	{"the driver labels no failed write concern of a mongos", "retryable writes, RetryableWriteError Labels", func(e *edge) bool {
		return e.event.Failure != WriteConcernFailed || e.event.Kind < RouterServer || e.verdict.WriteLabel != AddWriteLabel
	}},
	{"only the code of an old server earns the driver's label", "retryable writes, RetryableWriteError Labels", func(e *edge) bool {
		return e.verdict.WriteLabel != AddWriteLabel || e.isNetworkError() || e.event.Class == WriteCode
	}},
	{"TransientTransactionError is added where no server has answered a command of a transaction, and nowhere else",
		"transactions, Transient Transaction Error", func(e *edge) bool {
			unheard := e.isNetworkError() || e.event.Failure == NoServer
			running := e.state().Role == FirstInTransaction || e.state().Role == InTransaction
			return !e.hasFailed() || (e.verdict.TransactionLabel == AddTransient) == (running && unheard)
		}},
	{"UnknownTransactionCommitResult belongs to commits", "transactions, UnknownTransactionCommitResult", func(e *edge) bool {
		return e.verdict.TransactionLabel != AddUnknownResult || e.state().Role == Commit
	}},
	{"a commit that was not answered, may be retried or ran out of time is unknown", "transactions, UnknownTransactionCommitResult",
		func(e *edge) bool {
			unknown := e.isNetworkError() || e.event.Failure == NoServer || e.event.Expiry == Expired || e.verdict.WriteLabel != NoWriteLabel
			return !e.hasFailed() || e.state().Role != Commit || !unknown || e.verdict.TransactionLabel == AddUnknownResult
		}},
	{"a commit whose write concern failed is unknown unless the concern itself was refused",
		"transactions, UnknownTransactionCommitResult", func(e *edge) bool {
			return !e.hasFailed() || e.state().Role != Commit || e.event.Failure != WriteConcernFailed ||
				e.event.Class == RefusedConcernCode || e.verdict.TransactionLabel == AddUnknownResult
		}},
	{"what became of an earlier commit is unknown while servers are too busy to say", "transactions, UnknownTransactionCommitResult",
		func(e *edge) bool {
			open := e.state().Role == Commit && e.state().CommitBefore == CommitOpen && e.event.Overload != NotOverloaded
			return !e.hasFailed() || !open || e.verdict.TransactionLabel == AddUnknownResult
		}},
	{"a commit that a server has refused is not unknown", "transactions, UnknownTransactionCommitResult", func(e *edge) bool {
		return e.verdict.TransactionLabel != AddUnknownResult || e.event.Failure != CommandFailed || e.event.Expiry == Expired ||
			e.verdict.WriteLabel != NoWriteLabel || e.event.Overload != NotOverloaded || e.event.Result == ResultUnknown
	}},
}

func init() { invariants = append(invariants, keepingInvariants...) }
