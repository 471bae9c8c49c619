package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/bulk"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// InsertOne inserts a document. If the document has no _id, the driver adds an ObjectID to what it sends. The argument
// itself does not change; the result holds the _id.
func (c *Collection) InsertOne(ctx context.Context, document any, opts ...*options.InsertOne) (*InsertOneResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	calls := &c.db.client.calls.insertOne
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.InsertOne{Collection: c.name, Options: o}
	c.prepareWrite(&call.op, &call.cmd)
	return runInSpan(ctx, c.db.client, &call.op, func(ctx context.Context) (*InsertOneResult, error) {
		if document == nil {
			return nil, fault.Misuse(fault.ErrNilDocument, "the document is nil: pass bson.D{} for an empty one")
		}
		raw, id, err := call.enc.Insert(c.scope.marshal, c.scope.unmarshal, document)
		if err != nil {
			return nil, encode.ExplainNotDocument("document", document, err)
		}
		call.cmd.Document = raw
		reply, err := c.writeOne(ctx, &call.op, &call.cmd)
		if err != nil && !wasApplied(err, false) {
			return nil, err
		}
		if reply.raw != nil && err == nil {
			_, err = bulk.CleanReply(reply.raw, &reply.WriteReply, encode.Inserts, 1)
		}
		return &InsertOneResult{Acknowledged: reply.raw != nil, InsertedID: id}, err
	})
}

// wasApplied reports whether a write took place although its error says that the write concern was not satisfied. A
// write of many documents may have taken place in part before one of them failed.
func wasApplied(err error, many bool) bool {
	e, ok := errors.AsType[fault.WriteException](err)
	return ok && (many || len(e.WriteErrors) == 0 && e.WriteConcernError != nil)
}

// InsertMany inserts documents: a slice of structs, of bson.D or of any other type that encodes to a document. It sends
// as few messages as the server's limits allow. By default the inserts are ordered: the first failure ends the
// operation. With Ordered false, all documents are tried.
//
// The result tells what was inserted, even when there is an error. A BulkWriteException says which documents failed and
// which were never tried.
func (c *Collection) InsertMany(ctx context.Context, documents any, opts ...*options.InsertMany) (*InsertManyResult, error) {
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	cmd := &command.InsertMany{Collection: c.name, Options: o}
	b := bulkWrite{c: c, ordered: o == nil || o.Ordered == nil || *o.Ordered}
	c.prepareWrite(&b.op, cmd)
	return runInSpan(ctx, c.db.client, &b.op, func(ctx context.Context) (*InsertManyResult, error) {
		list, err := encode.NewDocuments(documents)
		if err != nil {
			return nil, err
		}
		var enc encode.Encoder
		docs, ids := make([]bson.Raw, list.Len()), make([]any, list.Len())
		for i := range docs {
			enc.MakeRoom()
			if docs[i], ids[i], err = enc.Insert(c.scope.marshal, c.scope.unmarshal, list.At(i)); err != nil {
				return nil, encode.ExplainNotDocument(fmt.Sprintf("document %d", i), list.At(i), err)
			}
		}
		cmd.Documents, b.list = docs, list
		err = b.run(ctx, []bulk.Group{{Cmd: cmd, Kind: encode.Inserts, IDs: ids}})
		return &InsertManyResult{Acknowledged: b.result.Acknowledged, InsertedIDs: slices.Clip(b.ids)}, err
	})
}
