package engine

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// indexOptions are the fields of an index specification and their types.
var indexOptions = []field{
	{"v", 0, integer}, {"key", 0, document}, {"name", 0, text}, {"ns", 0, text}, {"unique", 0, boolean}, {"sparse", 0, boolean},
	{"background", 0, boolean}, {"expireAfterSeconds", 0, integer}, {"partialFilterExpression", 0, document},
	{"collation", 0, document}, {"hidden", wire.Server44, boolean}, {"weights", 0, anything}, {"default_language", 0, text},
	{"language_override", 0, text}, {"textIndexVersion", 0, integer}, {"2dsphereIndexVersion", 0, integer}, {"bits", 0, integer},
	{"min", 0, integer}, {"max", 0, integer}, {"bucketSize", 0, integer}, {"coarsestIndexedLevel", 0, integer},
	{"finestIndexedLevel", 0, integer}, {"wildcardProjection", 0, document}, {"storageEngine", 0, document},
	{"dropDups", 0, boolean}, {"clustered", wire.Server53, boolean}, {"prepareUnique", wire.Server60, boolean},
}

// idOptions are the options that the index on _id may have.
var idOptions = map[string]bool{"key": true, "name": true, "ns": true, "v": true, "collation": true, "clustered": true}

// newIndexOf reads an index specification and fills in the defaults.
func newIndexOf(spec bson.Raw, version int32) (*store.Index, error) {
	x, err := readIndex(spec, version)
	if err == nil {
		return x, nil
	}
	e := *status.From(err)
	e.Message = "Error in specification " + status.Text(spec) + " :: caused by :: " + e.Message
	return nil, &e
}

func readIndex(spec bson.Raw, version int32) (*store.Index, error) {
	if err := checkIndexOptions(spec, version); err != nil {
		return nil, err
	}
	key, ok := spec.Lookup("key").DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "The 'key' field is a required property of an index specification")
	}
	x := &store.Index{Name: value.Text(spec.Lookup("name"))}
	plugin, err := indexFields(x, key, version)
	switch {
	case err != nil:
		return nil, err
	case spec.Lookup("name").IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "The 'name' field is a required property of an index specification")
	case x.Name == "":
		return nil, status.Errorf(errcode.CannotCreateIndex, "index name cannot be empty")
	case x.Name == "*":
		return nil, status.Errorf(errcode.BadValue, "The index name '*' is not valid.")
	}
	if v := spec.Lookup("v"); !v.IsZero() && number.Float64(v) != 1 && number.Float64(v) != 2 {
		return nil, status.Errorf(errcode.CannotCreateIndex,
			"Invalid index specification %s; cannot create an index with v=%s", status.Text(spec), status.TextOf(v))
	}
	x.Unique = value.IsTruthy(spec.Lookup("unique")) || value.IsTruthy(spec.Lookup("prepareUnique"))
	x.Sparse, x.Hidden = value.IsTruthy(spec.Lookup("sparse")), value.IsTruthy(spec.Lookup("hidden"))
	if d, ok := spec.Lookup("collation").DocumentOK(); ok {
		if d.Len() == 0 {
			return nil, status.Errorf(errcode.BadValue, "The field 'collation' cannot be an empty object.")
		}
		if x.Collation, err = collate.New(d); err != nil {
			return nil, err
		}
	}
	for _, step := range [...]func(*store.Index, string, bson.Raw, int32) error{
		readExpiry, checkPlugin, checkPluginOptions, checkID_, readPartial, readText, readWildcard,
	} {
		if err := step(x, plugin, spec, version); err != nil {
			return nil, err
		}
	}
	if plugin == "2d" {
		x.Check = checkRange(key, spec)
	}
	x.Spec = completeSpec(x, plugin, spec)
	return x, nil
}

// checkIndexOptions refuses options that are unknown, repeated or of the wrong type.
func checkIndexOptions(spec bson.Raw, version int32) error {
	for name, v := range spec.All() {
		var f *field
		for i := range indexOptions {
			if indexOptions[i].name == name && indexOptions[i].since <= version {
				f = &indexOptions[i]
			}
		}
		switch {
		case f == nil:
			return status.Errorf(errcode.InvalidIndexSpecificationOption,
				"The field '%s' is not valid for an index specification. Specification: %s", name, status.Text(spec))
		case name == "expireAfterSeconds", f.kind.accepts(v), v.Type == bsontype.Null:
		case f.kind == boolean && version >= wire.Server50:
			return status.Errorf(errcode.TypeMismatch,
				"The field '%s' has value %s, which is not convertible to bool", name, name+": "+status.TextOf(v))
		case f.kind == boolean:
		default:
			wanted := map[kind]string{document: "an object", text: "a string", integer: "a number"}[f.kind]
			return status.Errorf(errcode.TypeMismatch, "The field '%s' must be %s, but got %s", name, wanted, v.Type)
		}
	}
	return nil
}

// checkExpiry refuses an expireAfterSeconds that can expire no document.
func checkExpiry(n int64) error {
	switch {
	case n < 0:
		return status.Errorf(errcode.InvalidOptions, "TTL index 'expireAfterSeconds' option cannot be less than 0")
	case n > math.MaxInt32:
		return status.Errorf(errcode.InvalidOptions,
			"TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different value")
	}
	return nil
}

