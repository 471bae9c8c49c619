package bson

import "unsafe"

// This file is the only place that knows how Go lays out an any: a word for the type and a word that, for every type that
// is not itself a pointer, points to the value. A test holds it to that.

type eface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// typeWord returns the type word of v.
func typeWord(v any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&v)).typ }

// dataWord returns the data word of v.
func dataWord(v any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&v)).data }

// makeAny makes an any from its two words. The value at p must never change again, as the value in an any never does. It may
// be part of a larger allocation, which the any then keeps alive.
func makeAny(typ, p unsafe.Pointer) (v any) {
	e := (*eface)(unsafe.Pointer(&v))
	e.typ = typ
	e.data = p
	return v
}

// The type words of what documents decode into most often.
var (
	wordString   = typeWord("")
	wordInt32    = typeWord(int32(0))
	wordInt64    = typeWord(int64(0))
	wordFloat64  = typeWord(float64(0))
	wordDateTime = typeWord(DateTime(0))
	wordObjectID = typeWord(ObjectID{})
	wordD        = typeWord(D(nil))
	wordA        = typeWord(A(nil))
)
