package number_test

import (
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func dec(t testing.TB, s string) bson.RawValue {
	t.Helper()
	d, ok := number.ParseDecimal(s)
	if !ok {
		t.Fatalf("no decimal: %s", s)
	}
	return d.Value()
}

func show(v bson.RawValue) string { return v.Type.String() + " " + status.TextOf(v) }

func TestArithmetic(t *testing.T) {
	add := func(a, b bson.RawValue) bson.RawValue { v, _ := number.Add(a, b); return v }
	sub := func(a, b bson.RawValue) bson.RawValue { v, _ := number.Subtract(a, b); return v }
	mul := func(a, b bson.RawValue) bson.RawValue { v, _ := number.Multiply(a, b); return v }
	tests := []struct {
		name      string
		got, want bson.RawValue
	}{
		{"int and int", add(value.Int32(1), value.Int32(2)), value.Int32(3)},
		{"int overflow", add(value.Int32(math.MaxInt32), value.Int32(1)), value.Int64(1 << 31)},
		{"int and long", add(value.Int32(1), value.Int64(2)), value.Int64(3)},
		{"int and double", add(value.Int32(1), value.Double(0.5)), value.Double(1.5)},
		{"decimal and int", add(dec(t, "0.10"), value.Int32(1)), dec(t, "1.10")},
		{"decimal and double", add(dec(t, "1"), value.Double(0.1)), dec(t, "1.100000000000000")},
		{"decimals of far apart exponents", add(dec(t, "1E+30"), dec(t, "1")), dec(t, "1000000000000000000000000000001")},
		{"rounding to 34 digits", add(dec(t, "1E+34"), dec(t, "1")), dec(t, "1.000000000000000000000000000000000E+34")},
		{"decimal infinities cancel", sub(dec(t, "Infinity"), dec(t, "Infinity")), dec(t, "NaN")},
		{"long overflow gives a double", sub(value.Int64(math.MinInt64), value.Int64(1)), value.Double(-1 << 63)},
		{"multiply ints", mul(value.Int32(1<<20), value.Int32(1<<20)), value.Int64(1 << 40)},
		{"multiply decimals", mul(dec(t, "1.5"), dec(t, "-2.0")), dec(t, "-3.00")},
		{"multiply to the least long", mul(value.Int64(-1<<62), value.Int64(2)), value.Int64(math.MinInt64)},
		{"divide ints", number.Divide(value.Int32(7), value.Int32(2)), value.Double(3.5)},
		{"divide decimals exactly", number.Divide(dec(t, "3"), dec(t, "2")), dec(t, "1.5")},
		{"divide decimals with rounding", number.Divide(dec(t, "2"), dec(t, "3")), dec(t, "0.6666666666666666666666666666666667")},
		{"remainder", number.Mod(value.Int32(-7), value.Int32(3)), value.Int32(-1)},
		{"remainder of the least long", number.Mod(value.Int64(math.MinInt64), value.Int32(-1)), value.Int64(0)},
		{"remainder of decimals", number.Mod(dec(t, "7.5"), dec(t, "2")), dec(t, "1.5")},
		{"round to even", number.Round(dec(t, "2.5"), 0, number.HalfEven), dec(t, "2")},
		{"round a double by its exact value", number.Round(value.Double(1.005), 2, number.HalfEven), value.Double(1)},
		{"round an int", number.Round(value.Int32(1250), -2, number.HalfEven), value.Int32(1200)},
		{"truncate", number.Round(dec(t, "-1.79"), 1, number.TowardZero), dec(t, "-1.7")},
		{"ceiling", number.Round(dec(t, "-1.79"), 0, number.Up), dec(t, "-1")},
		{"floor", number.Round(dec(t, "-1.2"), 0, number.Down), dec(t, "-2")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if show(tt.got) != show(tt.want) {
				t.Errorf("got %s, want %s", show(tt.got), show(tt.want))
			}
		})
	}
}

