package number_test

import (
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func TestTotal(t *testing.T) {
	most := value.Int64(math.MaxInt64)
	tests := []struct {
		name string
		add  []bson.RawValue
		want bson.RawValue
	}{
		{"nothing", nil, value.Int32(0)},
		{"ints", []bson.RawValue{value.Int32(1), value.Int32(2)}, value.Int32(3)},
		{"ints beyond their type", []bson.RawValue{value.Int32(math.MaxInt32), value.Int32(1)}, value.Int64(1 << 31)},
		{"ints beyond and back", []bson.RawValue{value.Int32(math.MaxInt32), value.Int32(1), value.Int32(-1)}, value.Int32(math.MaxInt32)},
		{"longs keep every digit", []bson.RawValue{most, value.Int32(-1)}, value.Int64(math.MaxInt64 - 1)},
		{"longs beyond and back", []bson.RawValue{most, most, value.Int64(-math.MaxInt64)}, most},
		{"longs beyond their type", []bson.RawValue{most, value.Int32(1)}, value.Double(1 << 63)},
		{"doubles carry their errors", []bson.RawValue{value.Double(1e16), value.Double(1), value.Double(-1e16)}, value.Double(1)},
		{"infinity", []bson.RawValue{value.Double(math.Inf(1)), value.Int32(1)}, value.Double(math.Inf(1))},
		{"infinities that cancel", []bson.RawValue{value.Double(math.Inf(1)), value.Double(math.Inf(-1))}, value.Double(math.NaN())},
		{"decimals", []bson.RawValue{dec(t, "0.1"), value.Int32(1), dec(t, "0.20")}, dec(t, "1.30")},
		{"a decimal and a double with its binary fraction", []bson.RawValue{dec(t, "1"), value.Double(0.5)}, dec(t, "1.5")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var total number.Total
			for _, v := range tt.add {
				total.Add(v)
			}
			if got := total.Value(); show(got) != show(tt.want) {
				t.Errorf("got %s, want %s", show(got), show(tt.want))
			}
		})
	}
}

func TestDecimalFunctions(t *testing.T) {
	tests := []struct {
		name string
		got  bson.RawValue
		want string
	}{
		{"square root", number.Sqrt(dec(t, "2")), "1.414213562373095048801688724209698"},
		{"exact square root", number.Sqrt(dec(t, "6.25")), "2.5"},
		{"e", number.Exp(dec(t, "1")), "2.718281828459045235360287471352662"},
		{"a large power of e", number.Exp(dec(t, "1000")), "1.970071114017046993888879352243323E+434"},
		{"a small power of e", number.Exp(dec(t, "-100")), "3.720075976020835962959695803863118E-44"},
		{"beyond all powers of e", number.Exp(dec(t, "1E+6")), "Infinity"},
		{"below all powers of e", number.Exp(dec(t, "-1E+6")), "0E-6176"},
		{"logarithm", number.Ln(dec(t, "10")), "2.302585092994045684017991454684364"},
		{"logarithm of one", number.Ln(dec(t, "1")), "0"},
		{"logarithm of little", number.Ln(dec(t, "1E-6000")), "-13815.51055796427410410794872810619"},
		{"logarithm to ten", number.Log10(dec(t, "1000")), "3"},
		{"logarithm to two", number.Log(dec(t, "8"), value.Int32(2)), "3"},
		{"whole power", number.PowDecimal(dec(t, "1.1"), value.Int32(2)), "1.210000000000000000000000000000000"},
		{"negative power", number.PowDecimal(dec(t, "2"), value.Int32(-2)), "0.2500000000000000000000000000000000"},
		{"broken power", number.PowDecimal(dec(t, "2"), dec(t, "0.5")), "1.414213562373095048801688724209698"},
		{"power of zero", number.PowDecimal(dec(t, "0"), value.Int32(0)), "1"},
		{"NaN", number.Ln(dec(t, "NaN")), "NaN"},
		{"infinity", number.Sqrt(dec(t, "Infinity")), "Infinity"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if want := dec(t, tt.want); show(tt.got) != show(want) {
				t.Errorf("got %s, want %s", show(tt.got), show(want))
			}
		})
	}
}

func TestNearest(t *testing.T) {
	tests := []struct {
		v    bson.RawValue
		want int64
		ok   bool
	}{
		{value.Double(0.5), 1, true}, {value.Double(-0.5), -1, true}, {dec(t, "2.5"), 2, true}, {value.Int64(7), 7, true},
		{value.Double(1e300), 0, false}, {value.Double(math.NaN()), 0, false}, {dec(t, "Infinity"), 0, false},
	}
	for _, tt := range tests {
		if n, ok := number.RoundInt64(tt.v); ok != tt.ok || ok && n != tt.want {
			t.Errorf("%s: got %d, %v, want %d, %v", show(tt.v), n, ok, tt.want, tt.ok)
		}
	}
}
