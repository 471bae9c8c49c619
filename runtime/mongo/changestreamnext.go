package mongo

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Next waits for the next event and reports whether there is one. It returns false when ctx ends, when the stream
// cannot resume after an error, and when the stream has ended, such as after an invalidate event.
func (s *ChangeStream) Next(ctx context.Context) bool { return s.next(ctx, changestream.Waiting) }

// TryNext is Next, except that it asks the server at most once. False with a nil Err and a nonzero ID means that there
// is no event at the moment.
func (s *ChangeStream) TryNext(ctx context.Context) bool { return s.next(ctx, changestream.TryingOnce) }

func (s *ChangeStream) next(ctx context.Context, mode changestream.Mode) bool {
	if err := s.check(ctx); err != nil {
		if s != nil {
			s.current, s.err = nil, err
		}
		return false
	}
	s.current = nil
	if s.state.Stage != changestream.Over {
		s.err = nil
	}
	s.mode = mode
	ctx, cancel := s.timeout.boundNext(ctx, nil) // a change stream is never part of a transaction
	defer cancel()
	s.tell(ctx, s.describe(changestream.Called))
	s.run(ctx)
	return s.current != nil
}

// Close ends the stream, both here and on the server. When ctx ends before the server has answered, Close returns and
// the command goes on in the background for a moment. Closing twice is harmless.
func (s *ChangeStream) Close(ctx context.Context) error {
	if ctx == nil && s != nil { // it still counts as closed
		return errors.Join(checkContext(ctx), s.Close(context.Background()))
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	s.current = nil
	s.uncount()
	s.tell(ctx, s.describe(changestream.Closed))
	return nil
}

// run carries out the verdicts of the state machine until one of them ends the call.
func (s *ChangeStream) run(ctx context.Context) {
	var quiet decide.Quiet
	for {
		switch s.verdict.Do {
		case changestream.Aggregate:
			s.err = nil // the error that it resumes from
			s.reportEnd(ctx, s.open(ctx))
		case changestream.GetMore:
			began := time.Now()
			err := s.cursor.getMore(ctx)
			if err == nil && s.mode == changestream.Waiting && !s.cursor.batch.HasMore() && s.cursor.id != 0 {
				exec.Sleep(ctx, quiet.Pause(time.Since(began), s.cursor.settings.maxAwaitTime, s.client.exec.Random))
			}
			s.reportEnd(ctx, err)
		case changestream.Take:
			s.take(ctx)
		case changestream.Pause:
			event := s.describe(changestream.Waited)
			if !exec.Sleep(ctx, s.pacer.Pause(s.client.exec.Random())) {
				event.Time = changestream.TimeOver
			}
			s.tell(ctx, event)
		case changestream.Finish:
			s.finish()
			return
		case changestream.Fail:
			if s.state.Stage == changestream.Over {
				s.parts = batch.Fragments{}
				s.uncount()
			}
			return
		default:
			return
		}
	}
}

// reportEnd tells the state machine that a command has succeeded or failed.
func (s *ChangeStream) reportEnd(ctx context.Context, err error) {
	if err != nil {
		s.fail(ctx, err)
		return
	}
	if s.state.Stage == changestream.AtGetMore {
		s.pacer = decide.Pacer{}
	}
	s.tell(ctx, s.describe(changestream.Answered))
}

// take moves to the next document of the batch.
func (s *ChangeStream) take(ctx context.Context) {
	doc, err := s.cursor.batch.Next()
	if err != nil {
		s.fail(ctx, err)
		return
	}
	id, ok := doc.Lookup("_id").DocumentOK()
	if !ok {
		s.fail(ctx, ErrMissingResumeToken)
		return
	}
	s.taken, s.pacer = id, decide.Pacer{}
	whole := true
	if s.mergesEvents() {
		if doc, whole, err = s.parts.Add(doc); err != nil {
			s.fail(ctx, err)
			return
		}
	}
	if whole {
		s.current = doc
	}
	s.tell(ctx, s.describe(changestream.Taken))
}

// finish ends the stream. It sets an error only if the last event lacks fragments.
func (s *ChangeStream) finish() {
	s.uncount()
	if err := s.parts.End(); err != nil {
		s.err = err
	}
}

// Events iterates over the events of a stream and decodes each into a T. It closes the stream when the loop ends, even
// early. An error ends the iteration and is the last thing that it yields.
//
//	for event, err := range mongo.Events[mongo.ChangeEvent](ctx, stream) { ... }
func Events[T any](ctx context.Context, s *ChangeStream) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer s.Close(ctx)
		for s.Next(ctx) {
			var event T
			err := s.Decode(&event)
			if !yield(event, err) || err != nil {
				return
			}
		}
		if err := s.Err(); err != nil {
			var none T
			yield(none, err)
		}
	}
}
