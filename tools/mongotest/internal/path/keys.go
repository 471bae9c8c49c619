package path

import (
	"errors"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// ErrParallelArrays reports that one key would combine the elements of two arrays.
var ErrParallelArrays = errors.New("cannot index parallel arrays")

// slot is one part of a compound key, while its path is being followed to a value.
type slot struct {
	root  bson.Raw
	path  Path
	done  bool
	value bson.RawValue

	array bson.Raw // the array where the walk stopped, or nil
	rest  Path
}

// Keys yields the compound keys of a document: a single key, or one for each element of the array that a path meets. A
// missing field yields the zero value, an empty array undefined. The slice is valid until yield returns. multikey says
// that a path met an array. The error is ErrParallelArrays, or it says that a component is both a position in an array
// and a field name in its documents.
func Keys(doc bson.Raw, paths []Path, yield func([]bson.RawValue)) (multikey bool, err error) {
	slots := make([]slot, len(paths))
	for i, p := range paths {
		slots[i] = slot{root: doc, path: p}
	}
	values := make([]bson.RawValue, len(paths))
	return expand(slots, values, yield)
}

func expand(slots []slot, values []bson.RawValue, yield func([]bson.RawValue)) (multikey bool, err error) {
	var array bson.Raw
	for i := range slots {
		s := &slots[i]
		if !s.done {
			if err := s.walk(); err != nil {
				return false, err
			}
		}
		switch {
		case s.array == nil:
		case array == nil:
			array = s.array
		case &array[0] != &s.array[0]:
			return true, ErrParallelArrays
		}
	}
	if array == nil {
		for i := range slots {
			values[i] = slots[i].value
		}
		yield(values)
		return false, nil
	}
	next := make([]slot, len(slots))
	empty := true
	for _, e := range array.All() {
		empty = false
		for i := range slots {
			next[i] = slots[i].enterElement(e)
		}
		if _, err := expand(next, values, yield); err != nil {
			return true, err
		}
	}
	if empty {
		for i := range slots {
			next[i] = slots[i].descendIntoEmpty()
		}
		_, err = expand(next, values, yield)
	}
	return true, err
}

// walk follows the path to its value or to an array. It treats a component that is a position of an array as that
// position.
func (s *slot) walk() error {
	s.array = nil
	v := bson.RawValue{Type: bsontype.EmbeddedDocument, Value: s.root}
	position := false
	for i, name := range s.path {
		next := bson.RawValue{}
		if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array && IsIndex(name) {
			next = Field(bson.Raw(v.Value), name)
		}
		position = v.Type == bsontype.Array && !next.IsZero()
		switch {
		case position && namesField(bson.Raw(v.Value), name):
			return status.Errorf(16746,
				"Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: "+
					"'%s' for array: %s", name, status.TextOf(v))
		case v.Type == bsontype.EmbeddedDocument, position:
			v = next
		case v.Type == bsontype.Array:
			s.array, s.rest = bson.Raw(v.Value), s.path[i:]
			return nil
		default:
			s.done = true
			return nil
		}
	}
	if v.Type == bsontype.Array && !position {
		s.array, s.rest = bson.Raw(v.Value), nil
		return nil
	}
	s.done, s.value = true, v
	return nil
}

// namesField reports whether a document in the array has a field of that name.
func namesField(array bson.Raw, name string) bool {
	for _, e := range array.All() {
		if e.Type == bsontype.EmbeddedDocument && !Field(bson.Raw(e.Value), name).IsZero() {
			return true
		}
	}
	return false
}

// enterElement returns the slot for one element of the array.
func (s *slot) enterElement(e bson.RawValue) slot {
	switch {
	case s.array == nil:
		return *s
	case len(s.rest) == 0:
		return slot{done: true, value: e}
	case e.Type == bsontype.EmbeddedDocument:
		return slot{root: bson.Raw(e.Value), path: s.rest}
	}
	return slot{done: true}
}

func (s *slot) descendIntoEmpty() slot {
	switch {
	case s.array == nil:
		return *s
	case len(s.rest) == 0:
		return slot{done: true, value: bson.RawValue{Type: bsontype.Undefined}}
	}
	return slot{done: true}
}

// Arrays returns the components of the path at which a document has an array whose elements an index would store: bit i
// for component i. Components past the last bit share it.
func (p Path) Arrays(doc bson.Raw) uint64 {
	v := bson.RawValue{Type: bsontype.EmbeddedDocument, Value: doc}
	return p.arraysFrom(v, 0)
}

func (p Path) arraysFrom(v bson.RawValue, at int) (mask uint64) {
	for ; at < len(p); at++ {
		switch {
		case v.Type == bsontype.EmbeddedDocument, v.Type == bsontype.Array && IsIndex(p[at]):
			v = Field(bson.Raw(v.Value), p[at])
		default:
			return mask
		}
		if v.Type != bsontype.Array || at+1 < len(p) && !Field(bson.Raw(v.Value), p[at+1]).IsZero() {
			continue
		}
		mask |= 1 << min(at, 63)
		for _, e := range bson.Raw(v.Value).All() {
			if e.Type == bsontype.EmbeddedDocument {
				mask |= p.arraysFrom(e, at+1)
			}
		}
		return mask
	}
	return mask
}

// Index returns the position that a component names, or -1.
func Index(component string) int {
	if !IsIndex(component) {
		return -1
	}
	n, err := strconv.Atoi(component)
	if err != nil {
		return -1
	}
	return n
}
