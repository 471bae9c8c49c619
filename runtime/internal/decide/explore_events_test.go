package decide

import (
	. "github.com/specdrivers/onion/generated/core/operation"
)

// configurations lists every operation that a program can start, with all combinations of the settings, or with each
// pair of them.
func configurations(full bool) []State {
	var out []State
	for _, s := range shapes() {
		for bits := range 1 << 5 {
			s.ReadSetting, s.WriteSetting = ReadSetting(bits&1), WriteSetting(bits>>1&1)
			s.Clock, s.Retargeting = Clock(bits>>2&1), Retargeting(bits>>3&1)
			s.Credential = Credential(bits >> 4 & 1)
			pair := bits>>3&1 == (bits^bits>>1)&1 && bits>>4&1 == (bits>>1^bits>>2)&1
			if full || pair {
				out = append(out, withSession(s, len(out)))
			}
		}
	}
	return out
}

// withSession chooses a session and concerns. They do not change which tries are made, so each operation meets each of
// them with some settings only.
func withSession(s State, n int) State {
	kinds := []SessionKind{MaySession, ImplicitSession, ExplicitSession, CausalSession, SnapshotSession, WithoutSession}
	switch {
	case s.Role > OnCursor:
		kinds = kinds[2:4]
	case s.Reply == Unacknowledged:
		kinds = kinds[:1]
	}
	s.SessionKind = kinds[n%len(kinds)]
	s.ReadConcernUse = ReadConcernUse(n / len(kinds) % 4)
	s.WriteConcernUse = WriteConcernUse(n / len(kinds) % 2)
	return s
}

// shapes lists the kinds of operations, without settings.
func shapes() []State {
	out := []State{
		{Role: Alone, Access: UnknownAccess},
		{Role: Alone, Access: Reading},
		{Role: Alone, Access: Reading, Support: ReadRetries},
		{Role: Alone, Access: Writing},
		{Role: Alone, Access: Writing, Support: WriteRetries},
		{Role: Alone, Access: Writing, Reply: Unacknowledged},
		{Role: Alone, Access: Writing, Support: WriteRetries, Reply: Unacknowledged},
		{Role: OnCursor, Access: Reading},
		{Role: OnCursor, Access: Writing},
		{Role: Abort, Access: Writing, Support: WriteRetries},
	}
	for _, role := range []Role{FirstInTransaction, InTransaction} {
		out = append(out, State{Role: role, Access: UnknownAccess}, State{Role: role, Access: Reading, Support: ReadRetries},
			State{Role: role, Access: Writing, Support: WriteRetries})
	}
	for bits := range 4 {
		out = append(out, State{
			Role: Commit, Access: Writing, Support: WriteRetries, CommitBefore: CommitBefore(bits & 1), Commits: Commits(bits >> 1),
		})
	}
	return out
}

// environments lists where an operation may run.
func environments(s State) []environment {
	var out []environment
	for _, kind := range []Kind{MemberServer, StandaloneServer, RouterServer, BalancedRouter} {
		for _, labelling := range []Labelling{DriverLabels, ServerLabels} {
			env := environment{kind: kind, labelling: labelling}
			switch {
			case kind == StandaloneServer && (s.Role > OnCursor || labelling == DriverLabels):
				continue // it has no transactions, and its labels make no difference
			case s.Role == OnCursor && kind == BalancedRouter:
				env.binding = CursorConnection
			case s.Role == OnCursor:
				env.binding = CursorServer
			case s.Role == FirstInTransaction && labelling == ServerLabels && s.Access == Reading:
				env.binding = CursorServer // a getMore of an older cursor begins the transaction
				if kind == BalancedRouter {
					env.binding = CursorConnection
				}
			case s.Role >= InTransaction && kind != MemberServer && s.CommitBefore == NoCommitOpen:
				env.binding = TransactionPin
			}
			out = append(out, env)
		}
	}
	return out
}

