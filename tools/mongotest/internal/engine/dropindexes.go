// The command dropIndexes, also called deleteIndexes: removes one index by name or key, several by name, or all but the
// one on _id with "*".

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var dropIndexesFields = []field{{"index", 0, anything | required}, {"comment", 0, anything}, {"collectionUUID", wire.Server60, uuid}}

func (e *Engine) dropIndexes(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(dropIndexesFields)
	if err != nil {
		return nil, err
	}
	which := a.get("index")
	if which.Type != bsontype.String && which.Type != bsontype.EmbeddedDocument && which.Type != bsontype.Array {
		return nil, status.Errorf(errcode.TypeMismatch,
			"BSON field 'dropIndexes.index' is the wrong type '%s', expected types '[string, object']", which.Type)
	}
	before := 0
	err = e.write(ctx, r, func(tx *store.Txn) error {
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		c := tx.Collection(r.DB, name)
		switch {
		case c == nil:
			return status.Errorf(errcode.NamespaceNotFound, "ns not found %s.%s", r.DB, name)
		case c.IsView():
			return status.Errorf(errcode.CommandNotSupportedOnView, "Cannot drop indexes on view %s", c.Namespace())
		}
		before = len(shownIndexes(c))
		names, err := indexesToDrop(c, which)
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
	if value.Text(which) == "*" {
		dst = bson.AppendStringElement(dst, "msg", "non-_id indexes dropped for collection")
	}
	return dst, nil
}

// indexesToDrop returns the names of the indexes that the argument selects. The index on _id stays.
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
			if v.Type != bsontype.String {
				return nil, status.Errorf(errcode.TypeMismatch,
					"dropIndexes %s (%s) failed to drop multiple indexes %s: index name must be a string",
					c.Namespace(), c.UUID, status.TextOf(which))
			}
			names = append(names, value.Text(v))
		}
	case bsontype.EmbeddedDocument:
		found := indexesBy(c, which)
		switch {
		case len(found) == 0:
			return nil, status.Errorf(errcode.IndexNotFound, "can't find index with key: %s", status.TextOf(which))
		case len(found) > 1:
			return nil, status.Errorf(errcode.AmbiguousIndexKeyPattern,
				"%d indexes found for key: %s, identify by name instead. Conflicting indexes: %s, %s",
				len(found), status.TextOf(which), status.Text(found[0].Spec), status.Text(found[1].Spec))
		}
		names = []string{found[0].Name}
	}
	for _, n := range names {
		switch {
		case n == idName:
			return nil, status.Errorf(errcode.InvalidOptions, "cannot drop _id index")
		case n == "" || c.Index(n) == nil:
			return nil, status.Errorf(errcode.IndexNotFound, "index not found with name [%s]", n)
		}
	}
	return names, nil
}
