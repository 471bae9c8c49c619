package decide

import (
	. "github.com/specdrivers/onion/generated/core/timeout"
)

// timeoutInvariant is a sentence that holds for every part of the driver's work, and where the specification says it.
type timeoutInvariant struct {
	name, spec string
	holds      func(*moment) bool
}

func (m *moment) is(parts ...Part) bool {
	for _, p := range parts {
		if m.event.Part == p {
			return true
		}
	}
	return false
}

// command reports whether the part is the begin of a command.
func (m *moment) command() bool         { return m.event.Part <= KillReplaced }
func (m *moment) isTimed() bool         { return m.after.Clock != WithoutTimeout }
func (m *moment) isInTransaction() bool { return m.event.SessionTime != NoSessionTime }

// nearest is what the program says about the timeoutMS of a command, without its session.
func (m *moment) nearest() (clock Clock, negative bool) {
	switch {
	case m.event.Own == OwnNegative, m.event.Own == OwnUnset && m.event.Inherited == InheritedNegative:
		return Endless, true
	case m.event.Own == OwnEndless, m.event.Own == OwnUnset && m.event.Inherited == InheritedEndless:
		return Endless, false
	case m.event.Own == OwnLimited, m.event.Own == OwnUnset && m.event.Inherited == InheritedLimited:
		return Limited, false
	}
	return WithoutTimeout, false
}