func readExpiry(x *store.Index, _ string, spec bson.Raw, _ int32) error {
	v := spec.Lookup("expireAfterSeconds")
	if v.IsZero() {
		return nil
	}
	n, _ := number.TruncateInt64(v)
	err := checkExpiry(n)
	switch {
	case !number.Is(v.Type):
		return status.Errorf(errcode.CannotCreateIndex,
			"TTL index 'expireAfterSeconds' option must be numeric, but received a type of '%s'. Index spec: %s", v.Type, status.Text(spec))
	case err != nil:
		return status.Errorf(errcode.CannotCreateIndex, "%s. Index spec: %s", status.From(err).Message, status.Text(spec))
	case len(x.Fields) > 1:
		return status.Errorf(errcode.CannotCreateIndex,
			"TTL indexes are single-field indexes, compound indexes do not support TTL. Index spec: %s", status.Text(spec))
	}
	x.ExpireAt = &n
	return nil
}

// checkID_ refuses options that the index on _id cannot have.
func checkID_(x *store.Index, _ string, spec bson.Raw, _ int32) error {
	if len(x.Fields) != 1 || x.Fields[0].Name != "_id" || x.Opaque || x.Fields[0].Hashed {
		return nil
	}
	for name, v := range spec.All() {
		switch {
		case name == "unique" && value.IsTruthy(spec.Lookup("clustered")), name == "hidden" && !value.IsTruthy(v):
		case !idOptions[name]:
			return status.Errorf(errcode.InvalidIndexSpecificationOption,
				"The field '%s' is not valid for an _id index specification. Specification: %s", name, status.Text(spec))
		case name == "key" && (x.Fields[0].Descending || number.Float64(bson.Raw(v.Value).Lookup("_id")) != 1):
			return status.Errorf(errcode.BadValue, "The field 'key' for an _id index must be {_id: 1}, but got %s", status.TextOf(v))
		}
	}
	return nil
}

func readPartial(x *store.Index, _ string, spec bson.Raw, version int32) error {
	d, ok := spec.Lookup("partialFilterExpression").DocumentOK()
	if !ok {
		return nil
	}
	if x.Sparse {
		return status.Errorf(errcode.CannotCreateIndex, "cannot mix \"partialFilterExpression\" and \"sparse\" options")
	}
	f, err := query.Compile(d, query.Options{Collation: x.Collation})
	if err != nil {
		return err
	}
	if bad := findUnindexable(d, version); bad != "" {
		return status.Errorf(errcode.CannotCreateIndex, "Expression not supported in partial index: %s", bad)
	}
	x.Filter = d
	x.Partial = func(doc bson.Raw) bool {
		ok, err := f.Match(doc)
		return ok && err == nil
	}
	return nil
}

// findUnindexable finds an operator that the filter of a partial index cannot have.
func findUnindexable(filter bson.Raw, version int32) string {
	for name, v := range filter.All() {
		switch {
		case name == "$and", name == "$or" && version >= wire.Server60:
			for _, branch := range value.Elements(v) {
				if bad := findUnindexable(bson.Raw(branch.Value), version); bad != "" {
					return bad
				}
			}
		case len(name) > 0 && name[0] == '$':
			return name
		case v.Type == bsontype.EmbeddedDocument:
			for op, operand := range bson.Raw(v.Value).All() {
				if len(op) == 0 || op[0] != '$' {
					break
				}
				switch op {
				case "$eq", "$gt", "$gte", "$lt", "$lte", "$type":
					continue
				case "$exists":
					if value.IsTruthy(operand) {
						continue
					}
				case "$in", "$geoWithin":
					if version >= wire.Server60 {
						continue
					}
				}
				return name + " " + op
			}
		case v.Type == bsontype.Regex:
			return name + " regex"
		}
	}
	return ""
}

// completeSpec returns the specification as listIndexes shows it: v, key and name, then the rest in the order given, and the
// fields that the kind of index adds.
func completeSpec(x *store.Index, plugin string, spec bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	v := int32(2)
	if number.Float64(spec.Lookup("v")) == 1 {
		v = 1
	}
	dst = bson.AppendInt32Element(dst, "v", v)
	dst = bson.AppendRawValueElement(dst, "key", shownKey(spec.Lookup("key"), plugin))
	dst = bson.AppendStringElement(dst, "name", x.Name)
	for name, v := range spec.All() {
		switch name {
		case "v", "ns", "dropDups", "key", "name":
			continue
		case "sparse", "unique", "hidden", "prepareUnique":
			if !value.IsTruthy(v) {
				continue
			}
			v = value.Bool(true)
		case "background", "clustered":
			v = value.Bool(value.IsTruthy(v))
		case "collation":
			if x.Collation == nil {
				continue
			}
			v = value.Document(x.Collation.Spec())
		case "weights", "default_language", "language_override", "textIndexVersion", "2dsphereIndexVersion":
			continue
		}
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(appendPlugin(dst, plugin, spec), start)
}
