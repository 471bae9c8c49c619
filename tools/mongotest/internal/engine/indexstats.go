package engine

import (
	"github.com/specdrivers/onion/bson"
)

// indexStats is $indexStats. It counts no accesses.
func (e *Engine) indexStats(x *access) []bson.Raw {
	var out []bson.Raw
	for _, index := range x.snap.Collection(x.r.DB, x.collection).Indexes() {
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendStringElement(dst, "name", index.Name)
		dst = bson.AppendDocumentElement(dst, "key", index.KeyPattern())
		dst = bson.AppendStringElement(dst, "host", "mongotest")
		if e.shard != "" {
			dst = bson.AppendStringElement(dst, "shard", e.shard)
		}
		dst, in := bson.AppendDocumentElementStart(dst, "accesses")
		dst = bson.AppendInt64Element(dst, "ops", 0)
		dst = bson.AppendDateTimeElement(dst, "since", e.now().UnixMilli())
		dst = bson.AppendDocumentEnd(dst, in)
		dst = bson.AppendDocumentElement(dst, "spec", index.Spec)
		out = append(out, bson.AppendDocumentEnd(dst, start))
	}
	return out
}
