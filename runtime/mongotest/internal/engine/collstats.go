package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// collStats answers the numbers of a collection: of documents and bytes, not of files.
func (e *Engine) collStats(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	if _, err := r.parse([]field{{"scale", 0, integer}, {"verbose", 0, boolean}, {"comment", 0, anything}}); err != nil {
		return nil, err
	}
	c := e.snapshot(r).Collection(r.DB, name)
	if c != nil && c.IsView() {
		return nil, status.Errorf(errcode.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", c.Namespace())
	}
	dst = bson.AppendStringElement(dst, "ns", r.DB+"."+name)
	return appendStorageStats(dst, c), nil
}

func appendStorageStats(dst []byte, c *store.Collection) []byte {
	n := int64(c.Len())
	dst = bson.AppendInt64Element(dst, "size", c.Size())
	dst = bson.AppendInt64Element(dst, "count", n)
	if n > 0 {
		dst = bson.AppendInt64Element(dst, "avgObjSize", c.Size()/n)
	}
	dst = bson.AppendInt64Element(dst, "storageSize", c.Size())
	dst = bson.AppendBooleanElement(dst, "capped", c != nil && c.Options.Capped)
	if c != nil && c.Options.Capped {
		dst = bson.AppendInt64Element(dst, "max", c.Options.MaxCount)
		dst = bson.AppendInt64Element(dst, "maxSize", c.Options.MaxSize)
	}
	dst = bson.AppendInt32Element(dst, "nindexes", int32(len(c.Indexes())))
	dst = bson.AppendInt64Element(dst, "totalIndexSize", 0)
	dst, start := bson.AppendDocumentElementStart(dst, "indexSizes")
	for _, x := range c.Indexes() {
		dst = bson.AppendInt64Element(dst, x.Name, 0)
	}
	dst = bson.AppendDocumentEnd(dst, start)
	return bson.AppendInt32Element(dst, "scaleFactor", 1)
}

// collStatsStage is $collStats with count and storageStats; latencyStats and queryExecStats are empty.
func (e *Engine) collStatsStage(x *access, spec bson.Raw) ([]bson.Raw, error) {
	c := x.snap.Collection(x.r.DB, x.collection)
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "ns", x.r.DB+"."+x.collection)
	dst = bson.AppendStringElement(dst, "host", "mongotest")
	dst = bson.AppendDateTimeElement(dst, "localTime", e.now().UnixMilli())
	for name := range spec.All() {
		switch name {
		case "count":
			dst = bson.AppendInt64Element(dst, "count", int64(c.Len()))
		case "storageStats":
			var in int
			dst, in = bson.AppendDocumentElementStart(dst, name)
			dst = bson.AppendDocumentEnd(appendStorageStats(dst, c), in)
		case "latencyStats", "queryExecStats":
			var in int
			dst, in = bson.AppendDocumentElementStart(dst, name)
			dst = bson.AppendDocumentEnd(dst, in)
		default:
			return nil, status.Errorf(40168, "unrecognized option to $collStats: %s", name)
		}
	}
	return []bson.Raw{bson.AppendDocumentEnd(dst, start)}, nil
}
