package compare_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// generator makes random values that are often equal or close to each other.
type generator struct {
	*rand.Rand
	t testing.TB
}

func (g generator) number() bson.RawValue {
	near := []float64{0, 1, -1, 2, 0.1, 1 << 53, 1 << 62, 1 << 63, -1 << 63, 1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
	f := near[g.IntN(len(near))]
	switch g.IntN(4) {
	case 0:
		return value.Int32(int32(g.IntN(5)) - 2)
	case 1:
		return value.Int64(int64(max(-1<<63, min(f, 1<<62))) + int64(g.IntN(3)) - 1)
	case 2:
		return value.Double(f)
	}
	texts := []string{"0", "-0", "1", "1.0", "0.1", "0.10000000000000000555", "9007199254740993", "9223372036854775807", "1E+6000", "-1E-6000", "NaN", "Infinity", "-Infinity", "4.940656458412465441765687928682214E-324"}
	return decimal(g.t, texts[g.IntN(len(texts))])
}

func (g generator) text() string {
	return string([]byte{"ab\x00"[g.IntN(3)], "ab\x00\xff"[g.IntN(4)], 'c'}[:g.IntN(4)])
}

func (g generator) value(depth int) bson.RawValue {
	kinds := 14
	if depth > 2 {
		kinds = 12
	}
	switch g.IntN(kinds) {
	case 0, 1, 2:
		return g.number()
	case 3:
		return value.String(g.text())
	case 4:
		return bson.RawValue{Type: []bsontype.Type{bsontype.Null, bsontype.Undefined, bsontype.MinKey, bsontype.MaxKey}[g.IntN(4)]}
	case 5:
		return value.Bool(g.IntN(2) == 0)
	case 6:
		return value.DateTime(int64(g.IntN(3)) - 1)
	case 7:
		return value.Timestamp(uint32(g.IntN(2)), uint32(g.IntN(2)))
	case 8:
		return value.ObjectID(bson.ObjectID{byte(g.IntN(2)), 11: byte(g.IntN(2))})
	case 9:
		data := []byte(g.text())
		b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(data))), []byte{0, 5}[g.IntN(2)])
		return bson.RawValue{Type: bsontype.Binary, Value: append(b, data...)}
	case 10:
		return bson.RawValue{Type: bsontype.Regex, Value: []byte([]string{"a\x00\x00", "a\x00i\x00", "\x00\x00"}[g.IntN(3)])}
	case 11:
		v := value.String(g.text())
		v.Type = []bsontype.Type{bsontype.Symbol, bsontype.JavaScript}[g.IntN(2)]
		return v
	case 12:
		var list []bson.RawValue
		for range g.IntN(3) {
			list = append(list, g.value(depth+1))
		}
		return value.ArrayOf(list...)
	}
	d, start := bson.AppendDocumentStart(nil)
	for range g.IntN(3) {
		d = bson.AppendRawValueElement(d, []string{"a", "b", "", "ab"}[g.IntN(4)], g.value(depth+1))
	}
	return value.Document(bson.AppendDocumentEnd(d, start))
}

// TestOrderIsTotal compares random values: the order is the same from both sides, has no cycles, and is that of the keys.
func TestOrderIsTotal(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 1)), t}
	for range 60_000 {
		a, b, c := g.value(0), g.value(0), g.value(0)
		ab, bc, ac := sign(compare.Values(a, b, nil)), sign(compare.Values(b, c, nil)), sign(compare.Values(a, c, nil))
		if ba := sign(compare.Values(b, a, nil)); ba != -ab {
			t.Fatalf("%s to %s is %d, and the other way %d", a, b, ab, ba)
		}
		if compare.Values(a, a, nil) != 0 {
			t.Fatalf("%s is not equal to itself", a)
		}
		if ab == bc && ab != ac || ab == 0 && bc != ac || bc == 0 && ab != ac {
			t.Fatalf("%s, %s, %s: %d, %d, but %d", a, b, c, ab, bc, ac)
		}
		x, y := compare.AppendKey(nil, a, nil), compare.AppendKey(nil, b, nil)
		if k := bytes.Compare(x, y); k != ab {
			t.Fatalf("%s to %s is %d, their keys %d", a, b, ab, k)
		}
		if ab != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
			t.Fatalf("the key of one begins with that of the other: %s, %s", a, b)
		}
	}
}
