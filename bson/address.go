//go:build !purego

package bson

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Only this file and reach.go, and their twins that are built with the tag purego, know what an address is.

// address is the place of a value that a plan encodes or decodes.
type address = unsafe.Pointer

// toPointer returns the address as a pointer. The value there has the memory layout of a T.
func toPointer[T any](p address) *T { return (*T)(p) }

func addressTo[T any](v *T) address { return unsafe.Pointer(v) }

// addressAt returns where the pointer v points to.
func addressAt(v reflect.Value) address { return v.UnsafePointer() }

// addressIn returns where the pointer in v points to.
func addressIn(v any) address { return dataWord(v) }

func isNilAddress(p address) bool { return p == nil }

// holdsNil reports whether v is nil or holds a nil pointer or map.
func holdsNil(v any) bool { return dataWord(v) == nil }

// addressFor returns where the value in v is. Its type t is not a pointer. The address may belong to a copy.
func addressFor(v any, t reflect.Type) address {
	switch k := t.Kind(); {
	case k == reflect.Map || k == reflect.Chan || k == reflect.Func || k == reflect.UnsafePointer:
		p := dataWord(v) // of such a type, the word is the value itself
		return unsafe.Pointer(&p)
	case t.Size() == unsafe.Sizeof(uintptr(0)) && (k == reflect.Struct || k == reflect.Array):
		// A value of such a type lives in the data word itself only if the type is a pointer in disguise.
		box := reflect.New(t)
		box.Elem().Set(reflect.ValueOf(v))
		return box.UnsafePointer()
	}
	return dataWord(v)
}

// pointee returns where the pointer at p points to.
func pointee(p address) address { return *(*unsafe.Pointer)(p) }

func setPointee(p, target address) { *(*unsafe.Pointer)(p) = target }

// sliceHeader is the memory layout of a slice. The code only reads it and never makes one.
type sliceHeader struct {
	data unsafe.Pointer
	len  int
	cap  int
}

// sliceAt returns the elements of the slice at p, none if it is nil, and how many there are.
func sliceAt(p address) (list address, n int) {
	s := (*sliceHeader)(p)
	return s.data, s.len
}

// arrayAt returns the elements of the array at p.
func arrayAt(p address) (list address) { return p }

// Go lays out an any as a word for the type and a word that, for every type that is not itself a pointer, points to the
// value. A test holds it to that.
type eface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// typeWord is the first word of an any, which identifies the type.
type typeWord = unsafe.Pointer

func typeWordOf(v any) typeWord { return (*eface)(unsafe.Pointer(&v)).typ }

// dataWord returns the data word of v.
func dataWord(v any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&v)).data }

// makeAny makes an any from its two words. The value at p must never change again, because the value in an any never
// does. It may be part of a larger allocation, which the any then keeps alive.
func makeAny(typ typeWord, p arena.Box) (v any) {
	e := (*eface)(unsafe.Pointer(&v))
	e.typ = typ
	e.data = p
	return v
}

// anyInPlace makes an any whose value of type t stays where it is encoded, at the start of b, and must never change
// again. It reports false if such values have another memory layout than BSON has, or if the value is malformed.
func anyInPlace(t Type, b []byte) (v any, ok bool) {
	word := placedTypes[t].word
	if word == nil || b[0] > placedTypes[t].first {
		return nil, false
	}
	return makeAny(word, unsafe.Pointer(unsafe.SliceData(b))), true
}

// placedTypes holds the types that have the same memory layout in Go and in BSON, and the highest value of their first
// byte. It is empty on machines where no type has.
var placedTypes = func() (list [256]struct {
	word  typeWord
	first byte
}) {
	if !unalignedNumbers {
		return list
	}
	for t, v := range map[Type]any{
		bsontype.Double: 0.0, bsontype.Int32: int32(0), bsontype.Int64: int64(0), bsontype.DateTime: DateTime(0),
		bsontype.ObjectID: ObjectID{}, bsontype.Decimal128: Decimal128{}, bsontype.Boolean: false,
	} {
		list[t].word, list[t].first = typeWordOf(v), 0xFF
	}
	list[bsontype.Boolean].first = 1
	return list
}()

// unalignedNumbers is set on the machines that order bytes as BSON does and read a number at any address: on them a
// vector and a []float32 are the same memory, and an any may hold a number that is inside a document.
const unalignedNumbers = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" || runtime.GOARCH == "386" ||
	runtime.GOARCH == "ppc64le"

// reinterpret returns n numbers that share the memory of s.
func reinterpret[To, From byte | int8 | float32](s []From, n int) []To {
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(s))), n)
}
