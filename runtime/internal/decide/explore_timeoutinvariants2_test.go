package decide

import (
	. "github.com/specdrivers/onion/generated/core/timeout"
)

// ownTimeoutInvariants say what each part decides, and what it does not change.
var ownTimeoutInvariants = []timeoutInvariant{
	{"the options of a cursor decide what one timeoutMS covers, and nothing else does", "CSOT, Cursors",
		func(m *moment) bool { return m.after.Span == m.before.Span || m.is(Options) }},
	{"a command decides whether the server hears of its deadline", "CSOT, Command Execution",
		func(m *moment) bool { return m.after.MaxTime == m.before.MaxTime || m.command() }},
	{"only what begins has a timeoutMS of its own", "CSOT, Validation and Overrides", func(m *moment) bool {
		return m.command() || m.is(Options, Abandon, Transaction, File, KeyCall) ||
			m.after.Clock == m.before.Clock && m.verdict.Source == NoSource && m.verdict.Refusal == NoRefusal
	}},
	{"what is combined is judged once", "CSOT, Cursors", func(m *moment) bool { return m.verdict.Misuse == NoMisuse || m.is(Combined) }},
	{"only a getMore waits for documents", "CSOT, Tailable awaitData Cursors",
		func(m *moment) bool { return m.verdict.Await == AwaitAsSet || m.is(Awaiting) }},
	{"it is too late for a message that is written, or ready", "CSOT, Command Execution",
		func(m *moment) bool { return m.verdict.Late == InTime || m.is(Encode, Send) }},
	{"maxTimeMS is written with the other fields", "CSOT, Command Execution",
		func(m *moment) bool { return m.verdict.Field == NoField || m.is(Encode) }},
	{"only an error has a type", "CSOT, Errors", func(m *moment) bool { return m.verdict.ErrorType == AsItIs || m.is(Fail) }},
	{"only a command looks for a server, and keeps or leaves the older timeouts", "CSOT, Deprecations", func(m *moment) bool {
		return m.command() || m.verdict.Search == SearchApart && m.verdict.Deprecated == DeprecatedCount
	}},
	{"what takes no time has no end of its own", "CSOT, Command Execution",
		func(m *moment) bool {
			return m.verdict.Bound == ContextAlone || !m.is(Options, Combined, Awaiting, Encode, Send, Fail)
		}},
	{"what was given stays as it was", "CSOT, Cursors", func(m *moment) bool {
		was := m.before
		was.Clock, was.Span, was.MaxTime = m.after.Clock, m.after.Span, m.after.MaxTime
		return was == m.after
	}},
}

func init() { timeoutInvariants = append(timeoutInvariants, ownTimeoutInvariants...) }
