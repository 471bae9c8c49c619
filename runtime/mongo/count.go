package mongo

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// CountDocuments counts the documents that match a filter. It runs an aggregation, so the filter cannot use $where,
// $near or $nearSphere. Use $expr in place of $where, and $geoWithin with $center or $centerSphere in place of the
// others.
func (c *Collection) CountDocuments(ctx context.Context, filter any, opts ...*options.Count) (int64, error) {
	if err := c.check(ctx); err != nil {
		return 0, err
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.CountDocuments{Collection: c.name, Options: o}
	c.prepareRead(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (int64, error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return 0, err
			}
		}
		raw, err := encode.Document(c.scope.marshal, "filter", filter)
		if err != nil {
			return 0, err
		}
		cmd.Pipeline = countPipeline(raw, o)
		out, err := c.run(ctx, op)
		if err != nil {
			return 0, err
		}
		return countedDocuments(out.Reply)
	})
}

// countedDocuments reads the count from the single group in the reply.
func countedDocuments(raw bson.Raw) (int64, error) {
	reply, err := command.ParseCursorReply(raw)
	if err != nil {
		return 0, err
	}
	for _, value := range reply.Batch.All() {
		doc, _ := value.DocumentOK()
		n, ok := doc.Lookup("n").AsInt64OK()
		if !ok {
			return 0, fmt.Errorf("mongo: countDocuments: the server's count is missing in %v", doc)
		}
		return checkCount(n)
	}
	return 0, nil // no document matched, so there was no group to count
}

// readCount reads the reply of the command count.
func readCount(out *exec.Outcome) (int64, error) {
	reply, err := command.ParseCountReply(out.Reply)
	if err != nil {
		return 0, err
	}
	return checkCount(reply.N)
}

// checkCount refuses a negative count.
func checkCount(n int64) (int64, error) {
	if n < 0 {
		return 0, fmt.Errorf("mongo: the server's count is %d", n)
	}
	return n, nil
}

// countPipeline matches, skips, limits and counts. CRUD, "Count API Details".
func countPipeline(filter bson.Raw, o *options.Count) bson.RawArray {
	dst, start := bson.AppendDocumentStart(nil)
	stage := 0
	dst = appendStage(dst, &stage, func(dst []byte) []byte { return bson.AppendDocumentElement(dst, command.CountMatch, filter) })
	if o != nil && o.Skip != nil {
		dst = appendStage(dst, &stage, func(dst []byte) []byte { return bson.AppendInt64Element(dst, command.CountSkip, *o.Skip) })
	}
	if o != nil && o.Limit != nil && *o.Limit != 0 { // 0 is no limit, which the stage would refuse
		dst = appendStage(dst, &stage, func(dst []byte) []byte { return bson.AppendInt64Element(dst, command.CountLimit, *o.Limit) })
	}
	dst = appendStage(dst, &stage, func(dst []byte) []byte {
		dst, group := bson.AppendDocumentElementStart(dst, command.CountGroup)
		dst = bson.AppendInt32Element(dst, "_id", 1)
		dst, sum := bson.AppendDocumentElementStart(dst, "n")
		dst = bson.AppendInt32Element(dst, command.CountSum, 1)
		dst = bson.AppendDocumentEnd(dst, sum)
		return bson.AppendDocumentEnd(dst, group)
	})
	return bson.RawArray(bson.AppendDocumentEnd(dst, start))
}

func appendStage(dst []byte, stage *int, content func([]byte) []byte) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, string(rune('0'+*stage)))
	*stage++
	return bson.AppendDocumentEnd(content(dst), start)
}

// EstimatedDocumentCount returns the number of documents in the collection, from its metadata. It is fast, but can be
// wrong after an unclean shutdown or while a sharded collection's documents are being moved. It uses the count command.
// Servers 5.0.0 to 5.0.8 lack that command in version 1 of the stable API: upgrade the server, or leave Strict unset.
func (c *Collection) EstimatedDocumentCount(ctx context.Context, opts ...*options.EstimatedDocumentCount) (int64, error) {
	if err := c.check(ctx); err != nil {
		return 0, err
	}
	op := new(exec.Operation)
	c.prepareRead(op, &command.EstimatedDocumentCount{Collection: c.name, Options: mergeOptions(opts)})
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (int64, error) {
		out, err := c.run(ctx, op)
		if fault.HasErrorCode(err, errcode.NamespaceNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return readCount(out)
	})
}

// Count counts the documents that match a filter with the count command. The count is wrong on a sharded cluster with
// orphaned documents.
//
// Deprecated: use CountDocuments, or EstimatedDocumentCount for all documents.
func (c *Collection) Count(ctx context.Context, filter any, opts ...*options.Count) (int64, error) {
	if err := c.check(ctx); err != nil {
		return 0, err
	}
	o := mergeOptions(opts)
	op, cmd := new(exec.Operation), &command.Count{Collection: c.name, Options: o}
	c.prepareRead(op, cmd)
	return runInSpan(ctx, c.db.client, op, func(ctx context.Context) (_ int64, err error) {
		if o != nil {
			if err := encode.CheckOrder(nil, o.Hint); err != nil {
				return 0, err
			}
		}
		if cmd.Query, err = encode.Document(c.scope.marshal, "filter", filter); err != nil {
			return 0, err
		}
		out, err := c.run(ctx, op)
		if err != nil {
			return 0, err
		}
		return readCount(out)
	})
}
