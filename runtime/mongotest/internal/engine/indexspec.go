package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
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
