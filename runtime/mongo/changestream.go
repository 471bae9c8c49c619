package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// ChangeStream reads what changes in a collection, a database or a deployment. It is used by one goroutine at a time.
//
//	for stream.Next(ctx) {
//		var event mongo.ChangeEvent
//		if err := stream.Decode(&event); err != nil { ... }
//	}
//	if err := stream.Err(); err != nil { ... }
//
// Next waits until something changes. To see every resume token, also those of quiet times, call TryNext in a loop and
// ResumeToken after each call; a program that stores tokens should do so.
//
// When time runs out, Next returns false and Err says so, and the stream stays usable: call Next again, or close the stream
// and open another one behind its ResumeToken.
type ChangeStream struct {
	client         *Client
	db, collection string
	everything     bool // all databases
	scope          scope
	options        options.ChangeStream
	stages         bson.RawArray // of the program

	startAfter, resumeAfter bson.Raw
	startAt                 *bson.Timestamp // given, or taken from the first reply

	cursor   *Cursor
	spare    *session.Client // of a cursor that has not been replaced yet
	token    bson.Raw        // from which the stream resumes
	shown    bson.Raw        // what ResumeToken returns: token, except between the fragments of an event
	returned bool            // an event was returned
	parts    fragments
	timeout  cursorTimeout

	current bson.Raw
	err     error
	passing bool // err is over with the next call, which resumes
	closed  bool
	counted bool // in Client.streams
}

// The documents of change streams.
type (
	// ChangeEvent is one event of a change stream.
	ChangeEvent = options.ChangeEvent
	// ChangeNamespace names the collection or database of an event.
	ChangeNamespace = options.ChangeNamespace
	// UpdateDescription says what an update changed.
	UpdateDescription = options.UpdateDescription
	// TruncatedArray is an array that an update made shorter.
	TruncatedArray = options.TruncatedArray
)

// ErrMissingResumeToken is returned when the pipeline of a change stream has removed the _id of the events, without which
// the stream could not resume.
var ErrMissingResumeToken = errors.New(
	"mongo: an event has no _id, from which the change stream could resume: keep the field in the pipeline")

// ID is the server's number of the stream's cursor, 0 when it has ended.
func (s *ChangeStream) ID() int64 {
	if s.cursor == nil {
		return 0
	}
	return s.cursor.id
}

// Current is the event that Next has moved to. It stays valid after the next call of Next.
func (s *ChangeStream) Current() bson.Raw { return s.current }

// ResumeToken is where another stream goes on behind the last event that this one returned: pass it as ResumeAfter or
// StartAfter. It is nil before there is one.
func (s *ChangeStream) ResumeToken() bson.Raw { return s.shown }

// Err is the error of the last call of Next or TryNext, nil when there was none.
func (s *ChangeStream) Err() error { return s.err }

// RemainingBatchLength is the number of events that Next returns without asking the server.
func (s *ChangeStream) RemainingBatchLength() int {
	if s.cursor == nil {
		return 0
	}
	return s.cursor.RemainingBatchLength()
}

// SetBatchSize sets the number of events that the next batches have at most; 0 leaves it to the server.
func (s *ChangeStream) SetBatchSize(size int32) {
	s.options.BatchSize = &size
	if s.cursor != nil {
		s.cursor.settings.batchSize = size
	}
}

// Decode decodes the current event into the value that v points to, such as a ChangeEvent.
func (s *ChangeStream) Decode(v any) error {
	if s.current == nil {
		return errors.New("mongo: the change stream is at no event: call Next first")
	}
	if err := bson.Unmarshal(s.current, v, s.scope.unmarshal); err != nil {
		return fmt.Errorf("mongo: decoding an event of the change stream: %w", err)
	}
	return nil
}

// Events walks over the events of a stream, each decoded into a T, and closes the stream at the end, also when the loop is
// left early. An error ends the walk; it is the last thing that is yielded.
//
//	for event, err := range mongo.Events[mongo.ChangeEvent](ctx, stream) { ... }
func Events[T any](ctx context.Context, s *ChangeStream) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer s.Close(context.WithoutCancel(ctx))
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

// Close ends the stream, also on the server. Closing twice is harmless.
func (s *ChangeStream) Close(ctx context.Context) error {
	s.closed = true
	s.current = nil
	s.uncount()
	if s.cursor != nil {
		s.cursor.close(ctx)
	}
	s.endSpare()
	return nil
}

