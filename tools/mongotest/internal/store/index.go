package store

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/hashed"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Field is one field of a compound index key.
type Field struct {
	Name       string
	Path       path.Path
	Descending bool
	Hashed     bool // the key holds the hash of the value
}

// Maker makes the keys of an index that is not an ordered one.
type Maker interface {
	Keys(doc bson.Raw, yield func(key string)) error
}

// Index is one state of an index. The exported fields do not change after creation, except Multikey and Arrays.
type Index struct {
	Name      string
	Spec      bson.Raw // as listIndexes returns it
	Fields    []Field
	Unique    bool
	Sparse    bool
	Hidden    bool
	ExpireAt  *int64 // seconds after the date in the field; nil without expiry
	Partial   func(bson.Raw) bool
	Filter    bson.Raw // the partial filter; nil without one
	Collation *collate.Collator
	Multikey  bool
	// Arrays are the components of each field's path at which a document had an array; see path.Path.Arrays.
	Arrays []uint64
	// ArrayPaths are the paths at which a document of a wildcard index had an array.
	ArrayPaths map[string]bool
	// Path is the one path that this view of a wildcard index covers; see AlongPath.
	Path string
	// Opaque marks an index whose keys are not the values of its fields in order: text, geospatial and wildcard
	// indexes.
	Opaque bool
	// Maker makes the keys of an opaque index. With nil it has no keys.
	Maker Maker
	// Check refuses a document that the index cannot hold. nil accepts all.
	Check func(bson.Raw) error

	Usage *Usage

	owner   *tree.Edit
	paths   []path.Path
	entries tree.Map[string, RecordID]
	size    int64 // of the entries, in bytes
}

// AlongPath returns a view of a wildcard index as an ordered index on one path. fields are the fields of its keys. The view has
// arrays if its own paths have.
func (x *Index) AlongPath(p string, fields []Field) *Index {
	along := *x
	along.Fields, along.Path, along.Opaque, along.Sparse, along.Maker = fields, p, false, true, nil
	along.paths = along.fieldPaths()
	along.Multikey, along.Arrays = false, make([]uint64, len(fields))
	for i, path := range along.paths {
		for at := range path {
			if x.ArrayPaths[path[:at+1].String()] {
				along.Multikey = true
				along.Arrays[i] |= 1 << min(at, 63)
			}
		}
	}
	return &along
}

// Len returns the number of keys.
func (x *Index) Len() int { return x.entries.Len() }

// Size returns the size of the keys in bytes.
func (x *Index) Size() int64 { return x.size }

// set adds an entry.
func (x *Index) set(edit *tree.Edit, entry string, id RecordID) {
	x.entries.Set(edit, entry, id)
	x.size += int64(len(entry))
}

// KeyPattern returns the key document of the specification.
func (x *Index) KeyPattern() bson.Raw {
	key, _ := x.Spec.Lookup("key").DocumentOK()
	return key
}

// isID reports whether this is the index on _id, which every collection has.
func (x *Index) isID() bool { return x.Name == "_id_" }

func (x *Index) fieldPaths() []path.Path {
	paths := make([]path.Path, len(x.Fields))
	for i, f := range x.Fields {
		paths[i] = f.Path
	}
	return paths
}

// keys returns the encoded keys of a document, without the RecordID.
func (x *Index) keys(doc bson.Raw) (keys []string, met arrays, err error) {
	if x.Partial != nil && !x.Partial(doc) {
		return nil, met, nil
	}
	if x.Opaque {
		if x.Check != nil {
			err = x.Check(doc)
		}
		if x.Maker != nil && err == nil {
			err = x.Maker.Keys(doc, func(key string) { keys = append(keys, key) })
		}
		met.any = len(keys) > 1
		if finder, ok := x.Maker.(arrayFinder); ok {
			met.paths = finder.Arrays(doc)
			met.any = len(met.paths) > 0
		}
		return removeDuplicates(keys), met, err
	}
	if x.isID() {
		var buffer [64]byte
		return []string{string(compare.AppendKey(buffer[:0], path.Field(doc, "_id"), x.Collation))}, met, nil
	}
	met.any, err = path.Keys(doc, x.paths, func(values []bson.RawValue) {
		if key, ok := x.encode(values); ok {
			keys = append(keys, key)
		}
	})
	if err != nil && !errors.Is(err, path.ErrParallelArrays) {
		return nil, met, err
	}
	if at := x.hashedArray(doc); met.any && at != "" {
		return nil, met, status.Errorf(16766, "hashed indexes do not currently support array values. Found array at path: %s", at)
	}
	if err != nil {
		return nil, met, status.Errorf(errcode.CannotIndexParallelArrays, "cannot index parallel arrays %s", x.parallelArrays(doc))
	}
	if met.any {
		met.doc = doc
	}
	return removeDuplicates(keys), met, nil
}

