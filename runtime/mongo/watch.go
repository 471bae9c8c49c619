package mongo

import (
	"bytes"
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Watch opens a change stream on the collection. The pipeline filters and shapes the events; mongo.Pipeline{} takes
// them as they are. It must keep the events' _id, from which the stream resumes.
//
// The caller must close the stream. It resumes by itself after a temporary error, unlike the cursor of an Aggregate
// with a $changeStream stage. The server accepts only the read concern majority, or none.
func (c *Collection) Watch(ctx context.Context, pipeline any, opts ...*options.ChangeStream) (*ChangeStream, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	s := &ChangeStream{client: c.db.client, db: c.db.name, collection: c.name, scope: c.scope, err: c.invalid}
	return watch(ctx, s, pipeline, mergeOptions(opts))
}

// Watch opens a change stream on all collections of the database.
func (d *Database) Watch(ctx context.Context, pipeline any, opts ...*options.ChangeStream) (*ChangeStream, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	return watch(ctx, &ChangeStream{client: d.client, db: d.name, scope: d.scope, err: d.invalid}, pipeline, mergeOptions(opts))
}

// Watch opens a change stream on all databases of the deployment except admin, config and local.
func (c *Client) Watch(ctx context.Context, pipeline any, opts ...*options.ChangeStream) (*ChangeStream, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	return watch(ctx, &ChangeStream{client: c, db: "admin", everything: true, scope: c.scope}, pipeline, mergeOptions(opts))
}

func watch(ctx context.Context, s *ChangeStream, pipeline any, o *options.ChangeStream) (*ChangeStream, error) {
	op := &exec.Operation{Command: &command.ChangeStream{Collection: s.collection}, DB: s.db}
	return runInSpan(ctx, s.client, op, func(ctx context.Context) (*ChangeStream, error) { return s.begin(ctx, pipeline, o) })
}

// begin opens a stream for the first time.
func (s *ChangeStream) begin(ctx context.Context, pipeline any, o *options.ChangeStream) (_ *ChangeStream, err error) {
	if s.err != nil {
		return nil, s.err // the name is invalid
	}
	if s.stages, err = s.scope.pipeline(pipeline); err != nil {
		return nil, err
	}
	if o != nil {
		s.options = option.Copy(*o) // the stream reads them whenever it resumes
	}
	if s.options.Comment, err = s.scope.comment(s.options.Comment); err != nil {
		return nil, err
	}
	s.timeout, err = newCursorTimeout(ctx, cursorOptions{
		own: s.options.Timeout, inherited: s.scope.timeout, kind: &awaitData, maxAwait: s.options.MaxAwaitTime,
	})
	if err != nil {
		return nil, err
	}
	if s.startAfter, err = s.checkToken("StartAfter", s.options.StartAfter); err != nil {
		return nil, err
	}
	if s.resumeAfter, err = s.checkToken("ResumeAfter", s.options.ResumeAfter); err != nil {
		return nil, err
	}
	s.tell(ctx, s.describeOpening())
	if s.run(ctx); s.err != nil {
		return nil, s.err
	}
	s.counted = true
	s.client.streams.Add(1)
	return s, nil
}

// awaitData is the type of a change stream's cursor.
var awaitData = options.TailableAwait

func (s *ChangeStream) checkToken(what string, token any) (bson.Raw, error) {
	if token == nil {
		return nil, nil
	}
	doc, err := encode.Document(s.scope.marshal, what, token)
	if err != nil {
		return nil, encode.At(err, "a resume token is what ResumeToken of a stream returned, and nil to begin now")
	}
	return bytes.Clone(doc), nil // the program's own bytes may change
}
