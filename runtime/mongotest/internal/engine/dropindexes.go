package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// dropIndexes removes indexes: one by name or key, several by name, or all but that on _id.
func (e *Engine) dropIndexes(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse([]field{{"index", 0, anything}, {"comment", 0, anything}, {"collectionUUID", 0, anything}})
	if err != nil {
		return nil, err
	}
	before := 0
	all := a.text("index") == "*"
	err = e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Snapshot().Collection(r.DB, name)
		if c == nil {
			return status.Errorf(errcode.NamespaceNotFound, "ns not found %s.%s", r.DB, name)
		}
		before = len(c.Indexes())
		names, err := indexesToDrop(c, a.get("index"))
		if err != nil {
			return err
		}
		for _, n := range names {
			if err := tx.DropIndex(r.DB, name, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	dst = bson.AppendInt32Element(dst, "nIndexesWas", int32(before))
	if all {
		dst = bson.AppendStringElement(dst, "msg", "non-_id indexes dropped for collection")
	}
	return dst, nil
}

func indexesToDrop(c *store.Collection, which bson.RawValue) ([]string, error) {
	var names []string
	switch which.Type {
	case bsontype.String:
		if value.Text(which) != "*" {
			names = []string{value.Text(which)}
			break
		}
		for _, x := range c.Indexes()[1:] {
			names = append(names, x.Name)
		}
		return names, nil
	case bsontype.Array:
		for _, v := range value.Elements(which) {
			names = append(names, value.Text(v))
		}
	case bsontype.EmbeddedDocument:
		x, err := findHint(c, which)
		if err != nil || x == nil {
			return nil, status.Errorf(errcode.IndexNotFound, "can't find index with key: %s", status.TextOf(which))
		}
		names = []string{x.Name}
	default:
		return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'dropIndexes.index' is the wrong type '%s', expected types '[string, object]'", which.Type)
	}
	for _, n := range names {
		switch {
		case n == "_id_":
			return nil, status.Errorf(errcode.InvalidOptions, "cannot drop _id index")
		case c.Index(n) == nil:
			return nil, status.Errorf(errcode.IndexNotFound, "index not found with name [%s]", n)
		}
	}
	return names, nil
}
