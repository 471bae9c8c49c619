package mongo

import (
	"context"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/decide"
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
// Next waits until something changes. The resume token advances even while nothing does. To see every token, call
// TryNext in a loop and ResumeToken after each call. A program that stores tokens should do so.
//
// When time runs out, Next returns false, Err says so, and the stream stays usable. Call Next again, or close the
// stream and open another one after its ResumeToken. If no event has ever arrived, the server cannot scan its history
// in that time: open the stream again with a longer Timeout.
type ChangeStream struct {
	client         *Client
	db, collection string
	everything     bool // all databases
	scope          scope
	options        options.ChangeStream
	stages         bson.RawArray // of the program

	startAfter, resumeAfter bson.Raw // of the program

	state   changestream.State
	verdict changestream.Verdict
	mode    changestream.Mode

	cursor    *Cursor
	spare     *session.Client // the session of a closed cursor, until the next cursor takes it over
	token     bson.Raw        // the position, if it is a resume token
	startAt   *bson.Timestamp // the position, if it is a time
	shown     bson.Raw        // what ResumeToken returns
	taken     bson.Raw        // the _id of the last document
	started   *bson.Timestamp // the operationTime of the last aggregate, where a stream can start at one
	parts     batch.Fragments
	timeout   cursorTimeout
	explained int64
	pacer     decide.Pacer // counts the resumptions since the last event or successful getMore

	current bson.Raw
	err     error
	counted bool // Client.streams includes it
}

// The documents of change streams.
type (
	// ChangeEvent is one event of a change stream. It has the fields ID, OperationType, Namespace, NamespaceType, To,
	// OperationDescription, DocumentKey, UpdateDescription, FullDocument, FullDocumentBeforeChange, WallTime,
	// CollectionUUID and ClusterTime.
	ChangeEvent = options.ChangeEvent
	// ChangeNamespace names the collection or database of an event. It has the fields Database and Collection.
	ChangeNamespace = options.ChangeNamespace
	// UpdateDescription says what an update changed. It has the fields UpdatedFields, RemovedFields, TruncatedArrays
	// and DisambiguatedPaths.
	UpdateDescription = options.UpdateDescription
	// TruncatedArray is an array that an update made shorter. It has the fields Field and NewSize.
	TruncatedArray = options.TruncatedArray
)

// ErrMissingResumeToken is returned when a change stream's pipeline removes the _id of its events. The stream could not
// resume without it.
var ErrMissingResumeToken = errors.New(
	"mongo: " + changestream.ResumeTokenMissing() + ": keep the field _id of the events in the pipeline")

// ID is the server's ID for the stream's cursor, or 0 when the cursor has ended.
func (s *ChangeStream) ID() int64 {
	if s == nil {
		return 0
	}
	if s.cursor == nil {
		return 0
	}
	return s.cursor.id
}

// Current is the event that Next has moved to. It stays valid after the next call of Next.
func (s *ChangeStream) Current() bson.Raw {
	if s == nil {
		return nil
	}
	return s.current
}

// ResumeToken marks the position after the last event that this stream returned. Pass it as ResumeAfter or StartAfter
// to continue there with another stream. It is nil until the server has sent one.
func (s *ChangeStream) ResumeToken() bson.Raw {
	if s == nil {
		return nil
	}
	return s.shown
}

// Err is the error of the last call of Next or TryNext, or nil.
func (s *ChangeStream) Err() error {
	if s == nil {
		return s.check(context.Background())
	}
	return s.err
}

// RemainingBatchLength is the number of events that Next can return without asking the server.
func (s *ChangeStream) RemainingBatchLength() int {
	if s == nil {
		return 0
	}
	if s.cursor == nil {
		return 0
	}
	return s.cursor.RemainingBatchLength()
}

// SetBatchSize limits the number of events in the next batches; 0 leaves it to the server.
func (s *ChangeStream) SetBatchSize(size int32) {
	if s == nil {
		return
	}
	s.options.BatchSize = &size
	if s.cursor != nil {
		s.cursor.settings.batchSize = size
	}
}

// Decode decodes the current event into the value that v points to, such as a ChangeEvent.
func (s *ChangeStream) Decode(v any) error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	if s.current == nil {
		return errors.New("mongo: the change stream has no current event: call Next first, " +
			"and call Decode only after Next has returned true")
	}
	if err := bson.Unmarshal(s.current, v, s.scope.unmarshal); err != nil {
		return fmt.Errorf("mongo: decoding an event of the change stream: %w", err)
	}
	return nil
}

// uncount removes the stream from the client's statistics. A second call does nothing.
func (s *ChangeStream) uncount() {
	if s.counted {
		s.counted = false
		s.client.streams.Add(-1)
	}
}

func (s *ChangeStream) endSpareSession() {
	if s.spare != nil {
		s.client.exec.EndImplicit(s.spare)
		s.spare = nil
	}
}

func (s *ChangeStream) mergesEvents() bool { return option.Or(s.options.MergeSplitEvents, false) }

func (s *ChangeStream) check(ctx context.Context) error {
	if s == nil || s.client == nil {
		return nilHandleError("change stream", "Watch returns")
	}
	return checkContext(ctx)
}