var timeoutInvariants = []timeoutInvariant{
	{"a command in the session of withTransaction ends by its deadline", "CSOT, Validation and Overrides", func(m *moment) bool {
		return !m.is(Start, GetMore, Reopen, KillCursors, KillReplaced) || m.verdict.Refusal != NoRefusal ||
			(m.verdict.Bound == UntilSession) == (m.event.SessionTime == SessionLimited)
	}},
	{"an operation of withTransaction may have no timeoutMS of its own", "CSOT, Validation and Overrides", func(m *moment) bool {
		return !m.is(Start) || (m.verdict.Refusal == TwoTimeouts) == (m.isInTransaction() && m.event.Own != OwnUnset)
	}},
	{"the time of withTransaction takes the place of what is inherited", "CSOT, Validation and Overrides", func(m *moment) bool {
		return !m.command() || !m.isInTransaction() || m.verdict.Refusal != NoRefusal ||
			m.verdict.Source == NoSource && (m.after.Clock == Limited) == (m.event.SessionTime == SessionLimited) && m.isTimed()
	}},
	{"the nearest timeoutMS counts", "CSOT, Validation and Overrides", func(m *moment) bool {
		if !m.is(Start, Options, File, KeyCall, Abandon, Reopen) || m.isInTransaction() {
			return true
		}
		clock, _ := m.nearest()
		own := m.event.Own != OwnUnset
		return m.after.Clock == clock && (m.verdict.Source == OwnSource) == own &&
			(m.verdict.Source == InheritedSource) == (!own && m.event.Inherited != InheritedUnset)
	}},
	{"a timeoutMS below 0 is refused", "CSOT, Validation and Overrides", func(m *moment) bool {
		_, negative := m.nearest()
		return !m.is(Start, File, KeyCall, Transaction) || m.isInTransaction() || (m.verdict.Refusal == NegativeTimeout) == negative
	}},
	{"timeoutMS covers the operation from now on", "CSOT, Blocking Sections for Operation Execution", func(m *moment) bool {
		return !m.is(Start, File, KeyCall) || m.isInTransaction() || (m.verdict.Bound == WholeTimeout) == (m.after.Clock == Limited)
	}},
	{"one serverSelectionTimeoutMS covers the server and the connection under timeoutMS alone", "CSOT, Server Selection",
		func(m *moment) bool { return !m.command() || (m.verdict.Search == SearchTogether) == m.isTimed() }},
	{"the old timeouts are ignored under timeoutMS alone", "CSOT, Validation and Overrides",
		func(m *moment) bool {
			return !m.command() || (m.verdict.Deprecated == DeprecatedIgnored) == m.isTimed()
		}},
	{"the messages of a bulk write share one time", "CSOT, Batching", func(m *moment) bool {
		return !m.is(Message, Results) || m.verdict.Bound == ContextAlone
	}},
	{"a command of a bounded call has no time of its own outside of withTransaction", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(GetMore, Reopen, KillCursors, KillReplaced) || m.isInTransaction() || m.verdict.Bound == ContextAlone
	}},
	{"no command on a cursor with a limit goes without one", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(GetMore, KillCursors, KillReplaced) || m.after.Clock != Limited || m.call != ContextAlone ||
			m.verdict.Bound != ContextAlone
	}},
	{"all getMores of a cursor with a lifetime share the time that began with it", "CSOT, Non-tailable Cursors", func(m *moment) bool {
		return !m.is(Next) || (m.verdict.Bound == RestOfLife) == (m.before.Clock == Limited && m.before.Span == WholeLife && !m.isInTransaction())
	}},
	{"each next of any other cursor has the whole time", "CSOT, Tailable Cursors; CSOT, Change Streams", func(m *moment) bool {
		return !m.is(Next) || (m.verdict.Bound == WholeTimeout) == (m.before.Clock == Limited && m.before.Span != WholeLife && !m.isInTransaction())
	}},
	{"a tailable cursor has no lifetime", "CSOT, Tailable Cursors", func(m *moment) bool {
		return !m.is(Options) || m.before.Kind == NonTailable || m.after.Span != WholeLife
	}},
	{"the lifetime is the usual mode of a cursor that is not tailable", "CSOT, Non-tailable Cursors", func(m *moment) bool {
		return !m.is(Options) || m.before.Kind != NonTailable || m.after.Clock == WithoutTimeout ||
			(m.after.Span == WholeLife) == (m.before.Mode != Iteration)
	}},
	{"a pipeline that writes has no later batches, and the server hears of its deadline", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(Options) || m.before.Origin != WritingPipeline || m.after.Span != EachContext
	}},
	{"the server waits for documents of an awaiting cursor alone", "CSOT, Tailable awaitData Cursors", func(m *moment) bool {
		return !m.is(Options) || (m.after.Span == EachWait) == (m.before.Kind == TailableAwait)
	}},
	{"timeoutMode needs timeoutMS", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(Combined) || m.before.Mode == ModeUnset || m.isTimed() || m.isInTransaction() || m.verdict.Misuse != NoMisuse
	}},
	{"CURSOR_LIFETIME is refused for tailable cursors", "CSOT, Tailable Cursors", func(m *moment) bool {
		return !m.is(Combined) || m.before.Kind == NonTailable || m.before.Mode != CursorLifetime || m.verdict.Misuse != NoMisuse
	}},
	{"ITERATION is refused for $out and $merge", "CSOT, Non-tailable Cursors", func(m *moment) bool {
		return !m.is(Combined) || (m.verdict.Misuse == WritesPerIteration) == (m.before.Origin == WritingPipeline && m.before.Mode == Iteration)
	}},
	{"maxAwaitTimeMS is shorter than a timeoutMS above 0", "CSOT, Tailable awaitData Cursors; CSOT, Change Streams",
		func(m *moment) bool {
			return !m.is(Combined) || m.event.MaxAwait != AwaitLong || m.before.Clock != Limited || m.verdict.Misuse != NoMisuse
		}},
	{"a helper takes any maxAwaitTimeMS beside the timeoutMS 0", "CSOT, Tailable awaitData Cursors", func(m *moment) bool {
		return !m.is(Combined) || m.before.Origin != Helper || m.before.Mode != ModeUnset || m.before.Clock == Limited ||
			(m.verdict.Misuse == NoMisuse) == (m.event.MaxAwait != AwaitNegative)
	}},
	{"runCursorCommand takes maxAwaitTimeMS beside timeoutMS for awaiting cursors alone",
		"run-command, Client Side Operations Timeout", func(m *moment) bool {
			return !m.is(Combined) || m.before.Origin != OwnCommand || m.event.MaxAwait == AwaitUnset || !m.isTimed() ||
				m.before.Kind == TailableAwait || m.verdict.Misuse != NoMisuse
		}},
	{"a cursor without contradictions is opened", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(Combined) || m.before.Mode != ModeUnset || m.event.MaxAwait != AwaitUnset || m.verdict.Misuse == NoMisuse
	}},
	{"only a command that answers by itself has maxTimeMS", "CSOT, Non-tailable Cursors", func(m *moment) bool {
		return !m.is(GetMore, Results) || m.after.MaxTime == NoMaxTime
	}},
	{"the command that opens a cursor has no maxTimeMS if each next has a time or a context of its own",
		"CSOT, Non-tailable Cursors; CSOT, Tailable non-awaitData Cursors", func(m *moment) bool {
			ofContexts := m.before.Span == EachContext && m.after.Clock == WithoutTimeout
			return !m.is(Start) || (m.after.MaxTime == NoMaxTime) == (m.before.Span == EachNext || ofContexts)
		}},
	{"the aggregate that resumes a stream has maxTimeMS", "CSOT, Change Streams", func(m *moment) bool {
		return !m.is(Reopen, Message) || m.after.MaxTime == OfDeadline || m.before.Span == EachNext
	}},
	{"killCursors has maxTimeMS where the cursor has timeoutMS", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(KillCursors) || (m.after.MaxTime == OfDeadline) == (m.event.Inherited != InheritedUnset)
	}},
	{"nothing is sent whose reply could not arrive in time", "CSOT, Command Execution", func(m *moment) bool {
		return !m.is(Encode, Send) || (m.verdict.Late == TooLate) == (m.event.Remaining == NothingRemains)
	}},
	{"maxTimeMS is written once, and only if it means something", "CSOT, Command Execution", func(m *moment) bool {
		return m.verdict.Field == NoField || m.is(Encode) && m.event.CommandTime == NoCommandTime && m.event.Remaining == SomeRemains &&
			m.before.MaxTime == OfDeadline
	}},
	{"under timeoutMS every other command has maxTimeMS", "CSOT, Command Execution", func(m *moment) bool {
		return !m.is(Encode) || !m.isTimed() || m.event.CommandTime == HasCommandTime || m.before.MaxTime == NoMaxTime ||
			m.event.Remaining != SomeRemains || m.verdict.Field == RemainingTime
	}},
	{"a command of the program's own is left as it is without timeoutMS", "CSOT, RunCommand", func(m *moment) bool {
		return !m.is(Encode) || m.isTimed() || m.event.Access != UnknownCommand || m.verdict.Field == NoField
	}},
	{"the deadline of a context is told to the server, too", "departures", func(m *moment) bool {
		return !m.is(Encode) || m.isTimed() || m.event.Access == UnknownCommand || m.before.MaxTime == NoMaxTime ||
			m.event.CommandTime == HasCommandTime || (m.verdict.Field == RemainingTime) == (m.event.Remaining == SomeRemains)
	}},
	{"only what ends something, or lets the server wait, looks at the deadline of its call", "CSOT, Cursors", func(m *moment) bool {
		e := m.event
		e.CallTime = CallLimited
		after, verdict := Step(m.before, e)
		return m.is(Close, Abandon, Replace, Awaiting) || after == m.after && verdict == m.verdict
	}},
	{"close has the whole timeoutMS again, however old the cursor is", "CSOT, Cursor close() methods refresh timeoutMS",
		func(m *moment) bool {
			return !m.is(Close) || m.before.Clock != Limited || m.isInTransaction() || m.event.CallTime == CallLimited ||
				m.verdict.Bound == WholeTimeout
		}},
	{"the deadline of a close is honoured", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(Close) || (m.verdict.Bound == UntilCall) == (m.isTimed() && !m.isInTransaction() && m.event.CallTime == CallLimited)
	}},
	{"a close that timeoutMS does not bound takes a moment", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(Close) || (m.verdict.Bound == ShortTime) == (!m.isTimed() || m.isInTransaction())
	}},
	{"what a resumption gives up takes a moment, within its call", "CSOT, Cursors", func(m *moment) bool {
		want := ShortTime
		if m.event.CallTime == CallLimited {
			want = ShortWithinCall
		}
		return !m.is(Replace) || m.verdict.Bound == want
	}},
	{"what is left of the results of a bulk write takes a moment", "bulk write, Top-Level Errors", func(m *moment) bool {
		return !m.is(CloseResults) || m.verdict.Bound == ShortTime
	}},
	{"the end of a cursor that is replaced has no maxTimeMS", "CSOT, Cursors", func(m *moment) bool {
		return !m.is(KillReplaced) || m.after.MaxTime == NoMaxTime
	}},
	{"the abort behind a transaction has its own time", "CSOT, withTransaction refreshes the timeout for abortTransaction",
		func(m *moment) bool {
			if !m.is(Abandon) {
				return true
			}
			if m.event.CallTime == CallLimited {
				return m.verdict.Bound == UntilCall
			}
			return m.verdict.Bound == map[Clock]Bound{WithoutTimeout: ShortTime, Limited: WholeTimeout, Endless: ContextAlone}[m.after.Clock]
		}},
	{"withTransaction keeps to 120 seconds without timeoutMS, and inside of another one", "CSOT, Convenient Transactions API",
		func(m *moment) bool {
			clock, _ := m.nearest()
			return !m.is(Transaction) || (m.verdict.Bound == UsualLimit) == (clock == WithoutTimeout || m.isInTransaction())
		}},
	{"one timeoutMS covers the whole of withTransaction", "CSOT, Convenient Transactions API", func(m *moment) bool {
		clock, _ := m.nearest()
		return !m.is(Transaction) || (m.verdict.Bound == WholeTimeout) == (clock == Limited && !m.isInTransaction())
	}},
	{"withTransaction itself is not refused for being inside of another one", "CSOT, Convenient Transactions API",
		func(m *moment) bool { return !m.is(Transaction) || m.verdict.Refusal != TwoTimeouts }},
	{"the operations of a file share the time that began with it", "CSOT, GridFS API", func(m *moment) bool {
		return !m.is(FilePart) || (m.verdict.Bound == RestOfLife) == (m.before.Clock == Limited) &&
			(m.verdict.Bound == RestOfLife) == (m.call == WholeTimeout)
	}},
	{"the server never waits beyond a call that has a deadline under timeoutMS",
		"CSOT, Tailable awaitData Cursors; CSOT, Change Streams", func(m *moment) bool {
			return !m.is(Awaiting) || (m.verdict.Await == AwaitWithinCall) ==
				(m.isTimed() && m.event.CallTime == CallLimited && m.event.MaxAwait != AwaitUnset)
		}},
	{"without timeoutMS errors keep their types", "CSOT, Errors", func(m *moment) bool {
		return !m.is(Fail) || m.isTimed() || m.verdict.ErrorType == AsItIs
	}},
	{"a cancelled context is no timeout", "CSOT, Errors", func(m *moment) bool {
		return !m.is(Fail) || m.event.Cause != Canceled || m.verdict.ErrorType == AsItIs
	}},
	{"a timeout under timeoutMS has its type, once, whoever reports it", "CSOT, Error Transformations", func(m *moment) bool {
		late := m.event.Cause == RanOut || m.event.Cause == OtherCause && m.event.End == PastEnd
		return !m.is(Fail) || !m.isTimed() || (m.verdict.ErrorType == TimeoutType) == (late && m.event.Told == NotTold)
	}},
}
