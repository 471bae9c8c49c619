package mongo

import (
	"context"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// open sends the aggregate, which is retried like any read. If it replaces a cursor, it uses the session that the
// cursor left.
func (s *ChangeStream) open(ctx context.Context) error {
	resuming := s.state.Stage != changestream.AtFirstAggregate
	kept := s.spare
	s.spare = nil
	o := &s.options
	op := &exec.Operation{
		Command: &command.ChangeStream{Collection: s.collection, Pipeline: s.pipeline(), Options: o}, DB: s.db,
		ReadConcern: s.scope.readConcern, ReadPreference: s.scope.readPreference, Timeout: s.scope.timeout,
		Marshal: s.scope.marshal, Answer: exec.OpenCursor, Session: kept,
	}
	s.timeout.adjustOpening(op)
	if resuming {
		op.Part = timeout.Reopen
	}
	out, err := s.client.run(ctx, op)
	if err != nil {
		s.spare = kept
		return err
	}
	if kept != nil && out.Session == nil {
		s.client.exec.EndImplicit(kept) // the session is no longer needed: the cursor has ended
	}
	if reply, err := command.ParseCursorReply(out.Reply); err == nil && reply.OperationTime != (bson.Timestamp{}) {
		s.started = &reply.OperationTime
	}
	settings := cursorSettings{
		batchSize: option.Or(o.BatchSize, 0), comment: o.Comment, maxAwaitTime: option.Or(o.MaxAwaitTime, 0),
		tailable: true, timeout: s.timeout,
	}
	opened, err := newCursor(s.client, s.db, s.scope, out, settings)
	if err != nil {
		return err
	}
	s.cursor = opened
	return nil
}

// pipeline returns the $changeStream stage, the program's stages, and the stage that splits large events.
func (s *ChangeStream) pipeline() bson.RawArray {
	dst, array := bson.AppendDocumentStart(make([]byte, 0, len(s.stages)+256))
	dst, stage := bson.AppendDocumentElementStart(dst, "0")
	dst, body := bson.AppendDocumentElementStart(dst, changestream.StageWatch)
	o := &s.options
	if s.everything {
		dst = bson.AppendBooleanElement(dst, changestream.FieldAllChangesForCluster, true)
	}
	if o.FullDocument != nil {
		dst = bson.AppendStringElement(dst, changestream.FieldFullDocument, *o.FullDocument)
	}
	if o.FullDocumentBeforeChange != nil {
		dst = bson.AppendStringElement(dst, changestream.FieldFullDocumentBeforeChange, *o.FullDocumentBeforeChange)
	}
	if o.ShowExpandedEvents != nil {
		dst = bson.AppendBooleanElement(dst, changestream.FieldShowExpandedEvents, *o.ShowExpandedEvents)
	}
	dst = s.appendStart(dst)
	dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, body), stage)
	n := 1
	for _, value := range s.stages.All() {
		dst = bson.AppendRawValueElement(dst, strconv.Itoa(n), value)
		n++
	}
	if s.mergesEvents() {
		dst, stage = bson.AppendDocumentElementStart(dst, strconv.Itoa(n))
		dst, body = bson.AppendDocumentElementStart(dst, changestream.StageSplit)
		dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, body), stage)
	}
	return bson.RawArray(bson.AppendDocumentEnd(dst, array))
}

// appendStart says where the stream starts.
func (s *ChangeStream) appendStart(dst []byte) []byte {
	switch s.verdict.Start {
	case changestream.StartAfterToken:
		return bson.AppendDocumentElement(dst, changestream.FieldStartAfter, s.token)
	case changestream.ResumeAfterToken:
		return bson.AppendDocumentElement(dst, changestream.FieldResumeAfter, s.token)
	case changestream.AtSavedTime:
		return bson.AppendTimestampElement(dst, changestream.FieldStartAtOperationTime, s.startAt.T, s.startAt.I)
	}
	if s.resumeAfter != nil {
		dst = bson.AppendDocumentElement(dst, changestream.FieldResumeAfter, s.resumeAfter)
	}
	if s.startAfter != nil {
		dst = bson.AppendDocumentElement(dst, changestream.FieldStartAfter, s.startAfter)
	}
	if at := s.options.StartAtOperationTime; at != nil {
		dst = bson.AppendTimestampElement(dst, changestream.FieldStartAtOperationTime, at.T, at.I)
	}
	return dst
}
