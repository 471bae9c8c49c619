package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// fail keeps an error and tells the state machine what kind of error it is.
func (s *ChangeStream) fail(ctx context.Context, err error) {
	s.err = err
	event := s.describe(changestream.Failed)
	decide.DescribeStream(&event, err)
	if exec.Expired(ctx) {
		event.Time = changestream.TimeOver
	} else if s.state.Stage == changestream.AtGetMore && event.Failure != changestream.OwnError &&
		s.pacer.Failed(s.client.exec.Topology.Changes()) {
		event.Pace = changestream.Spinning
	}
	s.tell(ctx, event)
}

// describe describes where the stream is.
func (s *ChangeStream) describe(what changestream.What) changestream.Event {
	event := changestream.Event{What: what, Mode: s.mode}
	if s.timeout.timeout != nil {
		event.Clock = changestream.UnderTimeout
	}
	if s.parts.IsIncomplete() {
		event.Fragments = changestream.Partial
	}
	if s.started != nil {
		event.OperationTime = changestream.HasOperationTime
	}
	if c := s.cursor; c != nil {
		if c.batch.HasMore() {
			event.Batch = changestream.SomethingLeft
		}
		if c.token != nil {
			event.PostBatch = changestream.HasPostBatchToken
		}
		if c.id == 0 {
			event.Cursor = changestream.CursorEnded
		}
		if wire.ResumableLabel.In(c.outcome.WireVersion) {
			event.Labelling = changestream.LabelsDecide
		}
	}
	return event
}

// tell passes an event to the state machine, keeps its verdict, and carries out what the verdict says about tokens and
// cursor.
func (s *ChangeStream) tell(ctx context.Context, event changestream.Event) {
	s.state, s.verdict = changestream.Step(s.state, event)
	if x := s.client.exec; x.Explains() && (event.What != changestream.Taken || s.verdict.Do != changestream.Return) {
		exec.Explain(x, watchOperation, x.Number(&s.explained), event.What, s.verdict.Do, s.verdict.Rows[:])
	}
	switch s.verdict.Cache {
	case changestream.CacheGiven:
		s.token, s.startAt = s.startingPoint()
	case changestream.CacheTime:
		s.startAt = s.started
	case changestream.CacheDocument:
		s.token = s.taken
	case changestream.CachePostBatch:
		s.token = s.cursor.token
	}
	if s.verdict.Show == changestream.ShowCached {
		s.shown = s.token
	}
	switch s.verdict.Old {
	case changestream.ReplaceCursor, changestream.EndCursor:
		if s.cursor != nil && (s.cursor.id != 0 || s.cursor.outcome.Session != nil) {
			s.spare = s.cursor.abandon(ctx)
		}
	case changestream.CloseCursor:
		if s.cursor != nil {
			s.cursor.close(ctx)
		}
	}
	if s.verdict.Old >= changestream.EndCursor {
		s.endSpareSession()
	}
}

// watchOperation is the name of the call that opens a stream.
var watchOperation = (*command.ChangeStream)(nil).Meta().Operation

// describeOpening describes the call that opens the stream.
func (s *ChangeStream) describeOpening() changestream.Event {
	event := s.describe(changestream.Watched)
	switch {
	case s.startAfter != nil:
		event.Given = changestream.StartAfterGiven
	case s.resumeAfter != nil:
		event.Given = changestream.ResumeAfterGiven
	case s.options.StartAtOperationTime != nil:
		event.Given = changestream.TimeGiven
	}
	return event
}

// startingPoint is where the program wants the stream to begin.
func (s *ChangeStream) startingPoint() (bson.Raw, *bson.Timestamp) {
	if s.startAfter != nil {
		return s.startAfter, nil
	}
	return s.resumeAfter, s.options.StartAtOperationTime
}
