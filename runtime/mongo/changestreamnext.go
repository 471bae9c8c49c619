package mongo

import (
	"context"
	"errors"
	"iter"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// Next waits for the next event and reports whether there is one. It returns false when ctx ends, when the stream
// cannot resume after an error, and when the stream has ended, such as after an invalidate event.
func (s *ChangeStream) Next(ctx context.Context) bool { return s.next(ctx, true) }

// TryNext is Next, except that it asks the server at most once. False with a nil Err and a nonzero ID means that there
// is no event at the moment.
func (s *ChangeStream) TryNext(ctx context.Context) bool { return s.next(ctx, false) }

func (s *ChangeStream) next(ctx context.Context, wait bool) bool {
	s.current = nil
	if s.closed || s.err != nil && !s.passing {
		return false
	}
	s.err, s.passing = nil, false
	ctx, cancel := s.timeout.next(ctx, nil) // change streams are no part of transactions
	defer cancel()
	for {
		found, err := s.step(ctx)
		if err != nil {
			s.fail(ctx, err)
			return false
		}
		if found {
			return true
		}
		if s.cursor.batch.more() {
			continue
		}
		if s.cursor.id == 0 {
			s.ended()
			return false
		}
		if !wait {
			return false
		}
	}
}

// ended notes that the server has ended the stream, as after an invalidate event.
func (s *ChangeStream) ended() {
	s.uncount()
	if s.parts.open() {
		s.err = s.parts.missing("the server ended the stream")
		s.parts = fragments{}
	}
}

// fail keeps an error. The end of a timeoutMS or of the context leaves the stream usable. Without a timeoutMS, an error
// of the server that reports a timeout is like any other: Change Streams, "Resumable Error", decides.
//
// Client Side Operations Timeout, "Change Streams".
func (s *ChangeStream) fail(ctx context.Context, err error) {
	s.err = err
	_, outOfTime := errors.AsType[fault.TimeoutError](err)
	s.passing = outOfTime || s.timeout.timeout != nil && fault.IsTimeout(err) || exec.Expired(ctx)
	switch {
	case s.passing && s.cursor != nil:
		s.cursor.err = err // so that the next call resumes, or Close ends the cursor: there is no time left for that now
	case !s.passing:
		s.parts = fragments{}
		if s.cursor != nil && s.cursor.id != 0 {
			s.spare = s.cursor.abandon(ctx)
		}
		s.endSpare()
		s.uncount()
	}
}

// step takes one event from the batch, or fetches a batch. It reports whether there is a whole event now.
func (s *ChangeStream) step(ctx context.Context) (bool, error) {
	if s.cursor.err != nil {
		if s.cursor.id != 0 || s.cursor.outcome.Session != nil {
			s.spare = s.cursor.abandon(ctx)
		}
		if err := s.open(ctx, s.takeSpare(), true); err != nil {
			return false, err
		}
	}
	if s.cursor.batch.more() {
		return s.take()
	}
	if s.cursor.id == 0 {
		return false, nil
	}
	err := s.cursor.getMore(ctx)
	if err != nil {
		if !s.resumable(err) || exec.Expired(ctx) || !s.client.exec.Pace(ctx, &s.pacer) {
			return false, err
		}
		return false, s.open(ctx, s.cursor.abandon(ctx), true)
	}
	s.pacer = decide.Pacer{}
	s.noteEmptyBatch()
	return false, nil
}

func (s *ChangeStream) takeSpare() *session.Client {
	kept := s.spare
	s.spare = nil
	return kept
}

// take moves to the next event of the batch. Change Streams, "Updating the Cached Resume Token".
func (s *ChangeStream) take() (bool, error) {
	doc, err := s.cursor.batch.next()
	if err != nil {
		return false, err
	}
	id, ok := doc.Lookup("_id").DocumentOK()
	if !ok {
		return false, ErrMissingResumeToken
	}
	s.token = id
	if s.cursor.token != nil && !s.cursor.batch.more() {
		s.token = s.cursor.token
	}
	s.returned, s.pacer = true, decide.Pacer{}
	if s.merges() {
		if doc, ok, err = s.parts.add(doc); err != nil || !ok {
			return false, err
		}
	}
	s.current, s.shown = doc, s.token
	return true, nil
}

// resumable reports whether an error of getMore is one to resume from. Change Streams, "Resumable Error".
func (s *ChangeStream) resumable(err error) bool {
	e, ok := errors.AsType[fault.CommandError](err)
	switch {
	case !ok:
		return fault.IsNetworkError(err) || fault.IsTimeout(err)
	case e.Code == errcode.CursorNotFound:
		return true
	case s.cursor.outcome.WireVersion >= wire.Server44:
		return e.HasErrorLabel(errcode.LabelResumableChangeStreamError)
	}
	return e.Code.IsResumable()
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
		if s.err != nil {
			var none T
			yield(none, s.err)
		}
	}
}
