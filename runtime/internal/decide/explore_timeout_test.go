package decide

import (
	"fmt"
	"testing"

	. "github.com/specdrivers/onion/generated/core/timeout"
)

// moment is one part of the driver's work, and what was decided about it.
type moment struct {
	before, after State
	event         Event
	verdict       Verdict
	call          Bound // what ends the call that a command belongs to
}

func (m *moment) String() string {
	return fmt.Sprintf("%+v\non %+v, in a call bound by %v\nyields %+v\nand %+v", m.before, m.event, m.call, m.verdict, m.after)
}

// timeoutWalk visits everything that may happen to an operation, a cursor, a transaction and a file.
type timeoutWalk struct {
	t     *testing.T
	rows  map[Row]bool
	steps int
}

// step asks the decisions and checks the invariants.
func (w *timeoutWalk) step(s State, e Event, call Bound) moment {
	m := moment{before: s, event: e, call: call}
	m.after, m.verdict = Step(s, e)
	w.steps++
	if visited != nil {
		v := m.verdict
		clear(v.Rows[:])
		visited.add(s, e, m.after, v)
	}
	for _, row := range m.verdict.Rows {
		w.rows[row] = true
	}
	for _, inv := range timeoutInvariants {
		if !inv.holds(&m) {
			w.t.Fatalf("%s (%s)\n%v", inv.name, inv.spec, &m)
		}
	}
	return m
}

// command visits a command on its way to the server and back.
func (w *timeoutWalk) command(s State, e Event, call Bound) moment {
	begun := w.step(State{Span: s.Span}, e, call)
	for remaining := NoDeadline; remaining <= MoreRemains; remaining++ {
		w.step(begun.after, Event{Part: Send, Remaining: remaining}, call)
		for bits := range 4 {
			w.step(begun.after, Event{
				Part: Encode, Remaining: remaining, CommandTime: CommandTime(bits & 1), Access: Access(bits >> 1),
			}, call)
		}
	}
	for cause := OtherCause; cause <= Canceled; cause++ {
		for bits := range 4 {
			w.step(begun.after, Event{Part: Fail, Cause: cause, End: End(bits & 1), Told: Told(bits >> 1)}, call)
		}
	}
	return begun
}

// cursor visits a cursor from its options to its end.
func (w *timeoutWalk) cursor(program State, own Own, inherited Inherited, session SessionTime, await MaxAwait) {
	options := w.step(program, Event{Part: Options, Own: own, Inherited: inherited}, ContextAlone)
	life := options.after
	if m := w.step(life, Event{Part: Combined, SessionTime: session, MaxAwait: await}, ContextAlone); m.verdict.Misuse != NoMisuse {
		return
	}
	opened := w.command(life, Event{Part: Start, Own: own, Inherited: inherited, SessionTime: session}, ContextAlone)
	if opened.verdict.Refusal != NoRefusal {
		return
	}
	for now := NoSessionTime; now <= SessionLimited; now++ { // withTransaction may have begun or ended since
		next := w.step(life, Event{Part: Next, SessionTime: now}, ContextAlone)
		left := clockOf(life)
		w.command(life, Event{Part: GetMore, Inherited: left, SessionTime: now}, next.verdict.Bound)
		w.command(life, Event{Part: Reopen, Own: own, Inherited: inherited, SessionTime: now}, next.verdict.Bound)
		for _, call := range []CallTime{CallUnlimited, CallLimited} {
			w.step(life, Event{Part: Awaiting, CallTime: call, MaxAwait: await}, next.verdict.Bound)
			closed := w.step(life, Event{Part: Close, SessionTime: now, CallTime: call}, ContextAlone)
			w.command(State{}, Event{Part: KillCursors, Inherited: left, SessionTime: now}, closed.verdict.Bound)
			replaced := w.step(life, Event{Part: Replace, SessionTime: now, CallTime: call}, next.verdict.Bound)
			w.command(State{}, Event{Part: KillReplaced, Inherited: left, SessionTime: now}, replaced.verdict.Bound)
		}
	}
}

// clockOf is the timeoutMS that a cursor hands on to its commands.
func clockOf(life State) Inherited {
	return map[Clock]Inherited{WithoutTimeout: InheritedUnset, Endless: InheritedEndless, Limited: InheritedLimited}[life.Clock]
}

// others visits everything except cursors.
func (w *timeoutWalk) others(own Own, inherited Inherited, session SessionTime) {
	e := Event{Own: own, Inherited: inherited, SessionTime: session}
	if begun := w.command(State{}, e, ContextAlone); begun.verdict.Refusal == NoRefusal {
		for _, part := range []Part{Message, Results} {
			e.Part = part
			w.command(State{}, e, begun.verdict.Bound)
		}
		w.step(State{}, Event{Part: CloseResults}, begun.verdict.Bound)
	}
	e.Part = Transaction
	w.step(State{}, e, ContextAlone)
	w.step(State{}, Event{Part: KeyCall, Inherited: inherited}, ContextAlone)
	for _, call := range []CallTime{CallUnlimited, CallLimited} {
		w.step(State{}, Event{Part: Abandon, Inherited: inherited, CallTime: call}, ContextAlone)
	}
	file := w.step(State{}, Event{Part: File, Own: own, Inherited: inherited}, ContextAlone)
	w.step(file.after, Event{Part: FilePart}, file.verdict.Bound)
}

// TestExploreTime visits every way in which time may bound an operation, and checks the invariants on every step.
func TestExploreTime(t *testing.T) {
	w := timeoutWalk{t: t, rows: map[Row]bool{}}
	for own := OwnUnset; own <= OwnNegative; own++ {
		for inherited := InheritedUnset; inherited <= InheritedNegative; inherited++ {
			for session := NoSessionTime; session <= SessionLimited; session++ {
				w.others(own, inherited, session)
				for bits := range 3 * 3 * 3 * 4 {
					program := State{Kind: Kind(bits % 3), Origin: Origin(bits / 3 % 3), Mode: Mode(bits / 9 % 3)}
					w.cursor(program, own, inherited, session, MaxAwait(bits/27))
				}
			}
		}
	}
	t.Logf("%d steps", w.steps)
	for _, row := range Rows() {
		if !w.rows[row] {
			t.Errorf("nothing needs the row %v", row)
		}
	}
}

func TestInvariantsOfTimeAreSentences(t *testing.T) {
	names := map[string]bool{}
	for _, inv := range timeoutInvariants {
		if names[inv.name] || inv.spec == "" {
			t.Errorf("%q stands twice or cites nothing", inv.name)
		}
		names[inv.name] = true
	}
}
