package bson

import (
	"reflect"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/static"
	"github.com/specdrivers/onion/generated/bsontype"
)

// staticMethods is implemented by types whose methods AppendBSON and DecodeBSON were written by bsongen. Those methods do
// what the codec of the type does without options, only faster.
type staticMethods interface{ BSONStatic() static.Info }

// useStatic lets the type's generated methods do what they can: they know no options and count levels from zero.
func (c *codec) useStatic() {
	if c.static == nil {
		return
	}
	c.dynamicEncode, c.dynamicDecode = c.encode, c.decode
	c.encode, c.decode = encodeStatic, decodeStatic
	c.customEncode, c.customDecode = true, true
}

// staticInfo returns what the generated methods of t do, nil if there are none. Inherited methods do not count: they are
// those of the embedded type.
func staticInfo(t reflect.Type) *static.Info {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(typeStaticMethods) {
		return nil
	}
	info := reflect.New(t).Interface().(staticMethods).BSONStatic()
	if info.Type != t {
		return nil
	}
	return &info
}

// staticFits reports whether the limit of nesting cannot be reached within a value of the type.
func (c *codec) staticFits(levels int) bool {
	if c.static.Depth == 0 {
		return levels == DefaultMaxDepth
	}
	return levels >= c.static.Depth
}

func encodeStatic(c *codec, f encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error) {
	if f.plain() && c.staticFits(f.levels()) {
		return appendAppender(dst, c.pointerTo(p).(Appender))
	}
	return c.dynamicEncode(c, f, dst, p)
}

func decodeStatic(c *codec, d *decoder, t Type, b []byte, p unsafe.Pointer) error {
	if t == bsontype.EmbeddedDocument && d.plain && !d.opts.AllowTruncatingDoubles && c.staticFits(d.depth) {
		return d.foreign(b, c.pointerTo(p).(DocumentDecoder).DecodeBSON(Raw(b[:len(b):len(b)])))
	}
	return c.dynamicDecode(c, d, t, b, p)
}

// isStatic reports whether v may have generated methods. Then its codec decides whether the options allow them.
func isStatic(v any) bool {
	_, ok := v.(staticMethods)
	return ok
}
