package bson

import (
	"time"
)

// The functions below decide what omitempty leaves out.

func emptyAlways(*codec, encState, address) bool { return true }

func emptyZero[T comparable](_ *codec, _ encState, p address) bool {
	var zero T
	return *as[T](p) == zero
}

// emptyGoZero is for types that a codec of the user encodes.
func emptyGoZero(c *codec, _ encState, p address) bool {
	return c.value(p).IsZero()
}

// emptyLength is for slices.
func emptyLength(_ *codec, _ encState, p address) bool {
	_, n := sliceAt(p)
	return n == 0
}

func emptyInterface(c *codec, _ encState, p address) bool { return c.value(p).IsNil() }

func emptyMap(c *codec, _ encState, p address) bool {
	return c.value(p).Len() == 0
}

func emptyTime(_ *codec, _ encState, p address) bool { return as[time.Time](p).IsZero() }

func emptyBinary(_ *codec, _ encState, p address) bool { return as[Binary](p).IsZero() }

func emptyRawValue(_ *codec, _ encState, p address) bool { return as[RawValue](p).IsZero() }

// emptyZeroer asks the method IsZero of the type.
func emptyZeroer(c *codec, _ encState, p address) bool {
	return c.pointerTo(p).(Zeroer).IsZero()
}

// emptyPointer is for pointers: a nil pointer is empty, and so is one whose own method IsZero says so.
func emptyPointer(c *codec, f encState, p address) bool {
	target := pointee(p)
	if isNilAddress(target) {
		return true
	}
	return c.elem.zeroer && c.elem.empty(c.elem, f, target)
}

// emptyStruct looks into the exported fields, but only with the option OmitZeroStruct.
func emptyStruct(c *codec, f encState, p address) bool {
	if !f.has(encOmitZeroStruct) {
		return false
	}
	for i := range c.plan.exported {
		if e := &c.plan.exported[i]; !e.codec.empty(e.codec, f, e.addressIn(p)) {
			return false
		}
	}
	return true
}

// isZero is what omitzero asks: the method IsZero, or whether the value is Go's zero value.
func (c *codec) isZero(p address) bool {
	if c.zeroer {
		return emptyZeroer(c, encState{}, p)
	}
	return c.value(p).IsZero()
}
