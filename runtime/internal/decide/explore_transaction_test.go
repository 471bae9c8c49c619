package decide

import (
	"fmt"
	"testing"

	. "github.com/specdrivers/onion/generated/core/withtransaction"
)

// callNode is a call of withTransaction, what it does, and what has happened in it.
type callNode struct {
	state State
	do    Do
	world callWorld
}

// callWorld is what the state machine does not see but the invariants need.
type callWorld struct {
	open    bool  // the transaction is open
	last    Event // the error of the last step that failed
	commits uint8 // of the last transaction
	over    Time  // what has ended the time, for good
}

// callEdge is one event and what the call did about it.
type callEdge struct {
	before, after callNode
	event         Event
	verdict       Verdict
}

func (e *callEdge) String() string {
	return fmt.Sprintf("in %+v, %+v\non %+v\nyields %+v\nand %+v", e.before.state, e.before.world, e.event, e.verdict, e.after.state)
}

// callEvents lists what may happen next.
func callEvents(n callNode) []Event {
	switch n.do {
	case Start:
		return append(callErrors(Event{}, Event{Transience: Transient}), Event{What: Started, Transaction: TransactionOpen})
	case Call:
		out := []Event{{What: Returned}, {What: Returned, Transaction: TransactionOpen}}
		for _, transaction := range []Transaction{TransactionEnded, TransactionOpen} {
			out = append(out, callErrors(Event{Transaction: transaction}, Event{Transaction: transaction, Transience: Transient},
				Event{Transaction: transaction, Result: ResultUnknown},
				Event{Transaction: transaction, Transience: Transient, Sending: TooLate},
				Event{Transaction: transaction, Transience: Transient, Load: Overloaded})...)
		}
		return out
	case Abort:
		e := n.world.last
		e.What, e.Transaction = Aborted, TransactionEnded
		return []Event{e}
	case Commit:
		return append(callErrors(Event{}, Event{Transience: Transient}, Event{Code: MaxTimeMSExpired},
			Event{Result: ResultUnknown}, Event{Result: ResultUnknown, Load: Overloaded},
			Event{Result: ResultUnknown, Code: MaxTimeMSExpired}, Event{Result: ResultUnknown, Sending: TooLate}),
			Event{What: Committed})
	case Backoff, Space:
		e := n.world.last
		e.What, e.Transaction = Waited, TransactionEnded
		return withEachTime(e)
	}
	return nil
}

// callErrors makes events of errors, each with every kind of time.
func callErrors(list ...Event) []Event {
	var out []Event
	for _, e := range list {
		e.What = Failed
		out = append(out, withEachTime(e)...)
	}
	return out
}

func withEachTime(e Event) []Event {
	var out []Event
	for _, e.Time = range []Time{TimeLeft, LimitReached, DeadlinePassed, Canceled} {
		out = append(out, e)
	}
	return out
}

// follow carries out a verdict.
func (w *callWorld) follow(e *callEdge) {
	w.open = e.event.Transaction == TransactionOpen
	switch e.event.What {
	case Failed:
		w.last = e.event
		w.last.Time = TimeLeft
	case Started:
		w.commits = 0
	}
	if e.verdict.Do == Commit {
		w.commits = min(w.commits+1, 4)
	}
	if e.event.Time != TimeLeft {
		w.over = e.event.Time
	}
}

// TestExploreEveryCallOfWithTransaction visits every state that a call can reach, for every sequence of events, and
// checks the invariants on every step.
func TestExploreEveryCallOfWithTransaction(t *testing.T) {
	used := map[Row]bool{}
	steps := 0
	step := func(n callNode, event Event) callNode {
		e := callEdge{before: n, after: n, event: event}
		e.after.state, e.verdict = Step(n.state, event)
		if visited != nil {
			v := e.verdict
			clear(v.Rows[:])
			visited.add(n.state, event, e.after.state, v)
		}
		e.after.do = e.verdict.Do
		e.after.world.follow(&e)
		steps++
		for _, row := range e.verdict.Rows {
			used[row] = true
		}
		for _, inv := range callInvariants {
			if !inv.holds(&e) {
				t.Fatalf("%s\n%s", inv.name, &e)
			}
		}
		return e.after
	}
	nodes := reach([]callNode{step(callNode{}, Event{What: Begun})}, func(n callNode) []callNode {
		var out []callNode
		for _, event := range callEvents(n) {
			if n.world.over != TimeLeft && event.Time != n.world.over {
				continue // time that is over does not come back
			}
			if n.do == Commit && n.world.commits >= 3 && event.What == Failed && event.Load == NotOverloaded {
				event.Pace = Spinning
			}
			out = append(out, step(n, event))
		}
		return out
	})
	t.Logf("%d states, %d steps", nodes, steps)
	for _, row := range Rows() {
		if !used[row] {
			t.Errorf("no course needs the row %v", row)
		}
	}
}
