// The command drop: removes a collection or view. A missing one is an error until 7.0, and success from then on.
//
// Left out: the drop does not wait for cursors on the collection. They fail at their next getMore.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

var dropFields = []field{{"comment", 0, anything}, {"collectionUUID", wire.Server60, uuid}}

func (e *Engine) drop(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(dropFields)
	if err != nil {
		return nil, err
	}
	begin := len(dst)
	err = e.write(ctx, r, func(tx *store.Txn) error {
		dst = dst[:begin]
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		c := tx.Collection(r.DB, name)
		switch {
		case c == nil && r.WireVersion >= wire.Server70:
			return nil
		case c == nil:
			return status.Errorf(errcode.NamespaceNotFound, "ns not found")
		case !c.IsView():
			dst = bson.AppendInt32Element(dst, "nIndexesWas", int32(len(shownIndexes(c))))
		}
		dst = bson.AppendStringElement(dst, "ns", c.Namespace())
		return tx.Drop(r.DB, name)
	})
	return dst, err
}
