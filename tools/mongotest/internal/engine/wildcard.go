package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// pathField is the name that explain gives to the path part of a wildcard key.
const pathField = "$_path"

// wildcardKeys makes the keys of a wildcard index. Every value below its root has a key: the path and the value,
// between the values of the index's other fields.
type wildcardKeys struct {
	fields           []store.Field
	at               int // the position of the wildcard field
	include, exclude []string
	plain            []path.Path // the other fields
}

// readWildcard completes a wildcard index from its specification.
func readWildcard(x *store.Index, plugin string, spec bson.Raw, _ int32) error {
	if plugin != wildcard {
		return nil
	}
	w := &wildcardKeys{fields: x.Fields, at: -1}
	for i, f := range x.Fields {
		root, found := strings.CutSuffix(f.Name, "$**")
		if !found {
			w.plain = append(w.plain, f.Path)
			continue
		}
		if w.at >= 0 {
			return status.Errorf(7246201, "Index keys can have one wildcard field only")
		}
		if w.at = i; root != "" {
			w.include = []string{strings.TrimSuffix(root, ".")}
		}
	}
	projection, given := spec.Lookup("wildcardProjection").DocumentOK()
	switch {
	case given && projection.Len() == 0:
		return status.Errorf(errcode.FailedToParse, "The 'wildcardProjection' field can't be an empty object")
	case given && len(w.include) > 0:
		return status.Errorf(errcode.FailedToParse,
			"The field 'wildcardProjection' is only allowed when 'key' is {\"$**\": \u00b11}")
	case !given && len(w.include) == 0 && len(w.plain) > 0:
		return status.Errorf(errcode.CannotCreateIndex,
			"A wildcard index of all fields with other keys needs a 'wildcardProjection' that leaves those out")
	}
	if root := w.include; len(root) > 0 {
		for _, f := range x.Fields {
			if f.Name != root[0]+".$**" && (f.Name == root[0] || strings.HasPrefix(f.Name, root[0]+".")) {
				return status.Errorf(7246204, "The wildcard field covers the field '%s' of the same index", f.Name)
			}
		}
	}
	w.readProjection("", projection)
	if len(w.include) == 0 && !slices.Contains(w.exclude, "_id") && path.Field(documentOrEmpty(projection), "_id").IsZero() {
		w.exclude = append(w.exclude, "_id")
	}
	x.Maker = w
	return nil
}

// readProjection reads a projection, which may treat _id differently from the other fields.
func (w *wildcardKeys) readProjection(prefix string, d bson.Raw) {
	for name, v := range d.All() {
		switch inner, isDocument := v.DocumentOK(); {
		case isDocument:
			w.readProjection(prefix+name+".", inner)
		case value.IsTruthy(v) && (name != "_id" || prefix != "" || d.Len() == 1 || includes(d)):
			w.include = append(w.include, prefix+name)
		case !value.IsTruthy(v):
			w.exclude = append(w.exclude, prefix+name)
		}
	}
}

// includes reports whether a projection lists the fields to include.
func includes(d bson.Raw) bool {
	for name, v := range d.All() {
		if name != "_id" && (v.Type == bsontype.Boolean || number.Is(v.Type)) {
			return value.IsTruthy(v)
		}
	}
	return false
}

// covers reports whether the index has the values at a path.
func (w *wildcardKeys) covers(p string) bool {
	under := func(root string) bool { return p == root || strings.HasPrefix(p, root+".") }
	return (len(w.include) == 0 || slices.ContainsFunc(w.include, under)) && !slices.ContainsFunc(w.exclude, under)
}

// leads reports whether a path is covered or leads to a covered one.
func (w *wildcardKeys) leads(p string) bool {
	return w.covers(p) || slices.ContainsFunc(w.include, func(root string) bool { return strings.HasPrefix(root, p+".") })
}

// Keys returns one key for every value of a document.
func (w *wildcardKeys) Keys(doc bson.Raw, yield func(key string)) error {
	_, err := path.Keys(doc, w.plain, func(values []bson.RawValue) {
		w.visitValues(doc, "", &visitor{array: func(string) {}, value: func(p string, v bson.RawValue) {
			var key []byte
			rest := values
			for i := range w.fields {
				f := &w.fields[i]
				if i == w.at {
					key = compare.AppendKey(key, value.String(p), nil)
					key = f.Append(key, v, nil)
					continue
				}
				other := rest[0]
				if rest = rest[1:]; other.IsZero() {
					other = value.Null
				}
				key = f.Append(key, other, nil)
			}
			yield(string(key))
		}})
	})
	return err
}

// Arrays lists the paths of a document at which the index finds an array.
func (w *wildcardKeys) Arrays(doc bson.Raw) (paths []string) {
	v := &visitor{value: func(string, bson.RawValue) {}, array: func(p string) { paths = append(paths, p) }}
	w.visitValues(doc, "", v)
	for _, p := range w.plain {
		for at, bits := 0, p.Arrays(doc); at < len(p) && bits != 0; at, bits = at+1, bits>>1 {
			if bits&1 != 0 {
				paths = append(paths, p[:at+1].String())
			}
		}
	}
	return paths
}

// visitor receives what a wildcard index finds in a document.
type visitor struct {
	value func(p string, v bson.RawValue)
	array func(p string)
}

// visitValues visits the values of a document, and reports whether there are any.
func (w *wildcardKeys) visitValues(d bson.Raw, prefix string, visit *visitor) (any bool) {
	for name, v := range d.All() {
		if p := prefix + name; w.leads(p) {
			any = w.visitValue(p, v, false, visit) || any
		}
	}
	return any
}

// visitValue visits a value, the fields of a document, or the elements of an array. An array in an array is a value, and so
// is a document without fields that the index covers. An empty array counts as undefined.
func (w *wildcardKeys) visitValue(p string, v bson.RawValue, inArray bool, visit *visitor) (any bool) {
	covered := w.covers(p)
	if v.Type == bsontype.Array && !inArray {
		visit.array(p)
	}
	switch {
	case v.Type == bsontype.EmbeddedDocument && len(v.Value) > 5:
		if w.visitValues(bson.Raw(v.Value), p+".", visit) {
			return true
		}
		v = value.Document(value.EmptyDocument)
	case v.Type == bsontype.Array && !inArray && len(v.Value) > 5:
		for _, e := range bson.Raw(v.Value).All() {
			any = w.visitValue(p, e, true, visit) || any
		}
		return any
	case v.Type == bsontype.Array && !inArray:
		v = bson.RawValue{Type: bsontype.Undefined}
	}
	if covered {
		visit.value(p, v)
	}
	return covered
}

// fieldsAlong returns the key fields for one path.
func (w *wildcardKeys) fieldsAlong(p string) []store.Field {
	leaf := store.Field{Name: p, Path: path.Parse(p), Descending: w.fields[w.at].Descending}
	fields := slices.Clone(w.fields[:w.at])
	fields = append(fields, store.Field{Name: pathField, Path: path.Path{pathField}}, leaf)
	return append(fields, w.fields[w.at+1:]...)
}