// uncount takes the stream out of the client's statistics. Once is enough.
func (s *ChangeStream) uncount() {
	if s.counted {
		s.counted = false
		s.client.streams.Add(-1)
	}
}

func (s *ChangeStream) endSpare() {
	if s.spare != nil {
		s.client.exec.EndImplicit(s.spare)
		s.spare = nil
	}
}

// Next waits for the next event and reports whether there is one. It returns false when ctx ends, when an error is not one
// to resume from, and when the stream has ended, such as after an event "invalidate".
func (s *ChangeStream) Next(ctx context.Context) bool { return s.next(ctx, true) }

// TryNext is Next, except that it asks the server once at most: false with a nil Err and an ID other than 0 means that there
// is nothing at the moment.
func (s *ChangeStream) TryNext(ctx context.Context) bool { return s.next(ctx, false) }

func (s *ChangeStream) next(ctx context.Context, wait bool) bool {
	s.current = nil
	if s.closed || s.err != nil && !s.passing {
		return false
	}
	s.err, s.passing = nil, false
	ctx, cancel := s.timeout.next(ctx)
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
			s.uncount() // the server has ended it, as after an invalidate event
			return false
		}
		if !wait {
			return false
		}
	}
}

// fail keeps an error. One of time leaves the stream usable.
//
// Client Side Operations Timeout, "Change Streams".
func (s *ChangeStream) fail(ctx context.Context, err error) {
	s.err = err
	s.passing = fault.IsTimeout(err) || ctx.Err() != nil
	switch {
	case s.passing && s.cursor != nil:
		s.cursor.err = err // so that the next call resumes, or Close ends the cursor: there is no time left for that now
	case !s.passing:
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
		if !s.resumable(err) || exec.Expired(ctx) {
			return false, err
		}
		return false, s.open(ctx, s.cursor.abandon(ctx), true)
	}
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
	s.returned = true
	if s.merges() {
		if doc, ok = s.parts.add(doc); !ok {
			return false, nil
		}
	}
	s.current, s.shown = doc, s.token
	return true, nil
}

func (s *ChangeStream) merges() bool { return option.Or(s.options.MergeSplitEvents, false) }

// noteEmptyBatch moves the resume token over a time in which nothing happened.
func (s *ChangeStream) noteEmptyBatch() {
	if s.cursor.token == nil || s.cursor.batch.more() {
		return
	}
	s.token = s.cursor.token
	if !s.parts.open() {
		s.shown = s.token
	}
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

// open sends the aggregate. Its errors are not resumed from; it is retried like any read. kept is the session of the cursor
// that the new one replaces.
func (s *ChangeStream) open(ctx context.Context, kept *session.Client, resuming bool) error {
	stages, err := s.pipeline(resuming)
	if err != nil {
		return err
	}
	o := &s.options
	op := &exec.Operation{
		Command: &command.ChangeStream{Collection: s.collection, Pipeline: stages, Options: o}, DB: s.db,
		ReadConcern: s.scope.readConcern, ReadPreference: s.scope.readPreference, Timeout: s.scope.timeout,
		Marshal: s.scope.marshal, Cursor: true, Session: kept,
	}
	s.timeout.opening(op)
	if resuming && s.timeout.timeout != nil && !(kept != nil && kept.HasDeadline()) {
		op.AlreadyBounded()
	}
	out, err := s.client.run(ctx, op)
	if err != nil {
		s.spare = kept
		if s.cursor != nil {
			s.cursor.err = err // a later call, if there is one, opens the stream
		}
		return err
	}
	if kept != nil && out.Session == nil {
		s.client.exec.EndImplicit(kept) // the cursor has ended, and with it the use of the session
	}
	reply, err := command.ParseCursorReply(out.Reply)
	if err == nil && s.startAt == nil && s.token == nil && out.WireVersion >= wire.Server40 &&
		bson.Raw(reply.Batch).Len() == 0 && reply.PostBatchResumeToken == nil && reply.OperationTime != (bson.Timestamp{}) {
		s.startAt = &reply.OperationTime
	}
	settings := cursorSettings{
		batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, maxAwaitTime: option.Or(o.MaxAwaitTime, 0),
		tailable: true, timeout: s.timeout,
	}
	s.cursor, err = newCursor(s.client, s.db, s.scope.unmarshal, out, settings)
	if err != nil {
		return err
	}
	s.noteEmptyBatch()
	return nil
}
