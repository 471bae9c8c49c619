package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// indexStats is $indexStats: the indexes of a collection and how often reads and writes have used each of them.
func (e *Engine) indexStats(x *access) []bson.Raw {
	var out []bson.Raw
	for _, index := range x.snap.Collection(x.r.DB, x.collection).Indexes() {
		usage := index.Usage
		if usage == nil {
			usage = &store.Usage{Since: e.now()}
		}
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendStringElement(dst, "name", index.Name)
		dst = bson.AppendDocumentElement(dst, "key", index.KeyPattern())
		dst = bson.AppendStringElement(dst, "host", "mongotest")
		if e.shard != "" {
			dst = bson.AppendStringElement(dst, "shard", e.shard)
		}
		dst, in := bson.AppendDocumentElementStart(dst, "accesses")
		dst = bson.AppendInt64Element(dst, "ops", usage.Ops())
		dst = bson.AppendDateTimeElement(dst, "since", usage.Since.UnixMilli())
		dst = bson.AppendDocumentEnd(dst, in)
		dst = bson.AppendDocumentElement(dst, "spec", index.Spec)
		out = append(out, bson.AppendDocumentEnd(dst, start))
	}
	return out
}
