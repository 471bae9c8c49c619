package mongo

import (
	"context"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
)

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
	if resuming && s.timeout.timeout != nil && !kept.HasDeadline() {
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
	opened, err := newCursor(s.client, s.db, s.scope.unmarshal, out, settings)
	if err != nil {
		if s.cursor != nil {
			s.cursor.err = err
		}
		return err
	}
	s.cursor = opened
	s.noteEmptyBatch()
	return nil
}

// pipeline is the $changeStream stage, the program's stages, and the one that splits large events. A stage behind the
// driver's cannot name a point to start at, so that it is the same for every attempt.
func (s *ChangeStream) pipeline(resuming bool) (bson.RawArray, error) {
	dst, array := bson.AppendDocumentStart(make([]byte, 0, len(s.stages)+256))
	dst, stage := bson.AppendDocumentElementStart(dst, "0")
	dst, body := bson.AppendDocumentElementStart(dst, "$changeStream")
	o := &s.options
	if s.everything {
		dst = bson.AppendBooleanElement(dst, "allChangesForCluster", true)
	}
	if o.FullDocument != nil {
		dst = bson.AppendStringElement(dst, "fullDocument", *o.FullDocument)
	}
	if o.FullDocumentBeforeChange != nil {
		dst = bson.AppendStringElement(dst, "fullDocumentBeforeChange", *o.FullDocumentBeforeChange)
	}
	if o.ShowExpandedEvents != nil {
		dst = bson.AppendBooleanElement(dst, "showExpandedEvents", *o.ShowExpandedEvents)
	}
	dst = s.appendStart(dst, resuming)
	dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, body), stage)
	n := 1
	for _, value := range s.stages.All() {
		dst = bson.AppendRawValueElement(dst, strconv.Itoa(n), value)
		n++
	}
	if s.merges() {
		dst, stage = bson.AppendDocumentElementStart(dst, strconv.Itoa(n))
		dst, body = bson.AppendDocumentElementStart(dst, "$changeStreamSplitLargeEvent")
		dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, body), stage)
	}
	return bson.RawArray(bson.AppendDocumentEnd(dst, array)), nil
}

// appendStart says where the stream starts. Change Streams, "Resume Process".
func (s *ChangeStream) appendStart(dst []byte, resuming bool) []byte {
	switch {
	case !resuming:
		// What the program gave goes out as it is, contradictions too: the server refuses them.
		if s.resumeAfter != nil {
			dst = bson.AppendDocumentElement(dst, "resumeAfter", s.resumeAfter)
		}
		if s.startAfter != nil {
			dst = bson.AppendDocumentElement(dst, "startAfter", s.startAfter)
		}
	case s.token != nil && s.startAfter != nil && !s.returned:
		return bson.AppendDocumentElement(dst, "startAfter", s.token)
	case s.token != nil:
		return bson.AppendDocumentElement(dst, "resumeAfter", s.token)
	}
	if s.startAt != nil {
		dst = bson.AppendTimestampElement(dst, "startAtOperationTime", s.startAt.T, s.startAt.I)
	}
	return dst
}

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
