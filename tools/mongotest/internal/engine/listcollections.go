// The command listCollections: lists the collections and views of a database that match a filter, as a cursor.
//
// Left out: system.views and the buckets of time-series collections, which servers list too; authorizedCollections and
// includePendingDrops change nothing.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var listCollectionsFields = []field{
	{"cursor", 0, document}, {"filter", 0, document}, {"nameOnly", 0, boolean}, {"authorizedCollections", 0, boolean},
	{"includePendingDrops", 0, boolean}, {"comment", 0, anything},
}

func (e *Engine) listCollections(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(listCollectionsFields)
	if err != nil {
		return nil, err
	}
	if err := checkName(r.DB, "$cmd"); err != nil {
		return nil, err
	}
	batch, err := r.batchSize(a)
	if err != nil {
		return nil, err
	}
	f, err := query.Compile(documentOrEmpty(a.document("filter")), query.Options{})
	if err != nil {
		return nil, err
	}
	var list []bson.Raw
	for _, c := range e.snapshot(r).Collections(r.DB) {
		d := describe(c)
		if ok, err := f.Match(d); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		if a.bool("nameOnly") {
			short, start := bson.AppendDocumentStart(nil)
			short = bson.AppendStringElement(short, "name", c.Name)
			short = bson.AppendRawValueElement(short, "type", d.Lookup("type"))
			d = bson.AppendDocumentEnd(short, start)
		}
		list = append(list, d)
	}
	cur := &cursor{db: r.DB, name: "$cmd.listCollections", lsid: r.LSID, src: &documents{list}}
	return e.openCursor(ctx, dst, cur, batch, false)
}

// describe describes a collection or view as listCollections shows it.
func describe(c *store.Collection) bson.Raw {
	kind := "collection"
	switch {
	case c.IsView():
		kind = "view"
	case isTimeSeries(c):
		kind = "timeseries"
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "name", c.Name)
	dst = bson.AppendStringElement(dst, "type", kind)
	dst = bson.AppendDocumentElement(dst, "options", documentOrEmpty(c.Options.Document))
	dst, info := bson.AppendDocumentElementStart(dst, "info")
	dst = bson.AppendBooleanElement(dst, "readOnly", c.IsView())
	if kind == "collection" {
		dst = bson.AppendBinaryElement(dst, "uuid", 4, c.UUID[:])
	}
	dst = bson.AppendDocumentEnd(dst, info)
	if list := shownIndexes(c); len(list) > 0 && list[0].Name == idName &&
		documentOrEmpty(c.Options.Document).Lookup("clusteredIndex").IsZero() {
		dst = bson.AppendDocumentElement(dst, "idIndex", list[0].Spec)
	}
	return bson.AppendDocumentEnd(dst, start)
}
