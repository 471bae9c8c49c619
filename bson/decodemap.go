package bson

import (
	"reflect"

	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// decodeM is for maps with the memory layout of a map[string]any.
func decodeM(c *codec, d *decoder, t Type, b []byte, p address) error {
	target := toPointer[map[string]any](p)
	if wire.IsNull(t) {
		*target = nil
		return nil
	}
	if t != bsontype.EmbeddedDocument {
		return c.mismatchError(t)
	}
	if d.opts.zeroMaps {
		clear(*target)
	}
	if !d.owned {
		owned, undo := d.copyRoot(b)
		defer d.restore(undo)
		b = owned
	}
	if d.opts.likeParent {
		kind := DocumentMap
		if c.typ == reflect.TypeFor[M]() {
			kind = DocumentM
		}
		defer d.enterAny(kind)()
	}
	m, err := d.readMap(b, *target)
	if err != nil {
		return err
	}
	*target = m
	return nil
}

// decodeMap adds to the map what the document has.
func decodeMap(c *codec, d *decoder, t Type, b []byte, p address) error {
	m := c.value(p)
	if wire.IsNull(t) {
		m.SetZero()
		return nil
	}
	if t != bsontype.EmbeddedDocument {
		return c.mismatchError(t)
	}
	if d.opts.zeroMaps {
		m.Clear()
	}
	if err := d.enter(b); err != nil {
		return err
	}
	if m.IsNil() {
		m.Set(reflect.MakeMapWithSize(c.typ, min(wire.CountElements(b), arena.MaxSlab)))
	}
	end, put := len(b)-1, c.newMapPut()
	for i := 4; i < end; {
		t, start := Type(b[i]), i
		k := wire.KeyEnd(b[:end], i+1)
		if k < 0 {
			return d.fail(b[start:], wire.ErrKeyEnd)
		}
		key := b[i+1 : k]
		i = k + 1
		n := wire.ValueSize(t, b[i:end])
		if n < 0 {
			return d.fail(b[i:], wire.ValueError(t, b[i:end])).prefixPath(string(key))
		}
		if err := put.put(d, m, key, t, b[i:i+n]); err != nil {
			return d.fail(b[i:], err).prefixPath(string(key))
		}
		i += n
	}
	d.depth++
	return nil
}

// mapPut holds the key and the value that go into a map next. One serves for all elements, because reflect allocates
// each.
type mapPut struct {
	c    *codec
	key  reflect.Value
	elem reflect.Value // a pointer
}

func (c *codec) newMapPut() mapPut {
	return mapPut{c: c, key: reflect.New(c.typ.Key()).Elem(), elem: reflect.New(c.typ.Elem())}
}

// put decodes one element and stores it in m.
func (p *mapPut) put(d *decoder, m reflect.Value, key []byte, t Type, b []byte) error {
	if !d.checkText(key) {
		return wire.ErrKeyText
	}
	p.key.SetZero()
	p.elem.Elem().SetZero()
	if err := p.c.keys.decode(d.ownString(key), p.key); err != nil {
		return err
	}
	if err := p.c.elem.decode(p.c.elem, d, t, b, addressAt(p.elem)); err != nil {
		return err
	}
	m.SetMapIndex(p.key, p.elem.Elem())
	return nil
}
