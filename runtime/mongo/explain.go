package mongo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Explainable is an operation that the server can explain. ExplainFind, ExplainAggregate, ExplainDistinct and
// ExplainWrite make one.
type Explainable struct {
	make func(c *Collection) (exec.Command, error)
}

// ExplainFind is a Find to explain.
func ExplainFind(filter any, opts ...*options.Find) Explainable {
	return Explainable{func(c *Collection) (exec.Command, error) {
		o := mergeOptions(opts)
		if o != nil {
			if err := encode.CheckOrder(o.Sort, o.Hint, o.Min, o.Max); err != nil {
				return nil, err
			}
		}
		raw, err := encode.Document(c.scope.marshal, "filter", filter)
		return &command.Find{Collection: c.name, Filter: raw, Options: o}, err
	}}
}

// ExplainAggregate is an Aggregate to explain.
func ExplainAggregate(pipeline any, opts ...*options.Aggregate) Explainable {
	return Explainable{func(c *Collection) (exec.Command, error) {
		o := mergeOptions(opts)
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		stages, err := c.scope.pipeline(pipeline)
		return &command.Aggregate{Collection: c.name, Pipeline: stages, Options: o}, err
	}}
}

// ExplainDistinct is a Distinct to explain.
func ExplainDistinct(field string, filter any, opts ...*options.Distinct) Explainable {
	return Explainable{func(c *Collection) (exec.Command, error) {
		o := mergeOptions(opts)
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		raw, err := encode.Document(c.scope.marshal, "filter", filter)
		return &command.Distinct{Collection: c.name, Key: field, Filter: raw, Options: o}, err
	}}
}

// ExplainWrite is an update, a replacement or a delete to explain: a model of a bulk write. Nothing is written.
func ExplainWrite(model WriteModel) Explainable {
	return Explainable{func(c *Collection) (exec.Command, error) {
		var enc encode.Encoder
		kind, err := enc.CheckModel(c.scope.marshal, model)
		if err != nil {
			return nil, encode.At(err, "the model to explain")
		}
		switch kind {
		case encode.Updates:
			return &command.BulkUpdate{Collection: c.name, Models: []WriteModel{model}}, nil
		case encode.Deletes:
			return &command.BulkDelete{Collection: c.name, Models: []WriteModel{model}}, nil
		}
		return nil, fmt.Errorf("mongo: the server cannot explain a %T: pass a model of an update, a replacement or a delete", model)
	}}
}

// Explain asks the server how it would carry out an operation. The options apply to the explain command; MaxTime and
// Timeout of the operation itself do not bound it. An empty verbosity leaves the choice to the server, which then tells
// all that it knows.
func (c *Collection) Explain(ctx context.Context, operation Explainable, verbosity string, opts ...*options.Explain) *SingleResult {
	if err := c.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	if operation.make == nil {
		return &SingleResult{err: fault.Misuse(fault.ErrNilValue, "the operation to explain is empty: use what ExplainFind returns")}
	}
	cmd := &explainCommand{Explain: command.Explain{Verbosity: verbosity, Options: mergeOptions(opts)}}
	op := &exec.Operation{Command: cmd, DB: c.db.name, ReadPreference: c.scope.readPreference}
	return runSingleInSpan(ctx, c.db.client, op, func(ctx context.Context) *SingleResult {
		var err error
		if cmd.inner, err = operation.make(c); err != nil {
			return &SingleResult{err: err}
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return &SingleResult{err: err}
		}
		return &SingleResult{doc: out.Reply, unmarshal: c.scope.unmarshal}
	})
}

// explainCommand encodes the command that it explains once the server is known.
type explainCommand struct {
	command.Explain
	inner exec.Command
}

// Append writes the command and leaves its document open.
func (e *explainCommand) Append(dst []byte, env *emitted.Env) ([]byte, error) {
	own := *env // the MaxTime of the inner command does not bound the explanation
	body, err := e.inner.Append(nil, &own)
	if err != nil {
		return dst, err
	}
	if items, ok := e.inner.(exec.Batch); ok {
		if body, err = appendItems(body, items, &own); err != nil {
			return dst, err
		}
	}
	e.Command = bson.Raw(bson.AppendDocumentEnd(body, 0))
	return e.Explain.Append(dst, env)
}

// appendItems writes the statements as an array in the document, because explain takes no document sequence.
func appendItems(dst []byte, items exec.Batch, env *emitted.Env) ([]byte, error) {
	dst, array := bson.AppendArrayElementStart(dst, items.Meta().Sequence)
	for i := range items.Items() {
		item, err := items.AppendItem(nil, i, env)
		if err != nil {
			return dst, err
		}
		dst = bson.AppendDocumentElement(dst, strconv.Itoa(i), bson.Raw(item))
	}
	return bson.AppendDocumentEnd(dst, array), nil
}
