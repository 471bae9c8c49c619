package mongo

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// MapReduce runs two JavaScript functions on the server. mapper is called for every document and emits keys and values;
// reducer turns the values of each key into one. out says where the results go: nil or bson.Doc("inline", 1) returns
// them, and the name of a collection or a document such as bson.Doc("merge", name) stores them. The cursor holds the
// results that are returned. It is empty when they are stored: read them with Find.
//
// The operation is a read unless it stores its results. It is never retried.
//
// Deprecated: servers have deprecated mapReduce since 5.0; use Aggregate, which needs no JavaScript.
func (c *Collection) MapReduce(
	ctx context.Context, mapper, reducer bson.JavaScript, out any, opts ...*options.MapReduce,
) (*Cursor, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	op := new(exec.Operation)
	cmd := &command.MapReduce{Collection: c.name, Map: mapper, Reduce: reducer, Options: mergeOptions(opts)}
	c.prepareRead(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ *Cursor, err error) {
		if cmd.Out, cmd.Writes, err = c.mapReduceTarget(out); err != nil {
			return nil, err
		}
		if cmd.Writes {
			op.ReadConcern, op.ReadPreference, op.WriteConcern = nil, nil, c.scope.writeConcern
		}
		done, err := c.run(ctx, op)
		if err != nil {
			return nil, err
		}
		return c.mapReduceResult(done)
	})
}

// mapReduceTarget checks where the results go, and reports whether they are stored.
func (c *Collection) mapReduceTarget(out any) (target any, writes bool, err error) {
	switch out := out.(type) {
	case nil:
		return bson.Doc("inline", int32(1)), false, nil
	case string:
		if out == "" {
			return nil, false, fault.Misuse(fault.ErrNilValue,
				"the results of MapReduce go nowhere: name a collection, or pass nil to have them returned")
		}
		return out, true, nil
	}
	doc, err := encode.Document(c.scope.marshal, "out", out)
	if err != nil {
		return nil, false, err
	}
	return doc, doc.Lookup("inline").IsZero(), nil
}

// mapReduceResult returns a cursor over the results in a reply.
func (c *Collection) mapReduceResult(done *exec.Outcome) (*Cursor, error) {
	if err := writeConcernError(done); err != nil {
		return nil, err
	}
	cursor := &Cursor{unmarshal: c.scope.unmarshal}
	if list := done.Reply.Lookup("results"); !list.IsZero() {
		array, ok := list.ArrayOK()
		if !ok {
			return nil, fmt.Errorf("mongo: mapReduce: the server's results are not an array but a %s", list.Type)
		}
		cursor.batch = batch.Of(array)
	}
	return cursor, nil
}
