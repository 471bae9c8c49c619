package bson

import (
	"github.com/specdrivers/onion/generated/bsontype"
)

// staticFits reports whether the generated methods would keep to the limit of nesting. They know the default limit only, and a
// type of a fixed depth needs none.
func (c *codec) staticFits(levels int) bool {
	if c.static.Depth == 0 {
		return levels == DefaultMaxDepth
	}
	return levels >= c.static.Depth
}

func encodeStatic(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
	if f.hasNoOptions() && c.staticFits(f.levels()) {
		return appendAppender(dst, c.pointerTo(p).(DocumentAppender))
	}
	return c.dynamicEncode(c, f, dst, p)
}

func decodeStatic(c *codec, d *decoder, t Type, b []byte, p address) error {
	if t == bsontype.EmbeddedDocument && d.plain && !d.opts.truncate && c.staticFits(d.depth) {
		return d.placeError(b, c.pointerTo(p).(DocumentDecoder).DecodeBSON(Raw(b[:len(b):len(b)])))
	}
	return c.dynamicDecode(c, d, t, b, p)
}

// isStatic reports whether v may have generated methods. If so, the codec decides whether the options allow them.
func isStatic(v any) bool {
	_, ok := v.(staticMethods)
	return ok
}
