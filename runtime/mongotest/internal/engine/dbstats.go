package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
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
