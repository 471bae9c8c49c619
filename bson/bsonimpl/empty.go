package bsonimpl

import (
	"reflect"

	"github.com/specdrivers/onion/bson"
)

// IsEmpty reports whether omitempty leaves out the value that pointer, which is not nil, points to.
func IsEmpty(pointer any) bool {
	if z, ok := zeroerOf(pointer); ok {
		return z.IsZero()
	}
	switch v := reflect.ValueOf(pointer).Elem(); v.Kind() {
	case reflect.Struct:
		return false
	case reflect.Array, reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Pointer:
		if v.IsNil() {
			return true
		}
		_, ok := zeroerOf(v.Interface())
		return ok && IsEmpty(v.Interface())
	default:
		return v.IsZero()
	}
}

// IsZero reports whether omitzero leaves out the value that pointer, which is not nil, points to.
func IsZero(pointer any) bool {
	if z, ok := zeroerOf(pointer); ok {
		return z.IsZero()
	}
	return reflect.ValueOf(pointer).Elem().IsZero()
}

// zeroerOf returns the value behind the pointer as a Zeroer if its type has a method IsZero. It ignores pointers and
// interfaces, which have the method only through what they hold.
func zeroerOf(pointer any) (bson.Zeroer, bool) {
	switch reflect.TypeOf(pointer).Elem().Kind() {
	case reflect.Pointer, reflect.Interface:
		return nil, false
	}
	z, ok := pointer.(bson.Zeroer)
	return z, ok
}
