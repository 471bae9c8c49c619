package bson

import (
	"fmt"
	"reflect"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

func decodeD(c *codec, d *decoder, t Type, b []byte, p address) error {
	if wire.IsNull(t) {
		*toPointer[D](p) = nil
		return nil
	}
	if t != bsontype.EmbeddedDocument {
		return c.mismatchError(t)
	}
	if !d.owned {
		owned, undo := d.copyRoot(b)
		defer d.restore(undo)
		b = owned
	}
	if d.opts.likeParent {
		defer d.enterAny(DocumentD)()
	}
	v, err := d.readDocument(b)
	if err != nil {
		return err
	}
	*toPointer[D](p) = v
	return nil
}

func decodeA(c *codec, d *decoder, t Type, b []byte, p address) error {
	if wire.IsNull(t) {
		*toPointer[A](p) = nil
		return nil
	}
	if t != bsontype.Array {
		return c.mismatchError(t)
	}
	if !d.owned {
		owned, undo := d.copyRoot(b)
		defer d.restore(undo)
		b = owned
	}
	v, err := d.readArray(b)
	if err != nil {
		return err
	}
	*toPointer[A](p) = v
	return nil
}

// decodeSlice reuses the memory of the slice if it is long enough.
func decodeSlice(c *codec, d *decoder, t Type, b []byte, p address) error {
	v := c.value(p)
	if wire.IsNull(t) {
		v.SetZero()
		return nil
	}
	if t != bsontype.Array {
		return c.mismatchError(t)
	}
	n, room := wire.CountElements(b), v.Cap()
	switch {
	case room >= n && !v.IsNil():
		v.SetLen(n)
		v.Clear()
	case n == 0:
		v.Set(reflect.MakeSlice(c.typ, 0, 0))
	default:
		if room > 0 {
			v.SetZero() // then Grow copies nothing
		}
		v.Grow(n) // unlike MakeSlice it does not allocate a header too
		v.SetLen(n)
	}
	list, _ := sliceAt(p)
	return c.decodeElements(d, b, list, n)
}

// decodeElements decodes an array into a list that has room for n elements.
func (c *codec) decodeElements(d *decoder, b []byte, list address, n int) error {
	if d.depth--; d.depth < 0 {
		return d.fail(b, ErrMaxDepth)
	}
	end, elem := len(b)-1, c.elem
	index := 0
	for i := 4; i < end; index++ {
		t, start := Type(b[i]), i
		k := wire.KeyEnd(b[:end], i+1)
		if k < 0 {
			return d.fail(b[start:], wire.ErrKeyEnd)
		}
		i = k + 1
		if t == c.want && index < n {
			if size := c.op.storeQuickly(d, b[i:end], elem.element(list, index)); size >= 0 {
				i += size
				continue
			}
		}
		size := wire.ValueSize(t, b[i:end])
		if size < 0 {
			return d.fail(b[i:], wire.ValueError(t, b[i:end])).prefixIndex(index)
		}
		if index >= n {
			return d.fail(b[i:], fmt.Errorf("the array has more than the %d elements of %v", n, c.typ))
		}
		if err := elem.decode(elem, d, t, b[i:i+size], elem.element(list, index)); err != nil {
			return d.fail(b[i:], err).prefixIndex(index)
		}
		i += size
	}
	d.depth++
	return nil
}

// decodeArray fills a Go array; what the BSON array does not reach becomes zero.
func decodeArray(c *codec, d *decoder, t Type, b []byte, p address) error {
	if t != bsontype.Array && !wire.IsNull(t) {
		return c.mismatchError(t)
	}
	c.value(p).SetZero()
	if wire.IsNull(t) {
		return nil
	}
	return c.decodeElements(d, b, arrayAt(p), c.typ.Len())
}

// decodeByteArray takes binary data of the plain subtypes, UUIDs if the array has their size, and arrays of numbers.
func decodeByteArray(c *codec, d *decoder, t Type, b []byte, p address) error {
	target := c.value(p).Bytes()
	if wire.IsNull(t) {
		clear(target)
		return nil
	}
	if t == bsontype.Array {
		return decodeArray(c, d, t, b, p)
	}
	if t != bsontype.Binary {
		return c.mismatchError(t)
	}
	subtype, data, ok := wire.SplitBinary(b)
	if !ok {
		return wire.ErrOldBinary
	}
	uuid := len(target) == 16 && (subtype == bsontype.BinaryUUID || subtype == bsontype.BinaryUUIDOld)
	if subtype != bsontype.BinaryGeneric && subtype != bsontype.BinaryOld && !uuid {
		return fmt.Errorf("cannot store binary data of subtype %d in %v", subtype, c.typ)
	}
	if len(data) > len(target) {
		return fmt.Errorf("cannot store %d bytes in %v", len(data), c.typ)
	}
	clear(target[copy(target, data):])
	return nil
}

// decodePointer decodes into what the pointer points to, and allocates that if there is nothing.
func decodePointer(c *codec, d *decoder, t Type, b []byte, p address) error {
	if wire.IsNull(t) {
		c.value(p).SetZero()
		return nil
	}
	if c.elem.mayCycle() {
		if d.depth--; d.depth < 0 {
			return ErrMaxDepth
		}
		defer func() { d.depth++ }()
	}
	if target := pointee(p); !isNilAddress(target) {
		return c.elem.decode(c.elem, d, t, b, target)
	}
	fresh := c.allocate()
	if t == c.want && c.op.storeQuickly(d, b, fresh) >= 0 {
		setPointee(p, fresh)
		return nil
	}
	if err := c.elem.decode(c.elem, d, t, b, fresh); err != nil {
		return err
	}
	setPointee(p, fresh)
	return nil
}

// allocate makes the value that a pointer points to. reflect.New looks for the pointer's type each time; strings, the
// most common case, go without.
func (c *codec) allocate() address {
	if c.elem.typ == typeString {
		return addressTo(new(string))
	}
	return addressAt(reflect.New(c.elem.typ))
}

// decodeInterface is for interfaces with methods. Nothing says what type to make, so they must hold a pointer already.
func decodeInterface(c *codec, d *decoder, t Type, b []byte, p address) error {
	v := c.value(p)
	if wire.IsNull(t) {
		v.SetZero()
		return nil
	}
	if !v.IsNil() {
		if done, err := d.decodeIntoPointer(v.Elem().Interface(), t, b); done {
			return err
		}
	}
	return c.mismatchError(t)
}
