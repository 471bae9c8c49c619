package compare

import (
	"encoding/binary"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
)

// end terminates a document or an array inside a key. It sorts below every class.
const end = 0x01

// The marks after a number's nearest double: the number is below it, equal to it, or above it.
const (
	below = 0x40
	exact = 0x80
	above = 0xC0
)

// AppendKey appends bytes that bytes.Compare sorts in the order of the values. No key is a prefix of another, so the
// keys of several fields can be concatenated.
func AppendKey(dst []byte, v bson.RawValue, c *collate.Collator) []byte {
	class := ClassOf(v.Type)
	dst = append(dst, byte(class))
	switch class {
	case ClassNumber:
		return appendNumber(dst, v)
	case ClassString:
		if c == nil {
			return appendText(dst, text(v))
		}
		return appendText(dst, string(c.AppendKey(nil, text(v))))
	case ClassDocument:
		return appendDocument(dst, bson.Raw(v.Value), c)
	case ClassArray:
		for _, e := range bson.Raw(v.Value).All() {
			dst = AppendKey(dst, e, c)
		}
		return append(dst, end)
	case ClassBinary:
		subtype, data, _ := v.BinaryOK()
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
		return append(append(dst, subtype), data...)
	case ClassObjectID, ClassBoolean:
		return append(dst, v.Value...)
	case ClassDateTime:
		n, _ := v.DateTimeOK()
		return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63)
	case ClassTimestamp:
		return binary.BigEndian.AppendUint64(dst, word(v))
	}
	return appendRare(dst, class, v)
}

func appendRare(dst []byte, class Class, v bson.RawValue) []byte {
	switch class {
	case ClassRegex:
		pattern, options, _ := v.RegexOK()
		return appendText(appendText(dst, pattern), options)
	case ClassDBPointer:
		p, _ := v.DBPointerOK()
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(p.DB)))
		return append(append(dst, p.DB...), p.Pointer[:]...)
	case ClassJavaScript:
		code, _ := v.JavaScriptOK()
		return appendText(dst, string(code))
	case ClassCodeWithScope:
		code, scope, _ := v.CodeWithScopeOK()
		return appendDocument(appendText(dst, string(code)), scope, nil)
	}
	return dst
}

func appendDocument(dst []byte, d bson.Raw, c *collate.Collator) []byte {
	for key, v := range d.All() {
		dst = append(dst, byte(ClassOf(v.Type)))
		dst = appendText(dst, key)
		dst = AppendKey(dst, v, c)
	}
	return append(dst, end)
}

// appendText escapes zero bytes. That way the terminator, a zero and a one, sorts a prefix first.
func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if dst = append(dst, s[i]); s[i] == 0 {
			dst = append(dst, 0xFF)
		}
	}
	return append(dst, 0, 1)
}

func appendNumber(dst []byte, v bson.RawValue) []byte {
	o := number.OrderOf(v)
	bits := math.Float64bits(o.Nearest)
	switch {
	case math.IsNaN(o.Nearest):
		bits = 0
	case o.Nearest == 0:
		bits = 1 << 63
	case bits>>63 == 1:
		bits = ^bits
	default:
		bits |= 1 << 63
	}
	dst = binary.BigEndian.AppendUint64(dst, bits)
	switch {
	case o.Side == 0:
		return append(dst, exact)
	case o.Side < 0:
		dst = append(dst, below)
	default:
		dst = append(dst, above)
	}
	from := len(dst)
	dst = o.Decimal.AppendDigits(dst)
	if o.Decimal.Neg {
		Invert(dst[from:])
	}
	return dst
}

// Invert turns an ascending key into a descending one, in place.
func Invert(key []byte) {
	for i := range key {
		key[i] = ^key[i]
	}
}
