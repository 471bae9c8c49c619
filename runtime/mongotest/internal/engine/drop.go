package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// drop removes a collection or view. A missing one is an error until 7.0, and success from then on.
func (e *Engine) drop(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	if _, err := r.parse([]field{{"comment", 0, anything}, {"collectionUUID", 0, anything}}); err != nil {
		return nil, err
	}
	indexes := -1
	err = e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(r.DB, name)
		if c == nil {
			if r.WireVersion >= wire70 {
				return nil
			}
			return status.Errorf(errcode.NamespaceNotFound, "ns not found")
		}
		indexes = len(c.Indexes())
		return tx.Drop(r.DB, name)
	})
	if err != nil || indexes < 0 {
		return dst, err
	}
	dst = bson.AppendInt32Element(dst, "nIndexesWas", int32(indexes))
	return bson.AppendStringElement(dst, "ns", r.DB+"."+name), nil
}
