// The command collStats, and the stage $collStats: the numbers of a collection.
//
// Left out: files and the storage engine's own numbers. Sizes count the documents and the keys of indexes. The stage's
// queryExecStats is empty.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var collStatsFields = []field{{"scale", 0, integer}, {"verbose", 0, boolean}, {"comment", 0, anything}}

func (e *Engine) collStats(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(collStatsFields)
	if err != nil {
		return nil, err
	}
	scale, err := a.scale()
	if err != nil {
		return nil, err
	}
	c := e.snapshot(r).Collection(r.DB, name)
	if err := checkNotView(c); err != nil {
		return nil, err
	}
	dst = bson.AppendStringElement(dst, "ns", r.DB+"."+name)
	return appendStorageStats(dst, c, scale), nil
}

func appendStorageStats(dst []byte, c *store.Collection, scale int64) []byte {
	n := int64(c.Len())
	dst = bson.AppendInt64Element(dst, "size", c.Size()/scale)
	dst = bson.AppendInt64Element(dst, "count", n)
	if n > 0 {
		dst = bson.AppendInt64Element(dst, "avgObjSize", c.Size()/n)
	}
	dst = bson.AppendInt64Element(dst, "storageSize", c.Size()/scale)
	if c != nil {
		dst = bson.AppendInt64Element(dst, "freeStorageSize", 0)
	}
	dst = bson.AppendBooleanElement(dst, "capped", c != nil && c.Options.Capped)
	if c != nil && c.Options.Capped {
		dst = bson.AppendInt64Element(dst, "max", c.Options.MaxCount)
		dst = bson.AppendInt64Element(dst, "maxSize", c.Options.MaxSize/scale)
	}
	dst = bson.AppendInt32Element(dst, "nindexes", int32(len(shownIndexes(c))))
	if c != nil {
		dst = appendIndexDetails(dst, c)
	}
	indexes := indexSize(c)
	dst = bson.AppendInt64Element(dst, "totalIndexSize", indexes/scale)
	dst = bson.AppendInt64Element(dst, "totalSize", (c.Size()+indexes)/scale)
	dst, start := bson.AppendDocumentElementStart(dst, "indexSizes")
	for _, x := range shownIndexes(c) {
		dst = bson.AppendInt64Element(dst, x.Name, x.Size()/scale)
	}
	dst = bson.AppendDocumentEnd(dst, start)
	return bson.AppendInt64Element(dst, "scaleFactor", scale)
}

// appendIndexDetails adds what a server's storage engine says of each index, which is nothing here, and the indexes that
// are being built, which are none.
func appendIndexDetails(dst []byte, c *store.Collection) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "indexDetails")
	for _, x := range shownIndexes(c) {
		dst = bson.AppendDocumentElement(dst, x.Name, []byte{5, 0, 0, 0, 0})
	}
	dst = bson.AppendDocumentEnd(dst, start)
	return bson.AppendRawValueElement(dst, "indexBuilds", value.ArrayOf())
}

var statsStageFields = []field{{"count", 0, document}, {"storageStats", 0, document}, {"latencyStats", 0, document},
	{"queryExecStats", 0, document}, {"operationStats", 0, document}}

// collStatsStage is $collStats.
func (e *Engine) collStatsStage(x *access, spec bson.Raw) ([]bson.Raw, error) {
	if _, err := x.r.parseStatement("$collStats", spec, statsStageFields); err != nil {
		return nil, err
	}
	if d, _ := spec.Lookup("queryExecStats").DocumentOK(); d.Len() > 0 {
		return nil, status.Errorf(31170, "queryExecStats of $collStats must be an empty object")
	}
	c := x.snap.Collection(x.r.DB, x.collection)
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "ns", x.r.DB+"."+x.collection)
	if x.e.shard != "" {
		dst = bson.AppendStringElement(dst, "shard", x.e.shard)
	}
	dst = bson.AppendStringElement(dst, "host", "mongotest")
	dst = bson.AppendDateTimeElement(dst, "localTime", e.now().UnixMilli())
	for name, v := range spec.All() {
		switch name {
		case "count":
			dst = bson.AppendInt64Element(dst, "count", int64(c.Len()))
		case "storageStats":
			in, _ := v.DocumentOK()
			scale := int64(1)
			if n, ok := in.Lookup("scale").AsInt64OK(); ok && n > 0 {
				scale = n
			}
			var stats int
			dst, stats = bson.AppendDocumentElementStart(dst, name)
			dst = bson.AppendDocumentEnd(appendStorageStats(dst, c, scale), stats)
		case "latencyStats":
			in, _ := v.DocumentOK()
			histograms, _ := in.Lookup("histograms").AsBoolOK()
			if x.e.hooks.Latency != nil {
				dst = append(dst, latencyStats(x.e.hooks.Latency(x.r.DB+"."+x.collection, histograms))...)
			}
		case "queryExecStats":
			var in int
			dst, in = bson.AppendDocumentElementStart(dst, name)
			dst = bson.AppendDocumentEnd(dst, in)
		}
	}
	return []bson.Raw{bson.AppendDocumentEnd(dst, start)}, nil
}

// latencyStats appends the element latencyStats.
func latencyStats(of bson.D) []byte {
	doc, err := bson.Marshal(bson.Doc("latencyStats", of))
	if err != nil {
		return nil
	}
	return doc[4 : len(doc)-1]
}
