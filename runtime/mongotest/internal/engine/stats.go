package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// dbStats answers the numbers of a database: of documents and bytes, not of files.
func (e *Engine) dbStats(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	if _, err := r.parse([]field{{"scale", 0, integer}, {"freeStorage", 0, anything}, {"comment", 0, anything}}); err != nil {
		return nil, err
	}
	var collections, views, objects, indexes int64
	var size int64
	for _, c := range e.snapshot(r).Collections(r.DB) {
		if c.IsView() {
			views++
			continue
		}
		collections++
		objects += int64(c.Len())
		size += c.Size()
		indexes += int64(len(c.Indexes()))
	}
	dst = bson.AppendStringElement(dst, "db", r.DB)
	dst = bson.AppendInt64Element(dst, "collections", collections)
	dst = bson.AppendInt64Element(dst, "views", views)
	dst = bson.AppendInt64Element(dst, "objects", objects)
	dst = bson.AppendDoubleElement(dst, "avgObjSize", ratio(size, objects))
	dst = bson.AppendInt64Element(dst, "dataSize", size)
	dst = bson.AppendInt64Element(dst, "storageSize", size)
	dst = bson.AppendInt64Element(dst, "indexes", indexes)
	dst = bson.AppendInt64Element(dst, "indexSize", 0)
	dst = bson.AppendInt64Element(dst, "totalSize", size)
	return bson.AppendInt32Element(dst, "scaleFactor", 1), nil
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

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

// indexStats is $indexStats, which counts no accesses.
func (e *Engine) indexStats(x *access) []bson.Raw {
	var out []bson.Raw
	for _, index := range x.snap.Collection(x.r.DB, x.collection).Indexes() {
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendStringElement(dst, "name", index.Name)
		dst = bson.AppendDocumentElement(dst, "key", index.KeyPattern())
		dst = bson.AppendStringElement(dst, "host", "mongotest")
		dst, in := bson.AppendDocumentElementStart(dst, "accesses")
		dst = bson.AppendInt64Element(dst, "ops", 0)
		dst = bson.AppendDateTimeElement(dst, "since", e.now().UnixMilli())
		dst = bson.AppendDocumentEnd(dst, in)
		dst = bson.AppendDocumentElement(dst, "spec", index.Spec)
		out = append(out, bson.AppendDocumentEnd(dst, start))
	}
	return out
}
