package bsonimpl

import (
	"reflect"
	"strings"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// DecodeNested stores a document with the method of its type.
func DecodeNested[T any](r *Reader, p *T, decode func(*T, *Reader) error) error {
	if r.kind != bsontype.EmbeddedDocument {
		return decodeNonDocument(r, p)
	}
	outer, err := r.enter(-1)
	if err != nil {
		return err
	}
	err = decode(p, r)
	r.leave(outer)
	return err
}

// DecodePointer stores what the pointer points to, and nil for null.
func DecodePointer[T any](r *Reader, p **T, decode func(*Reader, *T) error) error {
	if r.isNull() {
		*p = nil
		return nil
	}
	if *p != nil {
		return decode(r, *p)
	}
	target := new(T)
	if err := decode(r, target); err != nil {
		return err
	}
	*p = target
	return nil
}

// DecodeSlice stores the elements of an array, in the memory of the slice if that is long enough, and nil for null.
func DecodeSlice[S ~[]T, T any](r *Reader, p *S, decode func(*Reader, *T) error) error {
	if r.isNull() {
		*p = nil
		return nil
	}
	if r.kind != bsontype.Array {
		return r.mismatchError(reflect.TypeFor[S]())
	}
	n := wire.CountElements(r.bytes())
	s := *p
	if s == nil || cap(s) < n {
		s = make(S, n)
	} else {
		s = s[:n]
		clear(s)
	}
	*p = s
	outer, err := r.enter(0)
	if err != nil {
		return err
	}
	for r.nextItem() {
		if err := decode(r, &s[r.index]); err != nil {
			err = r.Fail(err)
			r.leave(outer)
			return err
		}
	}
	r.leave(outer)
	return r.err
}

// DecodeMap adds the elements of a document to the map, and stores nil for null.
func DecodeMap[M ~map[K]T, K ~string, T any](r *Reader, p *M, decode func(*Reader, *T) error) error {
	if r.kind != bsontype.EmbeddedDocument {
		return decodeNonDocument(r, p)
	}
	if *p == nil {
		*p = make(M, wire.CountElements(r.bytes()))
	}
	outer, err := r.enter(-1)
	if err != nil {
		return err
	}
	for r.nextItem() {
		if err := DecodeMapElement(r, p, decode); err != nil {
			err = r.Fail(err)
			r.leave(outer)
			return err
		}
	}
	r.leave(outer)
	return r.err
}

// DecodeMapElement stores the current element in the map, which it makes if there is none.
func DecodeMapElement[M ~map[K]T, K ~string, T any](r *Reader, p *M, decode func(*Reader, *T) error) error {
	key := r.key()
	if !wire.ValidString(key) {
		return wire.ErrKeyText
	}
	var elem T
	if err := decode(r, &elem); err != nil {
		return err
	}
	if *p == nil {
		*p = M{}
	}
	(*p)[K(strings.Clone(key))] = elem
	return nil
}
