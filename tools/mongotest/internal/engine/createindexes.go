// The command createIndexes: adds indexes. They are ready at once.
//
// Left out: no index build can be watched, and commitQuorum changes nothing in a replica set. Text, geospatial, hashed and wildcard
// indexes are listed and checked but hold no keys: they find nothing, and a unique 2dsphere index refuses nothing.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// indexesMax is how many indexes a collection may have.
const indexesMax = 64

var createIndexesFields = []field{
	{"indexes", 0, array | required}, {"commitQuorum", wire.Server44, anything}, {"ignoreUnknownIndexOptions", 0, flag}, {"v", 0, integer},
	{"comment", 0, anything},
}

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
	if v := a.get("commitQuorum"); !v.IsZero() && v.Type != bsontype.String && !number.Is(v.Type) {
		return nil, status.Errorf(errcode.TypeMismatch, "commitQuorum must be either a string or a number")
	}
	if a.has("commitQuorum") && e.standalone {
		return nil, status.Errorf(errcode.BadValue, "Standalones can't specify commitQuorum")
	}
	var before, after int32
	created := false
	err = e.write(ctx, r, func(tx *store.Txn) error {
		created = tx.Collection(r.DB, name) == nil
		c, err := e.ensureCollection(tx, r, r.DB, name)
		if err != nil {
			return err
		}
		if isSessions(c) {
			before, after = int32(len(sessionIndexes)), int32(len(sessionIndexes))
			return nil
		}
		before = int32(len(shownIndexes(c)))
		for _, spec := range specs {
			if a.bool("ignoreUnknownIndexOptions") {
				spec = dropUnknownOptions(spec, r.WireVersion)
			}
			if err := addIndex(tx, r, name, spec); err != nil {
				return err
			}
		}
		after = int32(len(shownIndexes(tx.Collection(r.DB, name))))
		if r.Txn != nil && after > before {
			return e.checkBuild(c)
		}
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

// checkBuild refuses to index a collection in a transaction unless that transaction created it and it is empty.
func (e *Engine) checkBuild(c *store.Collection) error {
	if old := e.store.Latest().Collection(c.DB, c.Name); old != nil && old.UUID == c.UUID {
		return status.Errorf(errcode.OperationNotSupportedInTransaction,
			"Cannot create new indexes on existing collection %s in a multi-document transaction.", c.Namespace())
	}
	if c.Len() > 0 {
		return status.Errorf(errcode.OperationNotSupportedInTransaction,
			"Cannot create new indexes on non-empty collection %s in a multi-document transaction.", c.Namespace())
	}
	return nil
}

// dropUnknownOptions drops fields that no index has from a specification.
func dropUnknownOptions(spec bson.Raw, version int32) bson.Raw {
	out := spec
	for name := range spec.All() {
		known := false
		for _, f := range indexOptions {
			known = known || f.name == name && f.since <= version
		}
		if !known {
			out = dropField(out, name)
		}
	}
	return out
}

// addIndex makes one index, unless the same index exists.
func addIndex(tx *store.Txn, r *Request, name string, spec bson.Raw) error {
	c := tx.Collection(r.DB, name)
	x, err := newIndexOf(spec, r.WireVersion)
	if err != nil {
		return err
	}
	if d, ok := documentOrEmpty(c.Options.Document).Lookup("collation").DocumentOK(); ok && spec.Lookup("collation").IsZero() {
		if x, err = newIndexOf(setField(spec, "collation", value.Document(d)), r.WireVersion); err != nil {
			return err
		}
	}
	exists, err := conflicts(c, x, r.WireVersion)
	switch {
	case exists || err != nil:
		return err
	case len(c.Indexes()) >= indexesMax:
		return status.Errorf(errcode.CannotCreateIndex,
			"add index fails, too many indexes for %s key:%s", c.Namespace(), status.Text(x.KeyPattern()))
	case isTimeSeries(c) && x.Unique:
		return status.Errorf(errcode.InvalidOptions, "Unique indexes are not supported on time-series collections")
	case isTimeSeries(c) && isText(x):
		return status.Errorf(errcode.InvalidOptions, "Text indexes are not supported on time-series collections")
	case c.Options.Capped && x.ExpireAt != nil && r.WireVersion < wire.Server80:
		return status.Errorf(errcode.CannotCreateIndex, "Cannot create TTL index on a capped collection")
	}
	if isText(x) {
		for _, old := range c.Indexes() {
			if isText(old) {
				return status.Errorf(errcode.CannotCreateIndex,
					"only one text index per collection allowed, found existing text index \"%s\"", old.Name)
			}
		}
	}
	return tx.CreateIndex(r.DB, name, x)
}

func isText(x *store.Index) bool { return value.Text(x.KeyPattern().Lookup("_fts")) == "text" }

// compareIndexes compares two indexes: alike means that they cannot both exist, and same that they are equal. Key, collation,
// filter and wildcard projection distinguish indexes; since 5.0 so do unique and sparse.
func compareIndexes(a, b *store.Index, version int32) (alike, same bool) {
	same = a.Unique == b.Unique && a.Sparse == b.Sparse
	alike = sameKey(a.KeyPattern(), b.KeyPattern()) && compare.Documents(documentOrEmpty(a.Filter), documentOrEmpty(b.Filter), nil) == 0 &&
		compare.Values(a.Spec.Lookup("wildcardProjection"), b.Spec.Lookup("wildcardProjection"), nil) == 0 &&
		collate.Same(a.Collation, b.Collation) && (version < wire.Server50 || same)
	return alike, alike && same && sameExpiry(a, b) && samePluginOptions(a, b)
}

// conflicts compares an index with the existing ones: the same index may exist, or another may conflict with it.
func conflicts(c *store.Collection, x *store.Index, version int32) (exists bool, err error) {
	for _, old := range c.Indexes() {
		alike, same := compareIndexes(old, x, version)
		switch {
		case old.Name == idName && len(x.Fields) == 1 && x.Fields[0].Name == "_id" && !x.Opaque && !x.Fields[0].Hashed:
			if !collate.Same(old.Collation, x.Collation) {
				return false, status.Errorf(errcode.CannotCreateIndex, "_id index must have the collection default collation")
			}
			return true, nil
		case old.Name == x.Name && same:
			return true, nil
		case old.Name == x.Name && alike:
			return false, status.Errorf(errcode.IndexOptionsConflict,
				"An equivalent index already exists with the same name but different options. Requested index: %s, existing "+
					"index: %s", status.Text(x.Spec), status.Text(old.Spec))
		case old.Name == x.Name:
			return false, status.Errorf(errcode.IndexKeySpecsConflict,
				"An existing index has the same name as the requested index. When index names are not specified, they are auto "+
					"generated and can cause conflicts. Please refer to our documentation. Requested index: %s, existing "+
					"index: %s", status.Text(x.Spec), status.Text(old.Spec))
		}
	}
	for _, old := range c.Indexes() {
		alike, same := compareIndexes(old, x, version)
		switch {
		case !alike:
		case same:
			return false, status.Errorf(errcode.IndexOptionsConflict, "Index already exists with a different name: %s", old.Name)
		default:
			return false, status.Errorf(errcode.IndexOptionsConflict,
				"An equivalent index already exists with a different name and options. Requested index: %s, existing "+
					"index: %s", status.Text(x.Spec), status.Text(old.Spec))
		}
	}
	return false, nil
}

func sameExpiry(a, b *store.Index) bool {
	if a.ExpireAt == nil || b.ExpireAt == nil {
		return a.ExpireAt == b.ExpireAt
	}
	return *a.ExpireAt == *b.ExpireAt
}
