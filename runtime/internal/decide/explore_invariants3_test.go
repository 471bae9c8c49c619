package decide

import (
	. "github.com/specdrivers/onion/generated/core/operation"
)

// positiveInvariants say when something must happen; the others say when it may.
var positiveInvariants = []invariant{
	{"the code of an old server earns the driver's label, but for a failed write concern of a mongos",
		"retryable writes, RetryableWriteError Labels", func(e *edge) bool {
			wanted := e.hasFailed() && e.now().Policy == AsWrite && e.event.Labelling == DriverLabels && e.event.Mark == Unmarked &&
				e.event.Class == WriteCode && e.event.Failure == CommandFailed
			concern := e.hasFailed() && e.now().Policy == AsWrite && e.event.Labelling == DriverLabels && e.event.Mark == Unmarked &&
				e.event.Class == WriteCode && e.event.Failure == WriteConcernFailed && e.event.Kind < RouterServer
			return !wanted && !concern || e.verdict.WriteLabel == AddWriteLabel
		}},
	{"a message that is ready has a number exactly when the operation is retried by it", "retryable writes, Generating Transaction IDs",
		func(e *edge) bool {
			numbered := e.now().Policy == AsWrite && e.verdict.Message != EncodeAgain
			return e.event.What != Encoded || (e.now().Number == HasNumber) == numbered
		}},
	{"a causally consistent session tells the time that it has seen, wherever there is a cluster time", "causal consistency",
		func(e *edge) bool {
			tells := e.verdict.ReadConcern == OwnReadConcernAfter || e.verdict.ReadConcern == AfterClusterTime ||
				e.verdict.ReadConcern == TransactionReadConcernAfter
			takes := e.state().ReadConcernUse == ReadConcernTaken || e.state().ReadConcernUse == AfterClusterTimeTaken
			wanted := e.state().Role == FirstInTransaction || !e.isInTransaction() && takes
			return e.verdict.Do != Encode || e.state().SessionKind != CausalSession || e.event.Kind == StandaloneServer || tells == wanted
		}},
	{"killCursors has no read concern", "snapshot sessions, Sending readConcern to the server on all commands", func(e *edge) bool {
		return e.verdict.Do != Encode || e.state().ReadConcernUse != ReadConcernRefused || e.state().Role == FirstInTransaction ||
			e.verdict.ReadConcern == NoReadConcern
	}},
	{"a session of the program is refused exactly where the server has none", "driver sessions, How to Tell Whether a Connection Supports Sessions",
		func(e *edge) bool {
			programs := e.state().SessionKind >= ExplicitSession && e.state().SessionKind <= SnapshotSession
			return e.verdict.Do != Encode || (e.verdict.Lsid == RefuseSession) == (programs && e.event.Sessions == NoSessions)
		}},
	{"the end of a transaction is retried after an overload whatever the settings", "transactions, Interaction with Client Backpressure",
		func(e *edge) bool {
			return !e.hasFailed() || e.state().Role < Commit || e.verdict.Adaptive == IsAdaptive
		}},
	{"the end of a transaction is retried as a write wherever it goes", "transactions, Interaction with Retryable Writes",
		func(e *edge) bool { return e.state().Role < Commit || e.now().Policy == AsWrite }},
	{"a write has no second try when its first server has no transaction numbers", "retryable writes, Supported Server Versions",
		func(e *edge) bool {
			unsupported := e.hasFailed() && e.state().Stage == AtCheckOut && e.event.Numbers == NoNumbers && e.state().Kept == NothingKept
			return !unsupported || e.state().Role != Alone || e.state().Access != Writing || !e.isRetry() || e.isOverload()
		}},
	{"a write that has failed is sent to no server that could not recognize it", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool {
			again := e.event.What == CheckedOut && e.state().Kept == FailureKept && e.state().Policy == AsWrite && e.state().Role == Alone
			return !again || (e.verdict.Do == Return) == (e.event.Numbers == NoNumbers)
		}},
	{"a connection that cannot be authenticated again replaces no error of a write", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool {
			late := e.hasFailed() && e.state().Stage == AtAuthentication && e.state().Kept == FailureKept
			return !late || e.state().Access == Reading || e.verdict.Report == KeepEarlier
		}},
	{"a try that fails begins the next one without a mended connection", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool { return e.verdict.Do != Fail || e.now().Mended == NotMended }},
}

func init() { invariants = append(invariants, positiveInvariants...) }
