package decide

import (
	"slices"

	. "github.com/specdrivers/onion/generated/core/operation"
)

func (e *edge) on(events ...What) bool { return slices.Contains(events, e.event.What) }

// ownInvariants say what each event decides, and what it does not change.
var ownInvariants = []invariant{
	{"only a message that is about to be written has fields", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		v := &e.verdict
		return e.on(CheckedOut, Renumbered, Reauthenticated) ||
			v.Lsid == 0 && v.TxnNumber == 0 && v.ReadConcern == 0 && v.WriteConcern == 0 && v.Gossip == 0
	}},
	{"only a failure is labelled, reported, blamed on a server or followed by another try",
		"retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
			v := &e.verdict
			return e.hasFailed() || v.WriteLabel == 0 && v.TransactionLabel == 0 && v.Report == 0 && v.Room == 0 && v.Adaptive == 0 &&
				v.Again == 0 && v.Wait == 0 && v.Avoid == 0 && v.Blame == 0 && v.Session == 0
		}},
	{"a pin begins with a connection and ends with a failure", "transactions, Mongos Pinning; transactions, When to unpin",
		func(e *edge) bool {
			pins := e.verdict.Pin == PinServer || e.verdict.Pin == PinConnection
			return (!pins || e.on(CheckedOut)) && (e.verdict.Pin != Unpin || e.hasFailed())
		}},
	{"a message is given up or written again when its server, or what it holds, is known", "retryable writes, Supported Write Operations",
		func(e *edge) bool { return e.verdict.Message == UseMessage || e.on(CheckedOut, Encoded) }},
	{"how an operation is retried changes only with what is found out about it", "retryable writes, Supported Write Operations",
		func(e *edge) bool {
			return e.now().Policy == e.state().Policy || e.on(Begun, CheckedOut, Encoded, Failed)
		}},
	{"a message gets or loses its number when it is written", "retryable writes, Generating Transaction IDs",
		func(e *edge) bool { return e.now().Number == e.state().Number || e.on(Encoded) }},
	{"only a failure overloads an operation, or is kept", "client backpressure, Overload retry policy", func(e *edge) bool {
		return e.hasFailed() || e.now().Load == e.state().Load && e.now().Kept == e.state().Kept
	}},
	{"a try is mended when it stumbles", "retryable writes, Executing Retryable Write Commands",
		func(e *edge) bool { return e.now().Mended == e.state().Mended || e.on(Stumbled, Failed) }},
	{"what is known of commits changes with a reply or a failure", "transactions, commitTransaction", func(e *edge) bool {
		return e.on(Replied, Failed) || e.now().Commits == e.state().Commits && e.now().CommitBefore == e.state().CommitBefore
	}},
	{"a command that takes a write concern has that of the operation, each time it is written", "read and write concern, Generic command method",
		func(e *edge) bool {
			own := e.verdict.WriteConcern == OwnWriteConcern
			return e.verdict.Do != Encode || e.isInTransaction() || own == (e.state().WriteConcernUse == WriteConcernTaken)
		}},
	{"a command that takes a read concern has that of the operation, each time it is written", "read and write concern, Generic command method",
		func(e *edge) bool {
			own := e.verdict.ReadConcern == OwnReadConcern || e.verdict.ReadConcern == OwnReadConcernAfter
			return e.verdict.Do != Encode || e.isInTransaction() || e.state().SessionKind == SnapshotSession ||
				own == (e.state().ReadConcernUse == ReadConcernTaken)
		}},
	{"the first command of a transaction has the read concern of the transaction, each time it is written", "transactions, readConcern",
		func(e *edge) bool {
			of := e.verdict.ReadConcern == TransactionReadConcern || e.verdict.ReadConcern == TransactionReadConcernAfter
			return e.verdict.Do != Encode || of == (e.state().Role == FirstInTransaction)
		}},
	{"what was given stays as it was", "retryable writes, Executing Retryable Write Commands", func(e *edge) bool {
		was, is := *e.state(), *e.now()
		was.Stage, was.Policy, was.Number, was.Load, was.Kept, was.Mended = is.Stage, is.Policy, is.Number, is.Load, is.Kept, is.Mended
		was.Commits, was.CommitBefore = is.Commits, is.CommitBefore
		return was == is
	}},
}

func init() { invariants = append(invariants, ownInvariants...) }
