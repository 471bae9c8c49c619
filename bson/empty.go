package bson

import (
	"time"
)

// The functions below decide what omitempty leaves out.

func isAlwaysEmpty(*codec, encState, address) bool { return true }

func isZeroValue[T comparable](_ *codec, _ encState, p address) bool {
	var zero T
	return *toPointer[T](p) == zero
}

// isGoZero is for types that a codec of the user encodes.
func isGoZero(c *codec, _ encState, p address) bool {
	return c.value(p).IsZero()
}

// hasNoLength is for slices.
func hasNoLength(_ *codec, _ encState, p address) bool {
	_, n := sliceAt(p)
	return n == 0
}

func isNilInterface(c *codec, _ encState, p address) bool { return c.value(p).IsNil() }

func isEmptyMap(c *codec, _ encState, p address) bool {
	return c.value(p).Len() == 0
}

func isZeroTime(_ *codec, _ encState, p address) bool { return toPointer[time.Time](p).IsZero() }

func isZeroBinary(_ *codec, _ encState, p address) bool { return toPointer[Binary](p).IsZero() }

func isZeroRawValue(_ *codec, _ encState, p address) bool { return toPointer[RawValue](p).IsZero() }

// isZeroByMethod asks the method IsZero of the type.
func isZeroByMethod(c *codec, _ encState, p address) bool {
	return c.pointerTo(p).(Zeroer).IsZero()
}

// isEmptyPointer is for pointers: a nil pointer is empty, and so is one whose own method IsZero says so.
func isEmptyPointer(c *codec, f encState, p address) bool {
	target := pointee(p)
	if isNilAddress(target) {
		return true
	}
	return c.elem.zeroer && c.elem.empty(c.elem, f, target)
}

// isEmptyStruct looks into the exported fields, but only with the option OmitZeroStruct.
func isEmptyStruct(c *codec, f encState, p address) bool {
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
		return isZeroByMethod(c, encState{}, p)
	}
	return c.value(p).IsZero()
}
