package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var createIndexesFields = []field{
	{"indexes", 0, array}, {"commitQuorum", wire44, anything}, {"ignoreUnknownIndexOptions", 0, boolean}, {"v", 0, integer},
	{"comment", 0, anything},
}

// createIndexes adds indexes, at once: there is no build that could be watched, and commitQuorum changes nothing. Text,
// geospatial, hashed and wildcard indexes are listed but hold no keys.
func (e *Engine) createIndexes(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(createIndexesFields)
	if err != nil {
		return nil, err
	}
	specs, err := r.documents(a, "indexes")
	if err != nil {
		return nil, err
	}
	if len(specs) == 0 {
		return nil, status.Errorf(errcode.BadValue, "Must specify at least one index to create")
	}
	var before, after int32
	created := false
	err = e.write(ctx, r, func(tx *store.Txn) error {
		created = tx.Collection(r.DB, name) == nil
		c, err := e.ensure(tx, r.DB, name)
		if err != nil {
			return err
		}
		before = int32(len(c.Indexes()))
		for _, spec := range specs {
			if err := addIndex(tx, r, name, spec); err != nil {
				return err
			}
		}
		after = int32(len(tx.Collection(r.DB, name).Indexes()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	dst = bson.AppendInt32Element(dst, "numIndexesBefore", before)
	dst = bson.AppendInt32Element(dst, "numIndexesAfter", after)
	dst = bson.AppendBooleanElement(dst, "createdCollectionAutomatically", created)
	if before == after {
		dst = bson.AppendStringElement(dst, "note", "all indexes already exist")
	}
	return dst, nil
}

// addIndex makes one index unless it exists as it is asked for.
func addIndex(tx *store.Txn, r *Request, name string, spec bson.Raw) error {
	c := tx.Collection(r.DB, name)
	if d, ok := c.Options.Document.Lookup("collation").DocumentOK(); ok && spec.Lookup("collation").IsZero() {
		spec = withField(spec, "collation", value.Document(d))
	}
	x, err := indexOf(spec, r.WireVersion)
	if err != nil {
		return err
	}
	for _, old := range c.Indexes() {
		sameKey := compare.Documents(old.KeyPattern(), x.KeyPattern(), nil) == 0
		sameFilter := compare.Documents(orEmpty(old.Filter), orEmpty(x.Filter), nil) == 0 && collate.Same(old.Collation, x.Collation)
		switch {
		case sameKey && old.Name == "_id_":
			return nil
		case sameKey && sameFilter && old.Name == x.Name:
			if old.Unique == x.Unique && old.Sparse == x.Sparse && sameExpiry(old, x) {
				return nil
			}
			return status.Errorf(errcode.IndexOptionsConflict, "An equivalent index already exists with the same name but different options. Requested index: %s, existing index: %s", status.Text(x.Spec), status.Text(old.Spec))
		case sameKey && sameFilter && old.Unique == x.Unique && old.Sparse == x.Sparse:
			return status.Errorf(errcode.IndexOptionsConflict, "Index already exists with a different name: %s", old.Name)
		case old.Name == x.Name:
			return status.Errorf(errcode.IndexKeySpecsConflict, "An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: %s, existing index: %s", status.Text(x.Spec), status.Text(old.Spec))
		}
	}
	if c.Options.Capped && x.ExpireAt != nil && r.WireVersion < wire80 {
		return status.Errorf(errcode.CannotCreateIndex, "Cannot create TTL index on a capped collection")
	}
	return tx.CreateIndex(r.DB, name, x)
}

func sameExpiry(a, b *store.Index) bool {
	if a.ExpireAt == nil || b.ExpireAt == nil {
		return a.ExpireAt == b.ExpireAt
	}
	return *a.ExpireAt == *b.ExpireAt
}
