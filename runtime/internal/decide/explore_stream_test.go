package decide

import (
	"fmt"
	"testing"

	. "github.com/specdrivers/onion/generated/core/changestream"
)

// streamNode is a change stream, what it does, and what its driver has done for it so far.
type streamNode struct {
	state State
	do    Do
	world streamWorld
}

// streamWorld is what the state machine does not see but the invariants need.
type streamWorld struct {
	given     Given
	clock     Clock
	labelling Labelling
	mode      Mode
	token     point // the latest point that the replies and the program have named
	time      point
	shown     point
	returned  bool // a document was taken
	inside    bool // of an event that the server has split
	left      Batch
	post      PostBatch
	cursor    cursorOf
	asked     uint8 // getMores of this call
	resumed   uint8 // since the last success
	fresh     bool  // a document was taken in this call
}

// point is where a token or a time comes from.
type point uint8

const (
	nowhere point = iota
	fromProgram
	fromReply
	fromDocument
	fromBatch
)

// cursorOf is what the server has of a stream.
type cursorOf uint8

const (
	noCursor cursorOf = iota
	liveCursor
	endedCursor
)

// streamEdge is one event and what the stream did about it.
type streamEdge struct {
	before, after streamNode
	event         Event
	verdict       Verdict
}

func (e *streamEdge) String() string {
	return fmt.Sprintf("in %+v, %+v\non %+v\nyields %+v\nand %+v", e.before.state, e.before.world, e.event, e.verdict, e.after.state)
}

// streamEvents lists what may happen to a stream next.
func streamEvents(n streamNode) []Event {
	closes := Event{What: Closed}
	switch {
	case n.state.Stage == Unopened:
		return []Event{{What: Watched}, {What: Watched, Given: TimeGiven}, {What: Watched, Given: ResumeAfterGiven},
			{What: Watched, Given: StartAfterGiven}}
	case n.state.Stage == AtPause:
		return []Event{{What: Waited}, {What: Waited, Time: TimeOver}}
	case n.do == Take:
		out := streamErrors(Event{Failure: OwnError})
		for bits := range 4 {
			out = append(out, Event{What: Taken, Batch: Batch(bits & 1), Fragments: Fragments(bits >> 1)})
		}
		return out
	case n.do == Aggregate || n.do == GetMore:
		out := streamErrors(streamFailures()...)
		for bits := range 16 {
			out = append(out, Event{What: Answered, Batch: Batch(bits & 1), PostBatch: PostBatch(bits >> 1 & 1),
				OperationTime: OperationTime(bits >> 2 & 1), Cursor: Cursor(bits >> 3)})
		}
		return out
	}
	return []Event{{What: Called}, {What: Called, Mode: TryingOnce}, closes}
}

// streamFailures lists what may come back instead of a batch.
func streamFailures() []Event {
	return []Event{
		{Failure: OwnError}, {Failure: OwnError, Label: Labelled}, {Failure: OwnError, Code: ListedCode}, {Failure: NoAnswer},
		{Failure: NoAnswer, Expiry: ServerExpired}, {Failure: NoAnswer, Expiry: DriverExpired},
		{Failure: ServerError}, {Failure: ServerError, Expiry: ServerExpired}, {Failure: ServerError, Code: ListedCode},
		{Failure: ServerError, Label: Labelled}, {Failure: ServerError, Code: ListedCode, Label: Labelled},
		{Failure: CursorMissing}, {Failure: CursorMissing, Label: Labelled}, {Failure: ServerError, Expiry: DriverExpired},
	}
}

// streamErrors makes events of errors, each with and without time left.
func streamErrors(list ...Event) []Event {
	var out []Event
	for _, e := range list {
		e.What = Failed
		out = append(out, e)
		e.Time = TimeOver
		out = append(out, e)
	}
	return out
}

// follow carries out a verdict.
func (w *streamWorld) follow(e *streamEdge) {
	switch e.event.What {
	case Watched:
		w.given = e.event.Given
		switch e.event.Given {
		case StartAfterGiven, ResumeAfterGiven:
			w.token = fromProgram
		case TimeGiven:
			w.time = fromProgram
		}
	case Called:
		w.mode, w.asked, w.fresh = e.event.Mode, 0, false
	case Answered:
		w.left, w.post = e.event.Batch, e.event.PostBatch
		if w.cursor = liveCursor; e.event.Cursor == CursorEnded {
			w.cursor = endedCursor
		}
		if e.before.do == GetMore {
			w.resumed = 0
		}
		if w.left == NothingLeft && w.post == HasPostBatchToken {
			w.token = fromBatch
		} else if w.left == NothingLeft && w.token == nowhere && w.time == nowhere && e.event.OperationTime == HasOperationTime &&
			e.before.do == Aggregate {
			w.time = fromReply
		}
	case Taken:
		w.left, w.inside, w.returned, w.resumed = e.event.Batch, e.event.Fragments == Partial, true, 0
		w.fresh = !w.inside
		if w.token = fromDocument; w.left == NothingLeft && w.post == HasPostBatchToken {
			w.token = fromBatch
		}
	}
	if e.verdict.Show == ShowCached {
		w.shown = w.token
	}
	if e.verdict.Do == GetMore {
		w.asked = min(w.asked+1, 2)
	}
	if e.verdict.Do == Aggregate && e.event.What != Watched {
		w.resumed = min(w.resumed+1, 4)
	}
	switch e.verdict.Old {
	case ReplaceCursor, EndCursor, CloseCursor:
		w.cursor, w.left = noCursor, NothingLeft
	}
}

// fitStream fills in what an event says about where the stream is.
func fitStream(n streamNode, e Event) Event {
	w := &n.world
	e.Clock, e.Labelling = w.clock, w.labelling
	if e.What != Called {
		e.Mode = w.mode
	}
	if e.What != Answered {
		if e.What != Taken {
			e.Batch = w.left
		}
		e.PostBatch = w.post
		if w.cursor == endedCursor {
			e.Cursor = CursorEnded
		}
	}
	if e.What != Taken && w.inside {
		e.Fragments = Partial
	}
	if e.What == Failed && w.resumed >= 3 {
		e.Pace = Spinning
	}
	return e
}

// TestExploreEveryStream visits every state that a change stream can reach, for every sequence of events, and checks
// the invariants on every step.
func TestExploreEveryStream(t *testing.T) {
	used := map[Row]bool{}
	steps := 0
	var starts []streamNode
	for bits := range 4 {
		starts = append(starts, streamNode{world: streamWorld{clock: Clock(bits & 1), labelling: Labelling(bits >> 1)}})
	}
	nodes := reach(starts, func(n streamNode) []streamNode {
		var out []streamNode
		for _, event := range streamEvents(n) {
			e := streamEdge{before: n, after: n, event: fitStream(n, event)}
			e.after.state, e.verdict = Step(n.state, e.event)
			if visited != nil {
				v := e.verdict
				clear(v.Rows[:])
				visited.add(n.state, e.event, e.after.state, v)
			}
			e.after.do = e.verdict.Do
			e.after.world.follow(&e)
			steps++
			for _, row := range e.verdict.Rows {
				used[row] = true
			}
			for _, inv := range streamInvariants {
				if !inv.holds(&e) {
					t.Fatalf("%s\n%s", inv.name, &e)
				}
			}
			out = append(out, e.after)
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

// reach visits every node that others lead to, and returns how many there are.
func reach[N comparable](queue []N, next func(N) []N) int {
	seen := map[N]bool{}
	for _, n := range queue {
		seen[n] = true
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, to := range next(n) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return len(seen)
}
