package mongo

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// Distinct finds the distinct values of a field among the documents that match a filter. The package function
// [Distinct] returns them as a slice of one type.
func (c *Collection) Distinct(ctx context.Context, field string, filter any, opts ...*options.Distinct) *DistinctResult {
	if err := c.check(ctx); err != nil {
		return &DistinctResult{err: err}
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.Distinct{Collection: c.name, Key: field, Options: o}
	c.prepareRead(op, cmd)
	values, err := runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ bson.RawArray, err error) {
		if err := checkFieldName("field", field); err != nil {
			return nil, err
		}
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return nil, err
			}
		}
		if cmd.Filter, err = encode.Document(c.scope.marshal, "filter", filter); err != nil {
			return nil, err
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return nil, err
		}
		reply, err := command.ParseDistinctReply(out.Reply)
		return reply.Values, err
	})
	return &DistinctResult{values: values, err: err, unmarshal: c.scope.unmarshal}
}

// DistinctResult is the list of values that Distinct found, or the error of the operation.
type DistinctResult struct {
	values    bson.RawArray
	err       error
	unmarshal *bson.UnmarshalOptions
}

// Decode decodes the values into the slice that v points to.
func (r *DistinctResult) Decode(v any) error {
	r = r.orError()
	if r.err != nil {
		return r.err
	}
	value := bson.RawValue{Type: bsontype.Array, Value: r.values}
	if err := value.Unmarshal(v, r.unmarshal); err != nil {
		return fmt.Errorf("mongo: decoding the distinct values: %w", err)
	}
	return nil
}

// Raw is the list of values as the server sent it. The caller may keep it.
func (r *DistinctResult) Raw() (bson.RawArray, error) {
	r = r.orError()
	return r.values, r.err
}

// Err is the error of the operation.
func (r *DistinctResult) Err() error { return r.orError().err }

// Distinct finds the distinct values of a field among the documents that match a filter, and decodes each into a T. If
// there are none, the slice is empty, not nil.
//
//	names, err := mongo.Distinct[string](ctx, users, "name", bson.D{})
func Distinct[T any](ctx context.Context, c *Collection, field string, filter any, opts ...*options.Distinct) ([]T, error) {
	list := []T{}
	if err := c.Distinct(ctx, field, filter, opts...).Decode(&list); err != nil {
		return nil, err
	}
	return list, nil
}

// orError returns r. For a nil r, it returns a result that holds the error, because no method panics on a nil handle.
func (r *DistinctResult) orError() *DistinctResult {
	if r == nil {
		return &DistinctResult{err: nilHandleError("result", "Distinct returns")}
	}
	return r
}
