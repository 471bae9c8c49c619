package decide

import (
	. "github.com/specdrivers/onion/generated/core/operation"
)

// keepingInvariants are about what is kept, and about servers, sessions and pins.
var keepingInvariants = []invariant{
	{"the first failure is kept", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		return !e.hasFailed() || e.state().Kept == FailureKept || e.verdict.Report != KeepEarlier
	}},
	{"a failure that is kept stays until another takes its place", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool { return e.state().Kept == NothingKept || e.now().Kept == FailureKept }},
	{"the caller's error is never less certain than what is known", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool {
			return e.state().Access == Reading || e.after.world.kept >= e.before.world.kept
		}},
	{"of two writes that may have written the latest is reported", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool {
			return !e.hasFailed() || e.certainty() < mayHaveWritten || e.verdict.Report != KeepEarlier
		}},
	{"the latest error of a read that was sent is reported", "retryable reads, 3c. If a retry attempt fails", func(e *edge) bool {
		return !e.hasFailed() || e.state().Access != Reading || !e.hadSent() || e.verdict.Report == TakeError
	}},
	{"a retry that was not sent does not replace the error of one that was", "retryable reads, 3c. If a retry attempt fails",
		func(e *edge) bool {
			return !e.hasFailed() || e.hadSent() || e.before.world.kept <= notSent || e.verdict.Report == KeepEarlier
		}},
	{"a result is reported where the reply holds one, but for the end of a transaction", "CRUD, Write Concern Errors",
		func(e *edge) bool {
			holds := e.event.Failure == WriteConcernFailed || e.event.Failure == WritesFailed
			ends := e.state().Role == Commit || e.state().Role == Abort
			return !e.hasFailed() || e.verdict.Report == KeepEarlier || (e.verdict.Report == TakeOutcome) == (holds && !ends)
		}},
	{"discovery hears of every error of a connection, except those of encryption", "SDAM, Application errors", func(e *edge) bool {
		connected := e.state().Stage == AtEncoding || e.state().Stage == AtServer || e.state().Stage == AtAuthentication
		return !e.hasFailed() || (e.verdict.Blame == TellTopology) == (connected && e.event.Failure != Encryption)
	}},
	{"a session is dirty after a network error of a command that was sent, and only then", "driver sessions, Network errors",
		func(e *edge) bool {
			return !e.hasFailed() || (e.verdict.Session == DirtySession) == (e.hadSent() && e.isNetworkError())
		}},
	{"in a sharded cluster a retry avoids every router that failed", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool {
			return !e.hasFailed() || e.event.Kind != RouterServer || e.state().Stage == AtSelection || e.verdict.Avoid == AvoidServer
		}},
	{"elsewhere it avoids a server that is overloaded, where the program asks for it", "client backpressure, Overload retry policy",
		func(e *edge) bool {
			wanted := e.state().Retargeting == RetargetingOn && e.event.Overload != NotOverloaded && e.state().Stage != AtSelection
			return !e.hasFailed() || e.event.Kind == RouterServer || (e.verdict.Avoid == AvoidServer) == wanted
		}},
	{"only the first command of a transaction pins", "transactions, Mongos Pinning", func(e *edge) bool {
		return e.verdict.Pin != PinServer && e.verdict.Pin != PinConnection || e.state().Role == FirstInTransaction
	}},
	{"the first command pins at every router", "transactions, Mongos Pinning", func(e *edge) bool {
		return e.event.What != CheckedOut || e.state().Role != FirstInTransaction || e.event.Kind < RouterServer ||
			e.event.Binding == CursorConnection || e.after.world.pinned
	}},
	{"a replica set pins nothing", "transactions, Mongos Pinning", func(e *edge) bool {
		return e.event.Kind != MemberServer || e.verdict.Pin != PinServer && e.verdict.Pin != PinConnection
	}},
	{"behind a load balancer the pin is a connection, elsewhere a server", "load balancers, Connection Pinning", func(e *edge) bool {
		return e.verdict.Pin != PinServer && e.verdict.Pin != PinConnection ||
			(e.verdict.Pin == PinConnection) == (e.event.Kind == BalancedRouter)
	}},
	{"a commit with an unknown result releases the pin", "transactions, When to unpin", func(e *edge) bool {
		unknown := e.verdict.TransactionLabel == AddUnknownResult || e.hasFailed() && e.state().Role == Commit && e.event.Result == ResultUnknown
		return !unknown || e.verdict.Pin == Unpin
	}},
	{"any error of an abort releases the pin", "transactions, When to unpin", func(e *edge) bool {
		return !e.hasFailed() || e.state().Role != Abort || e.verdict.Pin == Unpin
	}},
	{"a transaction that failed for good with TransientTransactionError is unpinned", "transactions, When to unpin",
		func(e *edge) bool {
			transient := e.event.Transience == Transient || e.verdict.TransactionLabel == AddTransient
			return !e.hasFailed() || !e.isInTransaction() || !transient || e.isRetry() || e.verdict.Pin == Unpin
		}},
	{"commands of a transaction stay on their pin until one of the events that release it", "transactions, When to unpin",
		func(e *edge) bool {
			transient := e.event.Transience == Transient || e.verdict.TransactionLabel == AddTransient
			return e.verdict.Pin != Unpin || e.state().Role == Abort || transient || e.verdict.TransactionLabel == AddUnknownResult
		}},
	{"a later command that is retried stays on its pin", "transactions, Interaction with Client Backpressure", func(e *edge) bool {
		return e.state().Role != InTransaction || !e.isRetry() || e.verdict.Pin == LeavePin
	}},
	{"a first command that is retried may begin the transaction elsewhere", "transactions, Interaction with Client Backpressure",
		func(e *edge) bool {
			return e.state().Role != FirstInTransaction || !e.isRetry() || e.event.Transience != Transient || e.verdict.Pin == Unpin
		}},
	{"a commit repeats with majority once one was sent", "transactions, writeConcern for commitTransaction attempts",
		func(e *edge) bool {
			answered := e.event.What == Replied || e.hasFailed() && !e.isOverload()
			return e.state().Role != Commit || !answered || e.now().Commits == CommitSent
		}},
	{"a commit that was sent stays sent", "transactions, writeConcern for commitTransaction attempts", func(e *edge) bool {
		return e.state().Commits == NoCommitSent || e.now().Commits == CommitSent
	}},
	{"an overloaded server has not begun the commit", "transactions, Interaction with Client Backpressure", func(e *edge) bool {
		return e.state().Role != Commit || !e.hasFailed() || !e.isOverload() || e.now().Commits == e.state().Commits
	}},
	{"a commit is open exactly when its error is labelled so", "transactions, UnknownTransactionCommitResult", func(e *edge) bool {
		return !e.hasFailed() || (e.now().CommitBefore == CommitOpen) == (e.verdict.TransactionLabel == AddUnknownResult)
	}},
	{"an operation that is no commit leaves the commits alone", "transactions, commitTransaction", func(e *edge) bool {
		return e.state().Role == Commit || e.now().Commits == e.state().Commits
	}},
	{"a connection is authenticated again only with a credential, only after the server asked, and once for each try",
		"authentication, Reauthentication", func(e *edge) bool {
			return e.verdict.Do != Authenticate || e.state().Credential == HasCredential &&
				e.event.Class == ReauthenticationCode && e.state().Stage == AtServer && e.state().Mended != AuthenticatedAgain
		}},
	{"a server that wants a new authentication gets it", "authentication, Reauthentication", func(e *edge) bool {
		return e.event.What != Stumbled || e.event.Class != ReauthenticationCode || e.state().Credential == NoCredential ||
			e.state().Stage != AtServer || e.state().Mended == AuthenticatedAgain || e.verdict.Do == Authenticate
	}},
	{"a server that has left is replaced once, where nothing has chosen it", "CMAP, Checking Out a Connection", func(e *edge) bool {
		mended := e.event.What == Stumbled && e.verdict.Do == Select
		wanted := e.event.What == Stumbled && e.state().Stage == AtCheckOut && e.event.Failure == PoolGone &&
			e.event.Binding == Unbound && e.state().Mended == NotMended
		return mended == wanted
	}},
	{"a try that goes on notes why", "CMAP, Checking Out a Connection", func(e *edge) bool {
		is := e.now().Mended
		return e.event.What != Stumbled || e.verdict.Do != Select && e.verdict.Do != Authenticate ||
			(is == ChosenAgain) == (e.verdict.Do == Select) && (is == AuthenticatedAgain) == (e.verdict.Do == Authenticate)
	}},
	{"a try is mended twice at most", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		return e.after.world.mended <= 2
	}},
	{"a new try begins with the choice of a server", "retryable reads, 3a. Selecting the server for retry", func(e *edge) bool {
		return !e.isRetry() || e.verdict.Do == Select || e.verdict.Do == Pause
	}},
	{"each event leads to one stage", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		return [...]Stage{
			Return: Idle, Select: AtSelection, CheckOut: AtCheckOut, Encode: AtEncoding, Send: AtServer, Authenticate: AtAuthentication,
			Pause: AtPause, Renumber: AtNumbering, Fail: e.state().Stage,
		}[e.verdict.Do] == e.now().Stage
	}},
	{"a command names the session that the program gave, or none is sent", "driver sessions, Sending the session ID to the server",
		func(e *edge) bool {
			return e.verdict.Do != Encode || e.state().SessionKind < ExplicitSession || e.verdict.Lsid == OwnSession ||
				e.verdict.Lsid == RefuseSession
		}},
	{"a session is made only where the server has sessions and answers", "driver sessions, Implicit sessions", func(e *edge) bool {
		return e.verdict.Lsid != MakeSession || e.event.Sessions == HasSessions && e.state().Reply == Acknowledged
	}},
	{"a command with a transaction number has a session", "driver sessions, Sending the session ID to the server",
		func(e *edge) bool {
			return e.verdict.TxnNumber == NoTxnNumber || e.verdict.Lsid != NoLsid || e.verdict.Do == Return ||
				e.event.Sessions == NoSessions || e.state().SessionKind == WithoutSession
		}},
	{"startTransaction goes with the first command and no other", "transactions, Constructing the first command within a transaction",
		func(e *edge) bool {
			return e.verdict.Do != Encode || (e.verdict.TxnNumber == StartTransaction) == (e.state().Role == FirstInTransaction)
		}},
	{"every command of a transaction has its number", "transactions, Constructing any other command within a transaction",
		func(e *edge) bool {
			return e.verdict.Do != Encode || !e.isInTransaction() || e.verdict.TxnNumber >= StartTransaction
		}},
	{"a retryable write has a number of its own", "retryable writes, Generating Transaction IDs", func(e *edge) bool {
		return e.verdict.Do != Encode || e.isInTransaction() || (e.verdict.TxnNumber == OwnTxnNumber) == (e.now().Policy == AsWrite)
	}},
	{"no read concern is sent after the first command of a transaction", "transactions, readConcern", func(e *edge) bool {
		return !e.isInTransaction() || e.state().Role == FirstInTransaction || e.verdict.ReadConcern == NoReadConcern
	}},
	{"only the end of a transaction has a write concern", "transactions, writeConcern", func(e *edge) bool {
		if e.verdict.Do != Encode || !e.isInTransaction() {
			return true
		}
		if ends := e.state().Role == Commit || e.state().Role == Abort; ends {
			return e.verdict.WriteConcern >= TransactionWriteConcern
		}
		return e.verdict.WriteConcern == NoWriteConcern
	}},
	{"a commit that may have taken place is repeated with majority", "transactions, writeConcern for commitTransaction attempts",
		func(e *edge) bool {
			again := e.state().Role == Commit && e.now().Commits == CommitSent
			return e.verdict.Do != Encode || (e.verdict.WriteConcern == MajorityWriteConcern) == again
		}},
	{"afterClusterTime belongs to causally consistent sessions, and to no standalone", "causal consistency", func(e *edge) bool {
		switch e.verdict.ReadConcern {
		case OwnReadConcernAfter, AfterClusterTime, TransactionReadConcernAfter:
			return e.state().SessionKind == CausalSession && e.event.Kind != StandaloneServer
		}
		return true
	}},
	{"every command of a snapshot session but killCursors has its point in time, or is not sent", "snapshot sessions", func(e *edge) bool {
		return e.verdict.Do != Encode || e.state().SessionKind != SnapshotSession || e.verdict.ReadConcern >= SnapshotReadConcern ||
			e.state().ReadConcernUse == ReadConcernRefused
	}},
	{"a snapshot is read only where the server can", "snapshot sessions, Requires MongoDB 5.0+", func(e *edge) bool {
		return e.verdict.ReadConcern != SnapshotReadConcern || e.event.Snapshots == HasSnapshots
	}},
	{"a standalone hears of no cluster time, and everything else does", "driver sessions, Gossipping the cluster time",
		func(e *edge) bool {
			return e.verdict.Do != Encode || (e.verdict.Gossip == NoClusterTime) == (e.event.Kind == StandaloneServer)
		}},
}
