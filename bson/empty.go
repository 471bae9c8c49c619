package bson

import (
	"reflect"
	"time"
	"unsafe"
)

// The functions below decide what omitempty leaves out.

func emptyAlways(*codec, encState, unsafe.Pointer) bool { return true }

func emptyZero[T comparable](_ *codec, _ encState, p unsafe.Pointer) bool {
	var zero T
	return *(*T)(p) == zero
}

// emptyGoZero is for types that a codec of the user encodes.
func emptyGoZero(c *codec, _ encState, p unsafe.Pointer) bool {
	return reflect.NewAt(c.typ, p).Elem().IsZero()
}

// emptyLength is for slices.
func emptyLength(_ *codec, _ encState, p unsafe.Pointer) bool { return (*sliceHeader)(p).len == 0 }

func emptyInterface(_ *codec, _ encState, p unsafe.Pointer) bool { return *(*unsafe.Pointer)(p) == nil }

func emptyMap(c *codec, _ encState, p unsafe.Pointer) bool {
	return reflect.NewAt(c.typ, p).Elem().Len() == 0
}

func emptyTime(_ *codec, _ encState, p unsafe.Pointer) bool { return (*time.Time)(p).IsZero() }

func emptyBinary(_ *codec, _ encState, p unsafe.Pointer) bool { return (*Binary)(p).IsZero() }

func emptyRawValue(_ *codec, _ encState, p unsafe.Pointer) bool { return (*RawValue)(p).IsZero() }

// emptyZeroer asks the type.
func emptyZeroer(c *codec, _ encState, p unsafe.Pointer) bool {
	return c.pointerTo(p).(Zeroer).IsZero()
}

// emptyPointer is for pointers: nil ones, and those whose type says itself that it is zero.
func emptyPointer(c *codec, f encState, p unsafe.Pointer) bool {
	target := *(*unsafe.Pointer)(p)
	if target == nil {
		return true
	}
	return c.elem.zeroer && c.elem.empty(c.elem, f, target)
}

// emptyStruct looks into the exported fields, and only on request.
func emptyStruct(c *codec, f encState, p unsafe.Pointer) bool {
	if !f.has(encOmitZeroStruct) {
		return false
	}
	for _, e := range c.plan.exported {
		if !e.codec.empty(e.codec, f, unsafe.Add(p, e.offset)) {
			return false
		}
	}
	return true
}

// isZero is what omitzero asks: the method IsZero, or whether the value is Go's zero value.
func (c *codec) isZero(p unsafe.Pointer) bool {
	if c.zeroer {
		return emptyZeroer(c, encState{}, p)
	}
	return reflect.NewAt(c.typ, p).Elem().IsZero()
}
