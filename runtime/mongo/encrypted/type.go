package encrypted

import (
	"math"
	"reflect"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// typeOf is the BSON type that values of a Go type have, as $type names it: that which package bson writes. It is empty if there
// are several; open then says what to do.
func typeOf(t reflect.Type, minSize bool) (bsonType, open string) {
	const name = "name the BSON type with type=<BSON type> in its tag encrypt"
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	first, ok := bsonTypeOf(sample(t, false))
	second, ok2 := bsonTypeOf(sample(t, true))
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

// bsonTypeOf is the type of a value in BSON.
func bsonTypeOf(v reflect.Value) (bsontype.Type, bool) {
	t, _, err := bson.AppendValue(nil, v.Interface())
	return t, err == nil
}

// sample is a value of a type that is not nil: the zero value, or a large number.
func sample(t reflect.Type, large bool) reflect.Value {
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

// writesNull reports whether a value of a type may be nil, which is written as null.
func writesNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}

// encodesItself reports whether the tags in a struct count for nothing, because methods of its own write it. The methods that
// bsongen writes keep to the tags.
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
