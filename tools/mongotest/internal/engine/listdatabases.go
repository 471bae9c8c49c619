// The command listDatabases: lists the databases that match a filter, with their sizes.
//
// Left out: authorizedDatabases changes nothing.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var listDatabasesFields = []field{
	{"filter", 0, document}, {"nameOnly", 0, boolean}, {"authorizedDatabases", 0, boolean}, {"comment", 0, anything},
}

func (e *Engine) listDatabases(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(listDatabasesFields)
	if err != nil {
		return nil, err
	}
	if r.DB != "admin" {
		return nil, status.Errorf(errcode.Unauthorized, "listDatabases may only be run against the admin database.")
	}
	f, err := query.Compile(documentOrEmpty(a.document("filter")), query.Options{})
	if err != nil {
		return nil, err
	}
	snap := e.snapshot(r)
	var list []bson.RawValue
	total := int64(0)
	for _, name := range snap.Databases() {
		size := e.databaseSize(snap, name)
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendStringElement(d, "name", name)
		if !a.bool("nameOnly") {
			d = bson.AppendInt64Element(d, "sizeOnDisk", size)
			d = bson.AppendBooleanElement(d, "empty", size == 0)
		}
		d = bson.AppendDocumentEnd(d, start)
		if ok, err := f.Match(d); err != nil {
			return nil, err
		} else if ok {
			list = append(list, value.Document(d))
			total += size
		}
	}
	dst = bson.AppendRawValueElement(dst, "databases", value.ArrayOf(list...))
	if !a.bool("nameOnly") {
		dst = bson.AppendInt64Element(dst, "totalSize", total)
		if r.WireVersion >= wire.Server44 {
			dst = bson.AppendInt64Element(dst, "totalSizeMb", total>>20)
		}
	}
	return dst, nil
}

// page is the least space that a server's storage takes for a collection or an index.
const page = 4096

// databaseSize returns the size of a database's documents and indexes. It reads no documents of the oplog, which would have
// to be built first.
func (e *Engine) databaseSize(snap *store.Snapshot, name string) (size int64) {
	if name == "local" {
		return page + e.store.Oplog().Size()
	}
	for _, c := range snap.Collections(name) {
		size += page + c.Size() + page*int64(len(shownIndexes(c))) + indexSize(c)
	}
	return size
}
