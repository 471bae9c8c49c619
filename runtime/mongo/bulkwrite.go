package mongo

import (
	"context"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
)

// BulkWrite carries out a list of inserts, updates, replacements and deletes. It sends as few messages as the order of
// the writes and the server's limits allow. By default the writes are ordered: the first failure ends the operation.
// With Ordered false, all writes are tried, and the driver may group inserts, updates and deletes.
//
// The result tells what was written, even when there is an error. A BulkWriteException says which writes failed and
// which were never tried. A message that holds an UpdateManyModel or a DeleteManyModel is not retried.
func (c *Collection) BulkWrite(ctx context.Context, models []WriteModel, opts ...*options.BulkWrite) (*BulkWriteResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	if o == nil {
		o = &options.BulkWrite{}
	}
	b := bulkWrite{c: c, ordered: o.Ordered == nil || *o.Ordered, list: modelList(models)}
	c.prepareWrite(&b.op, &command.BulkInsert{Collection: c.name}) // for the span, which names no single command
	return runInSpan(ctx, c.db.client, &b.op, func(ctx context.Context) (*BulkWriteResult, error) {
		groups, err := b.groups(models, o)
		if err != nil {
			return nil, err
		}
		err = b.run(ctx, groups)
		return &b.result, err
	})
}

// modelList is the caller's list, for the errors that name one.
type modelList []WriteModel

func (l modelList) Request(i int) options.WriteModel { return l[i] }

// groups splits the models by command.
func (b *bulkWrite) groups(models []WriteModel, o *options.BulkWrite) ([]bulk.Group, error) {
	if len(models) == 0 {
		return nil, fault.Misuse(fault.ErrEmptySlice, "there are no models to write: pass at least one")
	}
	splitter := bulk.Splitter{Collection: b.c.name, Options: o, Marshal: b.c.scope.marshal, Unmarshal: b.c.scope.unmarshal}
	groups, err := splitter.Split(models, b.ordered)
	inserts := 0
	for i := range groups {
		inserts += len(groups[i].IDs)
	}
	if inserts > 0 {
		b.result.InsertedIDs = make(map[int]any, inserts)
	}
	return groups, err
}
