package decide

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	. "github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
)

// adaptiveRetries is maxAdaptiveRetries in an exploration.
const adaptiveRetries = 2

// timeoutRetries is how many retries an exploration follows under timeoutMS, where only the deadline ends them.
const timeoutRetries = 3

// node is an operation, and what its driver has done for it so far.
type node struct {
	operation Operation
	world     world
}

// world is what the state machine does not see but the invariants need.
type world struct {
	sends      uint8 // messages that were sent
	number     bool  // the last message had a transaction number
	unnumbered bool  // a message without a number may have been carried out
	overloads  uint8 // retries since a server was overloaded
	pinned     bool  // the transaction has a pin
	kept       certainty
	mended     uint8 // times that this try was mended
	refused    bool  // the server cannot do what the program wants
	numbers    Numbers
	sessions   Sessions
	snapshots  Snapshots
}

// certainty is how much a failure says about what was written.
type certainty uint8

const (
	nothingKept certainty = iota
	notSent
	nothingWritten
	mayHaveWritten
)

// edge is one event and what the operation did about it.
type edge struct {
	before, after node
	event         Event
	verdict       Verdict
	env           environment
}

// environment is what stays the same during an operation.
type environment struct {
	kind      Kind
	labelling Labelling
	binding   Binding
}

// exploration visits every node that a configuration can reach.
type exploration struct {
	env        environment
	seen       map[node]bool
	rows       *[1 << 16]bool // the rows that have decided
	edges      int
	violations []string
}

func (x *exploration) visit(start State) {
	begun := x.step(node{operation: Operation{State: start}}, Event{What: Begun})
	queue := []node{begun.after}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range eventsOf(n, x.env) {
			to := x.tell(n, e)
			if !x.seen[to] {
				x.seen[to] = true
				queue = append(queue, to)
			}
		}
		if len(x.violations) > 0 {
			return
		}
	}
}

// question is what a step depends on.
type question struct {
	operation Operation
	event     Event
}

// tell makes steps as exec does: if a try cannot be mended after an error, it fails with that error.
func (x *exploration) tell(n node, e Event) node {
	made := x.step(n, e)
	if made.verdict.Do == Fail {
		e.What = Failed
		made = x.step(made.after, e)
	}
	return made.after
}

// step makes one step and checks the invariants.
func (x *exploration) step(n node, event Event) edge {
	e := edge{before: n, after: n, event: event, env: x.env}
	e.event.Kind, e.event.Labelling, e.event.Binding = x.env.kind, x.env.labelling, x.env.binding
	if n.world.pinned && x.env.binding == Unbound {
		e.event.Binding = TransactionPin
	}
	if e.event.What == Failed && n.operation.Retries >= retry.FreeTries-1 {
		e.event.Pace = Spinning
	}
	e.after.operation.Step(&e.event, &e.verdict, adaptiveRetries)
	e.after.world.follow(&e)
	x.edges++
	if visited != nil && visited.isNew(question{n.operation, e.event}) {
		v := e.verdict
		clear(v.Rows[:])
		visited.add(e.before.operation.State, e.event, e.after.operation.State, v, int64(e.after.operation.Retries))
	}
	for _, row := range e.verdict.Rows {
		x.rows[row] = true
	}
	for _, inv := range invariants {
		if len(x.violations) == 0 && !inv.holds(&e) {
			x.violations = append(x.violations, fmt.Sprintf("%s\n%s", inv.name, &e))
		}
	}
	return e
}

func (e *edge) String() string {
	return fmt.Sprintf("%+v\nin %+v, after %d retries, %+v\non %+v\nyields %+v\nand %+v",
		e.env, e.before.operation.State, e.before.operation.Retries, e.before.world, e.event, e.verdict, e.after.operation.State)
}

// follow carries out a verdict.
func (w *world) follow(e *edge) {
	v, s := &e.verdict, &e.after.operation.State
	switch e.event.What {
	case CheckedOut:
		w.numbers, w.sessions, w.snapshots = e.event.Numbers, e.event.Sessions, e.event.Snapshots
		w.refused = v.Lsid == RefuseSession || v.ReadConcern == RefuseSnapshot
	case Encoded:
		if v.Do == Send {
			w.sends++
			w.number = s.Policy == AsWrite || s.Role > OnCursor
		}
	case Stumbled:
		if v.Do != Fail {
			w.mended++
		}
	case Failed:
		w.mended = 0
		if e.before.operation.State.Load == OnceOverloaded && v.Again == Retry {
			w.overloads++
		}
		if !w.number && e.mayHaveChanged() {
			w.unnumbered = true
		}
		if v.Report != KeepEarlier {
			w.kept = e.certainty()
		}
	}
	switch v.Pin {
	case PinServer, PinConnection:
		w.pinned = true
	case Unpin:
		w.pinned = false
	}
}

// hadSent reports whether the failed try had sent its message.
func (e *edge) hadSent() bool {
	stage := e.before.operation.State.Stage
	return stage == AtServer && e.event.Failure != TooLate || stage == AtAuthentication
}

// mayHaveChanged reports whether the failed try may have changed something.
func (e *edge) mayHaveChanged() bool {
	return e.hadSent() && e.before.operation.State.Access != Reading && e.event.Writes == MayHaveWritten &&
		e.event.Overload != OverloadedRetryable && e.event.Class != ReauthenticationCode &&
		e.before.operation.State.Stage == AtServer
}

func (e *edge) certainty() certainty {
	switch {
	case !e.hadSent():
		return notSent
	case e.event.Writes == NothingWritten, e.before.operation.State.Stage == AtAuthentication:
		return nothingWritten
	}
	return mayHaveWritten
}

// TestExploreEveryCourse visits every state that an operation can reach, for every setting and every sequence of
// events, and checks the invariants on every step. EXPLORE_DEPTH=full leaves no combination out.
func TestExploreEveryCourse(t *testing.T) {
	full := os.Getenv("EXPLORE_DEPTH") != ""
	rows := new([1 << 16]bool)
	edges, nodes := 0, 0
	for i, start := range configurations(full) {
		for j, env := range environments(start) {
			if !full && (i+j)%2 == 1 {
				continue // every other combination meets each pair of a setting and an environment
			}
			x := exploration{env: env, seen: map[node]bool{}, rows: rows}
			x.visit(start)
			edges, nodes = edges+x.edges, nodes+len(x.seen)
			for _, v := range x.violations {
				t.Error(v)
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d states, %d steps", nodes, edges)
	for _, row := range Rows() {
		if !rows[row] {
			t.Errorf("no course needs the row %v", row)
		}
	}
}

func TestInvariantsAreSentences(t *testing.T) {
	names := map[string]bool{}
	for _, inv := range invariants {
		if names[inv.name] || inv.spec == "" {
			t.Errorf("%q stands twice or cites nothing", inv.name)
		}
		names[inv.name] = true
	}
	if len(invariants) < 30 {
		t.Error("only " + strconv.Itoa(len(invariants)) + " invariants")
	}
}
