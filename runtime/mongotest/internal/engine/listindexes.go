package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// listIndexes answers the specifications of a collection's indexes.
func (e *Engine) listIndexes(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse([]field{{"cursor", 0, document}, {"comment", 0, anything}, {"includeBuildUUIDs", 0, boolean}, {"includeIndexBuildInfo", 0, boolean}})
	if err != nil {
		return nil, err
	}
	c := e.snapshot(r).Collection(r.DB, name)
	switch {
	case c == nil:
		return nil, status.Errorf(errcode.NamespaceNotFound, "ns does not exist: %s.%s", r.DB, name)
	case c.IsView():
		return nil, status.Errorf(errcode.CommandNotSupportedOnView, "Namespace %s is a view, not a collection", c.Namespace())
	}
	var list []bson.Raw
	for _, x := range c.Indexes() {
		spec := x.Spec
		if r.WireVersion < wire44 {
			spec = withField(spec, "ns", value.String(c.Namespace()))
		}
		list = append(list, spec)
	}
	if d, ok := c.Options.Document.Lookup("clusteredIndex").DocumentOK(); ok {
		list[0] = clustered(d)
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, src: &documents{list}}
	return e.first(ctx, dst, cur, batchSize(a), false)
}

// clustered is the index that a clustered collection shows in place of that on _id.
func clustered(d bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "v", 2)
	dst = bson.AppendRawValueElement(dst, "key", d.Lookup("key"))
	name := d.Lookup("name")
	if name.IsZero() {
		name = value.String("_id_")
	}
	dst = bson.AppendRawValueElement(dst, "name", name)
	dst = bson.AppendBooleanElement(dst, "unique", true)
	dst = bson.AppendBooleanElement(dst, "clustered", true)
	return bson.AppendDocumentEnd(dst, start)
}