func TestOverflowIsReported(t *testing.T) {
	most := value.Int64(math.MaxInt64)
	if _, overflow := number.Add(most, value.Int32(1)); !overflow {
		t.Error("Add does not report the overflow")
	}
	if _, overflow := number.Multiply(most, value.Int32(2)); !overflow {
		t.Error("Multiply does not report the overflow")
	}
	if _, overflow := number.Subtract(value.Int32(0), value.Int64(math.MinInt64)); !overflow {
		t.Error("Subtract does not report the overflow")
	}
	if _, overflow := number.Add(most, value.Int32(0)); overflow {
		t.Error("Add reports an overflow that is none")
	}
}

func TestWhole(t *testing.T) {
	tests := []struct {
		v    bson.RawValue
		want int64
		ok   bool
	}{
		{value.Int32(5), 5, true}, {value.Double(5), 5, true}, {value.Double(5.5), 0, false}, {dec(t, "5.00"), 5, true},
		{dec(t, "5.01"), 0, false}, {dec(t, "1E+18"), 1e18, true}, {dec(t, "1E+19"), 0, false}, {value.Double(math.NaN()), 0, false},
		{value.String("5"), 0, false}, {bson.RawValue{Type: bsontype.Null}, 0, false},
	}
	for _, tt := range tests {
		n, ok := number.ExactInt64(tt.v)
		if ok != tt.ok || ok && n != tt.want {
			t.Errorf("%s: got %d, %v, want %d, %v", show(tt.v), n, ok, tt.want, tt.ok)
		}
	}
}

// The expected digits come from tables of these functions.
func TestCurvesOfDecimals(t *testing.T) {
	for _, c := range []struct {
		name, x, want string
		f             func(float64) float64
	}{
		{"$sin", "1", "0.8414709848078965066525023216302990", math.Sin},
		{"$sin", "-100.5", "0.03095996678327134474297531253373935", math.Sin},
		{"$cos", "1", "0.5403023058681397174009366074429766", math.Cos},
		{"$cos", "0", "1", math.Cos},
		{"$tan", "1", "1.557407724654902230506974807458360", math.Tan},
		{"$asin", "0.5", "0.5235987755982988730771072305465838", math.Asin},
		{"$asin", "-1", "-1.570796326794896619231321691639751", math.Asin},
		{"$acos", "0.5", "1.047197551196597746154214461093168", math.Acos},
		{"$atan", "1", "0.7853981633974483096156608458198757", math.Atan},
		{"$atan", "-20", "-1.520837931072953857821315404604907", math.Atan},
		{"$sinh", "1", "1.175201193643801456882381850595601", math.Sinh},
		{"$cosh", "1", "1.543080634815243778477905620757062", math.Cosh},
		{"$tanh", "1", "0.7615941559557648881194582826047936", math.Tanh},
		{"$asinh", "1", "0.8813735870195430252326093249797923", math.Asinh},
		{"$acosh", "2", "1.316957896924816708625046347307968", math.Acosh},
		{"$atanh", "0.5", "0.5493061443340548456976226184612629", math.Atanh},
		{"$sinh", "Infinity", "Infinity", math.Sinh},
		{"$sin", "NaN", "NaN", math.Sin},
	} {
		got := number.Curve(c.name, dec(t, c.x), c.f)
		want := dec(t, c.want)
		if number.Compare(got, want) != 0 {
			t.Errorf("%s of %s: got %s, want %s", c.name, c.x, show(got), c.want)
		}
	}
	if got := number.Atan2(dec(t, "1"), value.Int32(-2)); number.Compare(got, dec(t, "2.677945044588987122248387151818288")) != 0 {
		t.Errorf("$atan2: got %s", show(got))
	}
	if got := number.Atan2(dec(t, "0"), dec(t, "-1")); number.Compare(got, dec(t, "3.141592653589793238462643383279503")) != 0 {
		t.Errorf("$atan2 of zero: got %s", show(got))
	}
}
