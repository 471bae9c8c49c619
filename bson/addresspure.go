//go:build purego

package bson

import (
	"reflect"

	"github.com/specdrivers/onion/bson/internal/arena"
)

// This file is address.go without unsafe: it does with reflection what address.go does with pointers. The same tests
// hold for both.

// address is a pointer to a value that a plan encodes or decodes. Its type is never a defined one.
type address = reflect.Value

func toPointer[T any](p address) *T { return p.Convert(reflect.TypeFor[*T]()).Interface().(*T) }

func addressTo[T any](v *T) address { return reflect.ValueOf(v) }

func addressAt(v reflect.Value) address { return v }

func addressIn(v any) address { return asAddress(reflect.ValueOf(v)) }

func isNilAddress(p address) bool { return !p.IsValid() }

func holdsNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}

func addressFor(v any, t reflect.Type) address {
	box := reflect.New(t)
	box.Elem().Set(reflect.ValueOf(v))
	return box
}

func pointee(p address) address { return asAddress(p.Elem()) }

// asAddress makes an address of the pointer v, whose type may be a defined one.
func asAddress(v reflect.Value) address {
	if v.IsNil() {
		return address{}
	}
	return v.Elem().Addr()
}

func setPointee(p, target address) {
	if isNilAddress(target) {
		p.Elem().SetZero()
		return
	}
	p.Elem().Set(target)
}

func sliceAt(p address) (list address, n int) {
	if p.Elem().IsNil() {
		return address{}, 0
	}
	return p.Elem(), p.Elem().Len()
}

func arrayAt(p address) (list address) { return p.Elem() }

// typeWord is empty here, because a box is an any already.
type typeWord = struct{}

func typeWordOf(any) typeWord { return typeWord{} }

func makeAny(_ typeWord, b arena.Box) any { return b }

// anyInPlace knows no memory layout.
func anyInPlace(Type, []byte) (any, bool) { return nil, false }

const unalignedNumbers = false

// reinterpret copies here. It is not called for floats.
func reinterpret[To, From byte | int8 | float32](s []From, n int) []To {
	if s == nil {
		return nil
	}
	out := make([]To, n)
	for i := range out {
		out[i] = To(s[i])
	}
	return out
}
