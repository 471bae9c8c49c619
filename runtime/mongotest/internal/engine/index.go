package engine

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// indexOptions are the fields of an index specification.
var indexOptions = map[string]bool{
	"v": true, "key": true, "name": true, "unique": true, "sparse": true, "background": true, "expireAfterSeconds": true,
	"partialFilterExpression": true, "collation": true, "hidden": true, "weights": true, "default_language": true,
	"language_override": true, "textIndexVersion": true, "2dsphereIndexVersion": true, "bits": true, "min": true, "max": true,
	"wildcardProjection": true, "storageEngine": true, "ns": true, "dropDups": true, "clustered": true, "prepareUnique": true,
	"bucketSize": true, "coarsestIndexedLevel": true, "finestIndexedLevel": true,
}

// indexOf reads an index specification and completes it.
func indexOf(spec bson.Raw, wire int32) (*store.Index, error) {
	for name := range spec.All() {
		if !indexOptions[name] || name == "hidden" && wire < wire44 {
			return nil, status.Errorf(errcode.InvalidIndexSpecificationOption, "Error in specification %s :: caused by :: The field '%s' is not valid for an index specification. Specification: %s", status.Text(spec), name, status.Text(spec))
		}
	}
	key, ok := spec.Lookup("key").DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "Error in specification %s :: caused by :: The 'key' field is a required property of an index specification", status.Text(spec))
	}
	x := &store.Index{Name: value.Text(spec.Lookup("name"))}
	if err := indexFields(x, key); err != nil {
		return nil, err
	}
	if x.Name == "" {
		return nil, status.Errorf(errcode.FailedToParse, "Error in specification %s :: caused by :: The 'name' field is a required property of an index specification", status.Text(spec))
	}
	x.Unique, x.Sparse = value.Truthy(spec.Lookup("unique")), value.Truthy(spec.Lookup("sparse"))
	x.Hidden = value.Truthy(spec.Lookup("hidden"))
	if v := spec.Lookup("expireAfterSeconds"); !v.IsZero() {
		n, ok := number.Truncated(v)
		if !ok || !number.Is(v.Type) || n < 0 {
			return nil, status.Errorf(errcode.CannotCreateIndex, "TTL index 'expireAfterSeconds' option must be numeric and within an acceptable range, but received a type of '%s'. Index spec: %s", v.Type, status.Text(spec))
		}
		if len(x.Fields) > 1 {
			return nil, status.Errorf(errcode.CannotCreateIndex, "TTL indexes are single-field indexes, compound indexes do not support TTL. Index spec: %s", status.Text(spec))
		}
		x.ExpireAt = &n
	}
	if d, ok := spec.Lookup("collation").DocumentOK(); ok {
		var err error
		if x.Collation, err = collate.New(d); err != nil {
			return nil, err
		}
	}
	if err := partial(x, spec); err != nil {
		return nil, err
	}
	x.Spec = completed(spec, wire)
	return x, nil
}

func indexFields(x *store.Index, key bson.Raw) error {
	for name, v := range key.All() {
		if name == "" {
			return status.Errorf(errcode.CannotCreateIndex, "Index keys cannot be an empty field.")
		}
		f := store.Field{Name: name, Path: path.Parse(name)}
		if kind, ok := v.StringOK(); ok {
			switch kind {
			case "text", "2dsphere", "2d", "hashed":
				x.Opaque = true
			default:
				return status.Errorf(errcode.CannotCreateIndex, "Unknown index plugin '%s'", kind)
			}
		} else if !number.Is(v.Type) || number.IsZeroValue(v) || number.IsNaN(v) {
			return status.Errorf(errcode.CannotCreateIndex, "Values in v:2 index key pattern cannot be of type %s. Only numbers > 0, numbers < 0, and strings are allowed.", v.Type)
		} else {
			f.Descending = number.Float64(v) < 0
		}
		x.Opaque = x.Opaque || strings.HasSuffix(name, "$**")
		x.Fields = append(x.Fields, f)
	}
	if len(x.Fields) == 0 {
		return status.Errorf(errcode.CannotCreateIndex, "Index keys cannot be empty.")
	}
	return nil
}

func partial(x *store.Index, spec bson.Raw) error {
	v := spec.Lookup("partialFilterExpression")
	if v.IsZero() {
		return nil
	}
	d, ok := v.DocumentOK()
	if !ok {
		return status.Errorf(errcode.TypeMismatch, "The field 'partialFilterExpression' must be an object, but got %s", v.Type)
	}
	f, err := query.Compile(d, query.Options{Collation: x.Collation})
	if err != nil {
		return err
	}
	x.Filter = d
	x.Partial = func(doc bson.Raw) bool {
		ok, err := f.Match(doc)
		return ok && err == nil
	}
	return nil
}

// completed is the specification as listIndexes answers it: v first, then the rest.
func completed(spec bson.Raw, wire int32) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	if v := spec.Lookup("v"); v.IsZero() {
		dst = bson.AppendInt32Element(dst, "v", 2)
	} else {
		dst = bson.AppendRawValueElement(dst, "v", v)
	}
	for name, v := range spec.All() {
		switch {
		case name == "v", name == "ns", name == "dropDups":
			continue
		case (name == "sparse" || name == "unique" || name == "hidden") && !value.Truthy(v):
			continue
		case v.Type == bsontype.Boolean || (name != "sparse" && name != "unique" && name != "hidden" && name != "background"):
		default:
			v = value.Bool(value.Truthy(v))
		}
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

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

// batchSize is that of the cursor argument, negative for the default.
func batchSize(a *args) int64 {
	if v := a.document("cursor").Lookup("batchSize"); !v.IsZero() {
		if n, ok := v.AsInt64OK(); ok && n >= 0 {
			return n
		}
	}
	return -1
}