// hashedArray returns the path of a hashed field that contains an array or passes through one, or "" if there is none.
func (x *Index) hashedArray(doc bson.Raw) string {
	for _, f := range x.Fields {
		if !f.Hashed {
			continue
		}
		if many, _ := path.Keys(doc, []path.Path{f.Path}, func([]bson.RawValue) {}); many {
			return f.Name
		}
	}
	return ""
}

// parallelArrays names two fields that contain arrays.
func (x *Index) parallelArrays(doc bson.Raw) string {
	var names string
	for _, f := range x.Fields {
		if f.Path.Lookup(doc).Type == bsontype.Array {
			names = "[" + f.Path[len(f.Path)-1] + "] " + names
		}
	}
	return strings.TrimSpace(names)
}

// encode makes a key. ok is false if a sparse index skips the document.
func (x *Index) encode(values []bson.RawValue) (key string, ok bool) {
	present := false
	var buffer [128]byte
	dst := buffer[:0]
	for i, v := range values {
		if v.IsZero() {
			v = value.Null
		} else {
			present = true
		}
		dst = x.Fields[i].Append(dst, v, x.Collation)
	}
	return string(dst), present || !x.Sparse
}

// Append appends a value in the form that a key stores.
func (f *Field) Append(dst []byte, v bson.RawValue, c *collate.Collator) []byte {
	from := len(dst)
	if f.Hashed {
		v = value.Int64(hashed.Sum(collationValue(v, c)))
	}
	dst = compare.AppendKey(dst, v, c)
	if f.Descending {
		compare.Invert(dst[from:])
	}
	return dst
}

// Hash returns the value that a hashed field stores.
func (x *Index) Hash(v bson.RawValue) bson.RawValue {
	return value.Int64(hashed.Sum(collationValue(v, x.Collation)))
}

// collationValue returns a value that is the same for all values that the collation treats as equal, so they share a
// hash.
func collationValue(v bson.RawValue, c *collate.Collator) bson.RawValue {
	switch v.Type {
	case bsontype.String, bsontype.EmbeddedDocument, bsontype.Array:
		if c != nil {
			return value.String(string(compare.AppendKey(nil, v, c)))
		}
	}
	return v
}

// removeDuplicates removes duplicate keys: an array may contain the same element twice.
func removeDuplicates(keys []string) []string {
	if len(keys) < 2 {
		return keys
	}
	seen := make(map[string]bool, len(keys))
	out := keys[:0]
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// entry makes the key under which the index stores a record. Equal keys stay in insertion order.
func entry(key string, id RecordID) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(id))
	return key + string(b[:])
}

// holder finds another record that has the key.
func (x *Index) holder(key string, self RecordID) (RecordID, bool) {
	k, id, ok := x.entries.Ceiling(key)
	if !ok || !belongsTo(k, key) {
		return 0, false
	}
	if id != self {
		return id, true
	}
	it := x.entries.Ascend(key)
	for {
		k, id, ok := it.Next()
		if !ok || !belongsTo(k, key) {
			return 0, false
		}
		if id != self {
			return id, true
		}
	}
}

// belongsTo reports whether an entry belongs to the key.
func belongsTo(entry, key string) bool {
	return len(entry) == len(key)+8 && entry[:len(key)] == key
}
