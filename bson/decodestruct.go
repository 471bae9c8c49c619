package bson

import (
	"encoding/binary"
	"reflect"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// decodeStruct decodes into the fields that the document has, and leaves the others as they are.
func decodeStruct(c *codec, d *decoder, t Type, b []byte, p address) error {
	if t != bsontype.EmbeddedDocument && !wire.IsNull(t) {
		return c.mismatchError(t)
	}
	if wire.IsNull(t) || d.opts.zeroStructs {
		c.value(p).SetZero()
	}
	if wire.IsNull(t) {
		return nil
	}
	if err := d.enter(b); err != nil {
		return err
	}
	end := len(b) - 1
	fields, next := c.plan.decFields, 0
	for i := 4; i < end; {
		t, start := Type(b[i]), i
		i++
		// Most documents have their elements in the order of the fields, so the next field is tried before the table of
		// names.
		at, k := next, 0
		if at < len(fields) && fields[at].isAt(b[i:end]) {
			k = i + len(fields[at].name)
		} else {
			if k = wire.KeyEnd(b[:end], i); k < 0 {
				return d.fail(b[start:], wire.ErrKeyEnd)
			}
			at = c.plan.byName.Lookup(b[i:k])
		}
		i = k + 1
		if at >= 0 && t == fields[at].want {
			if n := fields[at].op.storeQuickly(d, b[i:end], fields[at].addressIn(p)); n >= 0 {
				next, i = at+1, i+n
				continue
			}
		}
		var err error
		key, n := b[start+1:k], wire.ValueSize(t, b[i:end])
		if n < 0 {
			return d.fail(b[i:], wire.ValueError(t, b[i:end])).prefixPath(string(key))
		}
		if at >= 0 {
			next = at + 1
			err = fields[at].decode(d, t, b[i:i+n], p)
		} else if c.plan.rest != nil {
			err = d.decodeRest(c.plan.rest, key, t, b[i:i+n], p)
		}
		if err != nil {
			return d.fail(b[i:], err).prefixPath(string(key))
		}
		i += n
	}
	d.depth++
	return nil
}

// isAt reports whether the name of the field and a zero byte are at the start of b.
func (e *decField) isAt(b []byte) bool {
	n := len(e.name)
	if len(b) < 8 || n >= len(b) {
		return n < len(b) && b[n] == 0 && string(b[:n]) == e.name
	}
	// A call to compare strings would cost more than all of this.
	return binary.LittleEndian.Uint64(b)&e.mask == e.head && (n < 8 || b[n] == 0 && string(b[8:n]) == e.name[8:])
}

// setName sets the name and what isAt looks at.
func (e *decField) setName(name string) {
	var head [8]byte
	copy(head[:], name)
	e.name, e.head, e.mask = name, binary.LittleEndian.Uint64(head[:]), ^uint64(0)
	if len(name) < 8 {
		e.mask >>= 8 * (7 - len(name))
	}
}

// storeQuickly stores the value at the start of b, which has the operation's own type, at an address. It returns the
// value's length, or -1 when it leaves the value to the codec, which also reports what is malformed.
func (op fieldOp) storeQuickly(d *decoder, b []byte, at address) (n int) {
	switch op {
	case opString:
		if len(b) < 5 || d.owned {
			return -1
		}
		n = int(wire.Int32(b)) + 4
		if n < 5 || n > len(b) || b[n-1] != 0 {
			return -1
		}
		s, valid := d.texts.String(b[4:n-1], len(d.root))
		if !valid {
			return -1
		}
		*toPointer[string](at) = s
		return n
	case opInt32:
		if len(b) >= 4 {
			*toPointer[int32](at) = wire.Int32(b)
			return 4
		}
	case opInt64:
		if len(b) >= 8 {
			*toPointer[int64](at) = wire.Int64(b)
			return 8
		}
	case opFloat64:
		if len(b) >= 8 {
			*toPointer[float64](at) = wire.Double(b)
			return 8
		}
	case opBool:
		if len(b) >= 1 && b[0] <= 1 {
			*toPointer[bool](at) = b[0] == 1
			return 1
		}
	case opObjectID:
		if len(b) >= 12 {
			*toPointer[ObjectID](at) = ObjectID(b[:12])
			return 12
		}
	case opTime:
		if len(b) >= 8 && !d.opts.localTime {
			*toPointer[time.Time](at) = time.UnixMilli(wire.Int64(b)).UTC()
			return 8
		}
	}
	return -1
}

// decode stores one element in its field of the struct at p.
func (e *decField) decode(d *decoder, t Type, b []byte, p address) error {
	if e.extra {
		return e.decodeExtra(d, t, b, p)
	}
	return e.codec.decode(e.codec, d, t, b, e.addressIn(p))
}

// decodeExtra follows pointers to inlined structs and obeys the tag truncate.
func (e *decField) decodeExtra(d *decoder, t Type, b []byte, p address) error {
	truncate := d.opts.truncate
	d.opts.truncate = truncate || e.field.truncate
	err := e.codec.decode(e.codec, d, t, b, e.field.reachNew(p))
	d.opts.truncate = truncate
	return err
}

// decodeRest decodes an element that no field takes into the inlined map.
func (d *decoder) decodeRest(rest *field, key []byte, t Type, b []byte, p address) error {
	c := rest.codec
	m := c.value(rest.reachNew(p))
	if m.IsNil() {
		m.Set(reflect.MakeMap(c.typ))
	}
	put := c.newMapPut()
	return put.put(d, m, key, t, b)
}
