package bson

import (
	"fmt"
	"unsafe"

	"github.com/specdrivers/onion/generated/bsontype"
)

func encodeStruct(c *codec, f encFlags, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	f, err := f.deeper()
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	fields := c.plan.fields
	for i := range fields {
		fd := &fields[i]
		at := unsafe.Add(p, fd.offset)
		if fd.hops != nil {
			if at = fd.reach(p); at == nil {
				continue
			}
		}
		fc := fd.codec
		if (fd.omitEmpty || f.has(encOmitEmpty)) && fc.empty(fc, f, at) || fd.omitZero && fc.isZero(at) {
			continue
		}
		ff := f
		if fd.minSize {
			ff |= encMinSize
		}
		header := len(dst)
		dst = append(dst, fd.header...)
		var t Type
		if dst, t, err = fc.encode(fc, ff, dst, at); err != nil {
			return dst, 0, encodeErrorUnder(fd.name, err)
		}
		dst[header] = byte(t)
	}
	if c.plan.rest != nil {
		if dst, err = c.encodeRest(f, dst, p); err != nil {
			return dst, 0, err
		}
	}
	dst = append(dst, 0)
	putLength(dst[start:])
	return dst, bsontype.EmbeddedDocument, nil
}

// encodeRest appends the elements of the inlined map. Its keys must not be those of fields.
func (c *codec) encodeRest(f encFlags, dst []byte, p unsafe.Pointer) ([]byte, error) {
	rest := c.plan.rest
	at := rest.reach(p)
	if at == nil {
		return dst, nil
	}
	start := len(dst)
	dst, err := rest.codec.encodeMapElements(f, dst, at)
	if err != nil {
		return dst, err
	}
	for i := start; i < len(dst); {
		k := keyEnd(dst, i+1)
		if key := dst[i+1 : k]; c.plan.byName.find(c.plan.fields, key) >= 0 {
			return dst, encodeErrorUnder(string(key), fmt.Errorf("the inlined map has the key of a field of %v", c.typ))
		}
		i = k + 1 + valueSize(Type(dst[i]), dst[k+1:])
	}
	return dst, nil
}
