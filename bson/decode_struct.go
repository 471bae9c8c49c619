package bson

import (
	"reflect"
	"unsafe"

	"github.com/specdrivers/onion/generated/bsontype"
)

// decodeStruct leaves fields alone that the document does not have.
func decodeStruct(c *codec, d *decoder, t Type, b []byte, p unsafe.Pointer) error {
	if t != bsontype.EmbeddedDocument && !isNull(t) {
		return c.mismatch(t)
	}
	if isNull(t) || d.opts.ZeroStructs {
		reflect.NewAt(c.typ, p).Elem().SetZero()
	}
	if isNull(t) {
		return nil
	}
	if err := d.enter(b); err != nil {
		return err
	}
	end, err := documentBody(b)
	if err != nil {
		return d.fail(b, err)
	}
	fields, next := c.plan.fields, 0
	for i := 4; i < end; {
		t, start := Type(b[i]), i
		i++
		// Documents mostly have their elements in the order of the fields.
		at, k := next, 0
		if at < len(fields) && fields[at].isAt(b[i:end]) {
			k = i + len(fields[at].name)
		} else {
			if k = keyEnd(b[:end], i); k < 0 {
				return d.fail(b[start:], errKeyEnd)
			}
			at = c.plan.byName.lookup(fields, b[i:k])
		}
		key := b[i:k]
		i = k + 1
		n := valueSize(t, b[i:end])
		if n < 0 {
			return d.fail(b[start:], valueError(t, b[i:end])).under(string(key))
		}
		if at >= 0 {
			next = at + 1
			err = d.field(&fields[at], t, b[i:i+n], p)
		} else if c.plan.rest != nil {
			err = d.restElement(c.plan.rest, key, t, b[i:i+n], p)
		}
		if err != nil {
			return d.fail(b[start:], err).under(string(key))
		}
		i += n
	}
	d.depth++
	return nil
}

// isAt reports whether the name of the field and a zero byte are at the start of b.
func (fd *field) isAt(b []byte) bool {
	n := len(fd.name)
	return n < len(b) && b[n] == 0 && string(b[:n]) == fd.name
}

// field decodes one element into its field of the struct at p.
func (d *decoder) field(fd *field, t Type, b []byte, p unsafe.Pointer) error {
	at := unsafe.Add(p, fd.offset)
	if fd.hops != nil {
		at = fd.reachNew(p)
	}
	if fd.truncate && !d.opts.AllowTruncatingDoubles {
		d.opts.AllowTruncatingDoubles = true
		defer func() { d.opts.AllowTruncatingDoubles = false }()
	}
	return fd.codec.decode(fd.codec, d, t, b, at)
}

// restElement decodes an element that no field takes into the inlined map.
func (d *decoder) restElement(rest *field, key []byte, t Type, b []byte, p unsafe.Pointer) error {
	c := rest.codec
	m := reflect.NewAt(c.typ, rest.reachNew(p)).Elem()
	if m.IsNil() {
		m.Set(reflect.MakeMap(c.typ))
	}
	put := c.newMapPut()
	return put.element(d, m, key, t, b)
}
