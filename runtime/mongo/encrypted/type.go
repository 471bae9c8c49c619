package encrypted

import (
	"math"
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// typeOf returns the BSON type that package bson writes for a Go type, under its $type name. If there are several, it is empty, and open
// says why and what to do.
func typeOf(t reflect.Type, minSize bool) (bsonType, open string) {
	const name = "name the BSON type with type=<BSON type> in its tag encrypt"
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	first, ok := bsonTypeOf(newSample(t, false))
	second, ok2 := bsonTypeOf(newSample(t, true))
	switch {
	case t.Kind() == reflect.Interface:
		return "", "it may hold values of several BSON types: " + name
	case !ok || !ok2 || first == bsontype.Null:
		return "", "what it writes depends on the value: " + name
	case first != second, minSize && second == bsontype.Int64:
		return "", "it is written as int or as long, whichever fits: declare it int32 or int64 without minsize, or " + name
	}
	return first.String(), ""
}

// bsonTypeOf returns the BSON type of a value.
func bsonTypeOf(v reflect.Value) (bsontype.Type, bool) {
	t, _, err := bson.AppendValue(nil, v.Interface())
	return t, err == nil
}

// newSample makes a value of a type that is not nil: the zero value, or a large number.
func newSample(t reflect.Type, large bool) reflect.Value {
	v := reflect.New(t).Elem()
	switch k := t.Kind(); {
	case k == reflect.Slice:
		v.Set(reflect.MakeSlice(t, 0, 0))
	case k == reflect.Map:
		v.Set(reflect.MakeMap(t))
	case large && v.CanInt():
		v.SetInt(math.MaxInt64 >> (64 - t.Bits()))
	case large && v.CanUint():
		v.SetUint(min(math.MaxInt64, uint64(math.MaxUint64)>>(64-t.Bits())))
	}
	return v
}

// writesNull reports whether values of a type can be nil, which package bson writes as null.
func writesNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}

// encodesItself reports whether a type has methods that write it, so that the tags in the struct have no effect. Methods that bsongen
// wrote do not count: they follow the tags.
func encodesItself(t reflect.Type) bool {
	if _, ok := t.MethodByName("BSONStatic"); ok {
		return false
	}
	if kind, ok := bsonTypeOf(reflect.New(t).Elem()); ok && kind != bsontype.EmbeddedDocument {
		return true
	}
	pointer := reflect.PointerTo(t)
	for _, method := range []reflect.Type{
		reflect.TypeFor[bson.DocumentAppender](), reflect.TypeFor[bson.ValueAppender](),
		reflect.TypeFor[bson.Marshaler](), reflect.TypeFor[bson.ValueMarshaler](),
	} {
		if pointer.Implements(method) {
			return true
		}
	}
	return false
}
