// The command dbStats: the numbers of a database.
//
// Left out: files. Sizes count the documents and the keys of indexes, and there is no free storage: those fields are 0.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

var dbStatsFields = []field{{"scale", 0, integer}, {"freeStorage", wire.Server50, integer}, {"comment", 0, anything}}

func (e *Engine) dbStats(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(dbStatsFields)
	if err != nil {
		return nil, err
	}
	if err := checkName(r.DB, "$cmd"); err != nil {
		return nil, err
	}
	scale, err := a.scale()
	if err != nil {
		return nil, err
	}
	var collections, views, objects, indexes, size, keys int64
	for _, c := range e.snapshot(r).Collections(r.DB) {
		if c.IsView() {
			views++
			continue
		}
		collections++
		objects += int64(c.Len())
		size += c.Size()
		indexes += int64(len(shownIndexes(c)))
		keys += indexSize(c)
	}
	average := 0.0
	if objects > 0 {
		average = float64(size) / float64(objects)
	}
	dst = bson.AppendStringElement(dst, "db", r.DB)
	dst = bson.AppendInt64Element(dst, "collections", collections)
	dst = bson.AppendInt64Element(dst, "views", views)
	dst = bson.AppendInt64Element(dst, "objects", objects)
	dst = bson.AppendDoubleElement(dst, "avgObjSize", average)
	dst = bson.AppendDoubleElement(dst, "dataSize", float64(size)/float64(scale))
	dst = bson.AppendDoubleElement(dst, "storageSize", float64(size)/float64(scale))
	free := a.int("freeStorage") != 0
	if free {
		dst = bson.AppendDoubleElement(dst, "freeStorageSize", 0)
	}
	dst = bson.AppendInt64Element(dst, "indexes", indexes)
	dst = bson.AppendDoubleElement(dst, "indexSize", float64(keys)/float64(scale))
	if free {
		dst = bson.AppendDoubleElement(dst, "indexFreeStorageSize", 0)
	}
	dst = bson.AppendDoubleElement(dst, "totalSize", float64(size+keys)/float64(scale))
	if free {
		dst = bson.AppendDoubleElement(dst, "totalFreeStorageSize", 0)
	}
	dst = bson.AppendInt64Element(dst, "scaleFactor", scale)
	dst = bson.AppendDoubleElement(dst, "fsUsedSize", 0)
	return bson.AppendDoubleElement(dst, "fsTotalSize", 0), nil
}

// scale returns the divisor of all sizes.
func (a *args) scale() (int64, error) {
	if !a.has("scale") {
		return 1, nil
	}
	n := a.int("scale")
	switch {
	case n < 1 && a.wire >= wire.Server50:
		return 0, status.Errorf(51024, "BSON field 'scale' value must be >= 1, actual value '%d'", n)
	case n < 1:
		return 0, status.Errorf(errcode.BadValue, "scale has to be > 0")
	}
	return n, nil
}
