package compare_test

import (
	"bytes"
	"cmp"
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func decimal(t testing.TB, s string) bson.RawValue {
	t.Helper()
	d, ok := number.ParseDecimal(s)
	if !ok {
		t.Fatalf("no decimal: %s", s)
	}
	return d.Value()
}

// ascendingValues lists values in order; those of one line are equal.
func ascendingValues(t testing.TB) [][]bson.RawValue {
	t.Helper()
	doc := func(kv ...any) bson.RawValue {
		d, err := bson.Marshal(bson.Doc(kv...))
		if err != nil {
			t.Fatal(err)
		}
		return value.Document(d)
	}
	raw := func(v any) bson.RawValue {
		typ, b, err := bson.AppendValue(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		return bson.RawValue{Type: typ, Value: b}
	}
	return [][]bson.RawValue{
		{{Type: bsontype.MinKey}},
		{{Type: bsontype.Undefined}},
		{value.Null},
		{value.Double(math.NaN()), decimal(t, "NaN")},
		{value.Double(math.Inf(-1)), decimal(t, "-Infinity")},
		{decimal(t, "-1E+6000")},
		{value.Double(-math.MaxFloat64)},
		{decimal(t, "-1E+300")},
		{value.Int64(math.MinInt64), value.Double(-1 << 63)},
		{value.Int64(math.MinInt64 + 1)},
		{value.Int32(-5), value.Int64(-5), value.Double(-5), decimal(t, "-5.00")},
		{decimal(t, "-0.1000000000000000055511151231257828")},
		{decimal(t, "-0.1")},
		{decimal(t, "-1E-6000")},
		{value.Int32(0), value.Double(0), value.Double(math.Copysign(0, -1)), decimal(t, "0E+5"), decimal(t, "-0")},
		{decimal(t, "1E-6100")},
		{decimal(t, "1E-6000")},
		{value.Double(5e-324)},
		{decimal(t, "0.1")},
		{value.Double(0.1)},
		{decimal(t, "0.1000000000000000055511151231257828")},
		{value.Int32(1), value.Int64(1), decimal(t, "1")},
		{value.Double(1.5), decimal(t, "1.5")},
		{value.Int32(2)},
		{value.Double(1 << 53), value.Int64(1 << 53)},
		{value.Int64(1<<53 + 1), decimal(t, "9007199254740993")},
		{value.Int64(math.MaxInt64), decimal(t, "9223372036854775807")},
		{value.Double(1 << 63)},
		{decimal(t, "1E+6000")},
		{decimal(t, "2E+6000")},
		{value.Double(math.Inf(1)), decimal(t, "Infinity")},
		{value.String("")},
		{value.String("a"), raw(bson.Symbol("a"))},
		{value.String("a\x00")},
		{value.String("a\x00b")},
		{value.String("ab")},
		{value.String("b")},
		{doc()},
		{doc("a", 1)},
		{doc("a", 1, "b", 1)},
		{doc("a", 2)},
		{doc("b", 1)},
		{doc("a", "x")},
		{value.ArrayOf()},
		{value.ArrayOf(value.Int32(1))},
		{value.ArrayOf(value.Int32(1), value.Int32(1))},
		{value.ArrayOf(value.Int32(2))},
		{value.ArrayOf(value.String("a"))},
		{raw(bson.Binary{Subtype: 0, Data: []byte{9}})},
		{raw(bson.Binary{Subtype: 5, Data: []byte{1}})},
		{raw(bson.Binary{Subtype: 0, Data: []byte{1, 2}})},
		{value.ObjectID(bson.ObjectID{1})},
		{value.ObjectID(bson.ObjectID{2})},
		{value.Bool(false)},
		{value.Bool(true)},
		{value.DateTime(-1)},
		{value.DateTime(0)},
		{value.DateTime(1)},
		{value.Timestamp(1, 2)},
		{value.Timestamp(2, 1)},
		{raw(bson.Regex{Pattern: "a"})},
		{raw(bson.Regex{Pattern: "a", Options: "i"})},
		{raw(bson.Regex{Pattern: "b"})},
		{raw(bson.JavaScript("a"))},
		{raw(bson.JavaScript("b"))},
		{{Type: bsontype.MaxKey}},
	}
}

// TestOrderAndKeysAgree checks every pair by comparison and by encoded key.
func TestOrderAndKeysAgree(t *testing.T) {
	lists := ascendingValues(t)
	for i, as := range lists {
		for j, bs := range lists {
			for _, a := range as {
				for _, b := range bs {
					want := cmp.Compare(i, j)
					if got := sign(compare.Values(a, b, nil)); got != want {
						t.Errorf("Values(%s, %s) = %d, want %d", a, b, got, want)
					}
					x, y := compare.AppendKey(nil, a, nil), compare.AppendKey(nil, b, nil)
					if got := bytes.Compare(x, y); got != want {
						t.Errorf("keys of %s, %s: %d, want %d\n%x\n%x", a, b, got, want, x, y)
					}
					if i != j && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
						t.Errorf("the key of one is a prefix of the other: %s, %s", a, b)
					}
					compare.Invert(x)
					compare.Invert(y)
					if got := bytes.Compare(x, y); got != -want {
						t.Errorf("descending keys of %s, %s: %d, want %d", a, b, got, -want)
					}
				}
			}
		}
	}
}

func sign(n int) int { return cmp.Compare(n, 0) }

func TestCollation(t *testing.T) {
	spec := func(kv ...any) bson.Raw {
		d, err := bson.Marshal(bson.Doc(kv...))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name string
		spec bson.Raw
		a, b string
		want int
	}{
		{"simple", spec("locale", "simple"), "B", "a", -1},
		{"language order", spec("locale", "en"), "B", "a", 1},
		{"strength 3 tells case", spec("locale", "en"), "a", "A", -1},
		{"strength 2 ignores case", spec("locale", "en_US", "strength", 2), "ping", "PING", 0},
		{"strength 2 tells accents", spec("locale", "fr", "strength", 2), "cote", "coté", -1},
		{"strength 1 ignores accents", spec("locale", "fr", "strength", 1), "cote", "COTÉ", 0},
		{"numeric", spec("locale", "en", "numericOrdering", true), "a10", "a9", 1},
		{"not numeric", spec("locale", "en"), "a10", "a9", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := collate.New(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := sign(compare.Values(value.String(tt.a), value.String(tt.b), c)); got != tt.want {
				t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
	for _, bad := range []bson.Raw{spec("strength", 2), spec("locale", "en", "strength", 9), spec("locale", "en", "foo", 1)} {
		if _, err := collate.New(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
