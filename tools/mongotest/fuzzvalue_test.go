package mongotest

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// anyDocument returns a document to store.
func (m *maker) anyDocument() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range m.n(4) {
			dst = bson.AppendRawValueElement(dst, m.path(), m.value())
		}
		return dst
	})
}

var doubles = []float64{0, 1.5, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, math.Copysign(0, -1), 1 << 53, 4.9e-324, -9.3e18}

var integers = []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt32 + 1, 64, 1e15}

var texts = []string{"", "text", "$a", "$$ROOT", "a.b", "2020-01-01T00:00:00Z", "%Y-%m-%d", "Europe/Paris", "+25:00", "(", "é\u0301", "day", "\x00"}

// value makes a value of any type.
func (m *maker) value() bson.RawValue { return m.valueOf(m.n(24)) }

func (m *maker) valueOf(kind int) bson.RawValue {
	if m.depth > 14 && kind > 20 {
		kind = 0
	}
	word := func(t bson.Type, n uint64) bson.RawValue {
		return bson.RawValue{Type: t, Value: binary.LittleEndian.AppendUint64(nil, n)}
	}
	switch kind {
	case 0, 1:
		return number(int32(int8(m.n(256))))
	case 2:
		return number(pick(m, []int32{math.MaxInt32, math.MinInt32, 100, 1 << 20}))
	case 3:
		return word(bsontype.Int64, uint64(pick(m, integers)))
	case 4:
		return word(bsontype.Double, math.Float64bits(pick(m, doubles)))
	case 5, 6:
		return text(pick(m, texts))
	case 7, 8:
		return bson.RawValue{Type: bsontype.Boolean, Value: []byte{byte(m.n(2))}}
	case 9:
		return bson.RawValue{Type: bsontype.Null}
	case 10:
		return word(bsontype.DateTime, uint64(pick(m, integers)))
	case 11:
		return word(bsontype.Timestamp, uint64(pick(m, integers)))
	case 12:
		return bson.RawValue{Type: bsontype.ObjectID, Value: []byte("0123456789ab")}
	case 13:
		return bson.RawValue{Type: bsontype.Decimal128, Value: m.bytes(16)}
	case 14:
		return bson.RawValue{Type: bsontype.Regex, Value: []byte(pick(m, []string{"a\x00i\x00", "(\x00\x00", "^t\x00imsx\x00", "\x00q\x00"}))}
	case 15:
		n := m.n(20)
		return bson.RawValue{Type: bsontype.Binary, Value: append([]byte{byte(n), 0, 0, 0, pick(m, []byte{0, 4, 9, 128})}, m.bytes(n)...)}
	case 16:
		return bson.RawValue{Type: pick(m, []bson.Type{bsontype.MinKey, bsontype.MaxKey, bsontype.Undefined})}
	case 17:
		return bson.RawValue{Type: pick(m, []bson.Type{bsontype.JavaScript, bsontype.Symbol}), Value: text("x").Value}
	case 18:
		return text(pick(m, m.options))
	case 19:
		return text("$" + m.path())
	case 20:
		return bson.RawValue{Type: bsontype.DBPointer, Value: append(text("db.c").Value, "0123456789ab"...)}
	case 21, 22:
		return m.array(3, m.value)
	}
	return m.document(func(dst []byte) []byte {
		for range m.n(3) {
			key := pick(m, pick(m, [][]string{paths, m.options, m.expressions}))
			v, ok := m.short(key)
			if !ok {
				v = m.value()
			}
			dst = bson.AppendRawValueElement(dst, key, v)
		}
		return dst
	})
}

func (m *maker) bytes(n int) []byte {
	b := make([]byte, n)
	m.data = m.data[copy(b, m.data):]
	return b
}

func appendArray(dst []byte, values []bson.RawValue) ([]byte, error) {
	dst, start := bson.AppendDocumentStart(dst)
	for i, v := range values {
		dst = bson.AppendRawValueElement(dst, strconv.Itoa(i), v)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func text(s string) bson.RawValue {
	v := binary.LittleEndian.AppendUint32(nil, uint32(len(s)+1))
	return bson.RawValue{Type: bsontype.String, Value: append(append(v, s...), 0)}
}

func number(n int32) bson.RawValue {
	return bson.RawValue{Type: bsontype.Int32, Value: binary.LittleEndian.AppendUint32(nil, uint32(n))}
}
