package bson

import (
	"iter"
	"strings"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Raw is an encoded document. Its methods read the bytes in place: what they return aliases the document, and is valid as
// long as its bytes are not changed.
type Raw []byte

// EmptyDocument returns the document {}.
func EmptyDocument() Raw { return Raw{5, 0, 0, 0, 0} }

// RawArray is an encoded array: the bytes of a document whose keys are ignored.
type RawArray []byte

// RawElement is one element of a [Raw].
type RawElement struct {
	Key   string
	Value RawValue
}

// All iterates over the elements in order, without allocating. It stops silently at a malformed element; [Raw.Validate]
// and [Raw.Elements] report it.
func (r Raw) All() iter.Seq2[string, RawValue] {
	return func(yield func(string, RawValue) bool) {
		for b := wire.Elements(r); ; {
			t, key, value, rest := wire.Next(b)
			if rest == nil || !yield(key, RawValue{Type: t, Value: value}) {
				return
			}
			b = rest
		}
	}
}

// Elements returns the elements in order. The error says where the document is malformed. The keys are copies, so an
// Unmarshaler may keep them; the values are not.
func (r Raw) Elements() ([]RawElement, error) {
	var elems []RawElement
	if err := eachElement(r, func(key string, v RawValue) {
		elems = append(elems, RawElement{Key: strings.Clone(key), Value: v})
	}); err != nil {
		return elems, err
	}
	return elems, nil
}

// Values returns the values in order. The error says where the document is malformed.
func (r Raw) Values() ([]RawValue, error) {
	var values []RawValue
	if err := eachElement(r, func(_ string, v RawValue) { values = append(values, v) }); err != nil {
		return values, err
	}
	return values, nil
}

// eachElement is [Raw.All] for callers who need to know of malformed elements.
func eachElement(b []byte, f func(string, RawValue)) *DecodeError {
	end, err := wire.Body(b)
	if err != nil {
		return decodeErrorAt(err, 0)
	}
	for i := 4; i < end; {
		t, start := Type(b[i]), i
		k := wire.KeyEnd(b[:end], i+1)
		if k < 0 {
			return decodeErrorAt(wire.ErrKeyEnd, start)
		}
		key := wire.AliasString(b[i+1 : k])
		i = k + 1
		n := wire.ValueSize(t, b[i:end])
		if n < 0 {
			return decodeErrorAt(wire.ValueError(t, b[i:end]), i).prefixPath(key)
		}
		next := i + n
		f(key, RawValue{Type: t, Value: b[i:next:next]})
		i = next
	}
	return nil
}

// Len returns the number of elements.
func (r Raw) Len() int {
	n := 0
	for range r.All() {
		n++
	}
	return n
}

// Index returns the i-th element, counted from 0, and whether there is one.
func (r Raw) Index(i int) (RawElement, bool) {
	for key, v := range r.All() {
		if i == 0 {
			return RawElement{Key: key, Value: v}, true
		}
		i--
	}
	return RawElement{}, false
}

// Lookup follows path through embedded documents and arrays (by index) and returns the value there, or the zero
// RawValue if there is none. If a key occurs twice, it takes the first.
func (r Raw) Lookup(path ...string) RawValue {
	v := RawValue{Type: bsontype.EmbeddedDocument, Value: r}
	for _, key := range path {
		if v = v.child(key); v.IsZero() {
			return v
		}
	}
	return v
}

// LookupErr is Lookup with an error. It matches [ErrNotFound] if there is no such value, or [ErrMalformed] if the
// document is malformed before it.
func (r Raw) LookupErr(path ...string) (RawValue, error) {
	v := RawValue{Type: bsontype.EmbeddedDocument, Value: r}
	for i, key := range path {
		next := v.child(key)
		if !next.IsZero() {
			v = next
			continue
		}
		err := &DecodeError{Offset: -1, Err: ErrNotFound}
		if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
			if e := eachElement(v.Value, func(string, RawValue) {}); e != nil {
				err = &DecodeError{Offset: -1, Err: e.Err}
			}
		}
		err.Path = strings.Join(path[:i+1], ".")
		return RawValue{}, err
	}
	return v, nil
}

// child returns the element named key of a document or array.
func (v RawValue) child(key string) RawValue {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return RawValue{}
	}
	for k, c := range Raw(v.Value).All() {
		if k == key {
			return c
		}
	}
	return RawValue{}
}

// All iterates over the values in order, without allocating. It stops silently at a malformed element;
// RawArray.Validate and RawArray.Values report it.
func (a RawArray) All() iter.Seq2[int, RawValue] {
	return func(yield func(int, RawValue) bool) {
		i := 0
		for _, v := range Raw(a).All() {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

// Values returns the values in order. The error says where the array is malformed.
func (a RawArray) Values() ([]RawValue, error) { return Raw(a).Values() }

// Len returns the number of values.
func (a RawArray) Len() int { return Raw(a).Len() }

// Index returns the i-th value, counted from 0, and whether there is one.
func (a RawArray) Index(i int) (RawValue, bool) {
	e, ok := Raw(a).Index(i)
	return e.Value, ok
}