// eventsOf lists what may happen to an operation next.
func eventsOf(n node, env environment) []Event {
	s := &n.operation.State
	if s.Stage != Idle && n.operation.Retries > adaptiveRetries || s.Clock == UnderTimeout && n.operation.Retries > timeoutRetries {
		return nil // as far as an exploration goes
	}
	switch s.Stage {
	case AtSelection:
		return append(failWith(Event{Failure: NoServer, Expiry: Expired}, Event{Failure: NoServer}), Event{What: Selected})
	case AtCheckOut:
		out := failWith(checkOutFailures()...)
		for _, e := range checkOutFailures() { // of a server with transaction numbers
			e.Numbers = TakesNumbers
			out = append(out, failWith(e)...)
		}
		if s.Access == Writing && s.Role == Alone {
			out = append(out, failWith(Event{Failure: Network, Items: ItemsRetryable, Numbers: TakesNumbers},
				Event{Failure: Network, Items: ItemsForbid, Numbers: TakesNumbers}, Event{Failure: Network, Items: ItemsRetryable})...)
		}
		return append(out, Event{What: CheckedOut}, Event{What: CheckedOut, Sessions: HasSessions},
			Event{What: CheckedOut, Sessions: HasSessions, Snapshots: HasSnapshots, Numbers: TakesNumbers})
	case AtEncoding:
		if n.world.refused {
			return failWith(Event{Failure: Refusal})
		}
		out := failWith(Event{Failure: Refusal}, Event{Failure: Encryption}, Event{Failure: TooLate, Expiry: Expired})
		return append(out, encodings(n)...)
	case AtNumbering:
		return []Event{{What: Renumbered, Sessions: n.world.sessions, Snapshots: n.world.snapshots}}
	case AtServer:
		return append(failWith(replies(s)...), Event{What: Replied})
	case AtAuthentication:
		out := failWith(Event{Failure: Network}, Event{Failure: CommandFailed}, Event{Failure: CommandFailed, Class: ReauthenticationCode})
		return append(out, Event{What: Reauthenticated, Sessions: n.world.sessions, Snapshots: n.world.snapshots})
	case AtPause:
		return []Event{{What: Waited}}
	}
	return nil
}

// encodings lists what a message may hold. The server that was checked out decides whether it has transaction numbers.
// A message that is encoded again holds the same items.
func encodings(n node) []Event {
	items := []Items{AsCommand, ItemsRetryable, ItemsForbid}
	if n.operation.State.Access != Writing || n.operation.State.Role != Alone {
		items = items[:1]
	}
	var out []Event
	for _, i := range items {
		out = append(out, Event{
			What: Encoded, Items: i, Numbers: n.world.numbers, Sessions: n.world.sessions, Snapshots: n.world.snapshots,
		})
	}
	return out
}

// failWith makes events of errors, each with and without time left.
func failWith(list ...Event) []Event {
	var out []Event
	for _, e := range list {
		e.What = Stumbled
		out = append(out, e)
		e.Time = TimeOver
		out = append(out, e)
	}
	return out
}

func checkOutFailures() []Event {
	return []Event{
		{Failure: NoConnection, Expiry: Expired},
		{Failure: NoConnection, Expiry: Expired, Time: SearchOver},
		{Failure: PoolGone},
		{Failure: Network},
		{Failure: Network, Expiry: Expired},
		{Failure: Network, Overload: OverloadedRetryable},
		{Failure: CommandFailed},
		{Failure: CommandFailed, Class: WriteCode},
		{Failure: CommandFailed, Class: ReadCode},
		{Failure: Refusal},
	}
}

// replies lists what may come back after a message was sent.
func replies(s *State) []Event {
	out := []Event{
		{Failure: Network}, {Failure: Network, Expiry: Expired}, {Failure: PoolGone}, {Failure: TooLate, Expiry: Expired}, {Failure: Encryption},
	}
	if s.Reply == Unacknowledged {
		return out
	}
	for _, class := range []Class{OtherCode, ReadCode, WriteCode, ReauthenticationCode} {
		for _, mark := range []Mark{Unmarked, Marked} {
			for _, overload := range []Overload{NotOverloaded, Overloaded, OverloadedRetryable} {
				out = append(out, Event{Failure: CommandFailed, Class: class, Mark: mark, Overload: overload})
			}
		}
	}
	out = append(out, Event{Failure: CommandFailed, Expiry: Expired}, // MaxTimeMSExpired
		Event{Failure: CommandFailed, Mark: Marked, Writes: NothingWritten},
		Event{Failure: CommandFailed, Writes: NothingWritten},
		Event{Failure: CommandFailed, Transience: Transient},
		Event{Failure: CommandFailed, Result: ResultUnknown},
		Event{Failure: CommandFailed, Transience: Transient, Overload: OverloadedRetryable})
	if s.Access == Reading {
		return out
	}
	for _, class := range []Class{OtherCode, WriteCode, RefusedConcernCode} {
		for _, mark := range []Mark{Unmarked, Marked} {
			out = append(out, Event{Failure: WriteConcernFailed, Class: class, Mark: mark})
		}
	}
	return append(out, Event{Failure: WritesFailed}, Event{Failure: WritesFailed, Mark: Marked},
		Event{Failure: WritesFailed, Mark: Marked, Writes: NothingWritten},
		Event{Failure: WriteConcernFailed, Overload: OverloadedRetryable},
		Event{Failure: WriteConcernFailed, Expiry: Expired})
}
