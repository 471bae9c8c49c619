// The command listIndexes: lists the specifications of a collection's indexes, as a cursor.
//
// Left out: includeBuildUUIDs and includeIndexBuildInfo change nothing, because an index build is over at once.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var listIndexesFields = []field{
	{"cursor", 0, document}, {"comment", 0, anything}, {"includeBuildUUIDs", 0, boolean}, {"includeIndexBuildInfo", 0, boolean},
}

func (e *Engine) listIndexes(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(listIndexesFields)
	if err != nil {
		return nil, err
	}
	batch, err := r.batchSize(a)
	if err != nil {
		return nil, err
	}
	c := e.snapshot(r).Collection(r.DB, name)
	if c == nil {
		return nil, status.Errorf(errcode.NamespaceNotFound, "ns does not exist: %s.%s", r.DB, name)
	}
	if err := checkNotView(c); err != nil {
		return nil, err
	}
	var list []bson.Raw
	for _, x := range shownIndexes(c) {
		spec := x.Spec
		if r.WireVersion < wire.Server44 {
			spec = setField(spec, "ns", value.String(c.Namespace()))
		}
		list = append(list, spec)
	}
	if d, ok := documentOrEmpty(c.Options.Document).Lookup("clusteredIndex").DocumentOK(); ok && len(list) > 0 {
		list[0] = setField(d, "clustered", value.Bool(true))
	}
	if isSessions(c) {
		list = sessionIndexes
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, src: &documents{list}}
	return e.openCursor(ctx, dst, cur, batch, false)
}

// isSessions reports whether a collection is config.system.sessions. Its indexes exist only in lists.
func isSessions(c *store.Collection) bool { return c.DB == "config" && c.Name == "system.sessions" }

// sessionIndexes are the indexes of config.system.sessions.
var sessionIndexes = []bson.Raw{
	reply.New().Int32("v", 2).Value("key", bson.Doc("_id", 1)).String("name", idName).Done(),
	reply.New().Int32("v", 2).Value("key", bson.Doc("lastUse", 1)).String("name", "lsidTTLIndex").
		Int32("expireAfterSeconds", 1800).Done(),
}
