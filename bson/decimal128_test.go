package bson

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/decimal"
)

func TestDecimal128Text(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	nines := strings.Repeat("9", 34)
	tests := []struct{ name, in, want string }{
		{"zero", "0", "0"},
		{"negative zero", "-0", "-0"},
		{"zero keeps its fraction", "0.00", "0.00"},
		{"zero keeps its exponent", "0E+3", "0E+3"},
		{"zero at the plain limit", "0.000000", "0.000000"},
		{"zero beyond the plain limit", "0.0000000", "0E-7"},
		{"plus sign", "+1.5", "1.5"},
		{"leading zeros", "007", "7"},
		{"point at the end", "7.", "7"},
		{"point at the front", ".7", "0.7"},
		{"trailing zeros stay", "1.50", "1.50"},
		{"lower-case exponent", "1e2", "1E+2"},
		{"exponent with zeros", "1E+0002", "1E+2"},
		{"exponent joins the fraction", "1.23E2", "123"},
		{"exponent notation with a fraction", "12.3E+9", "1.23E+10"},
		{"adjusted exponent -6", "0.000001", "0.000001"},
		{"adjusted exponent -7", "0.0000001", "1E-7"},
		{"adjusted exponent -6 with more digits", "0.00000123", "0.00000123"},
		{"adjusted exponent -7 with more digits", "0.000000123", "1.23E-7"},
		{"34 digits", "1234567890123456789012345678901234", "1234567890123456789012345678901234"},
		{"34 digits and a point", "1.234567890123456789012345678901234", "1.234567890123456789012345678901234"},
		{"largest", nines + "E+6111", "9." + nines[1:] + "E+6144"},
		{"largest negative", "-" + nines + "E+6111", "-9." + nines[1:] + "E+6144"},
		{"smallest", "1E-6176", "1E-6176"},
		{"exact rounding of integer zeros", "1" + zeros(40), "1.000000000000000000000000000000000E+40"},
		{"exact rounding of fraction zeros", "1." + zeros(40), "1.000000000000000000000000000000000"},
		{"clamped down", "1E+6144", "1.000000000000000000000000000000000E+6144"},
		{"clamped zero above", "0E+99999", "0E+6111"},
		{"clamped zero below", "-0E-99999", "-0E-6176"},
		{"clamped zero far above", "0E+999999999999999999999999", "0E+6111"},
		{"clamped up", "10E-6177", "1E-6176"},
		{"long fraction balanced by its exponent", "0." + zeros(7000) + "1E+7001", "1"},
		{"long integer balanced by its exponent", "1" + zeros(7000) + "E-6999", "10.00000000000000000000000000000000"},
		{"infinity", "iNf", "Infinity"},
		{"negative infinity", "-INFINITY", "-Infinity"},
		{"not a number", "nAn", "NaN"},
		{"signed not a number", "-NaN", "NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ParseDecimal128(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.String(); got != tt.want {
				t.Errorf("String() = %s, want %s", got, tt.want)
			}
			if again, err := ParseDecimal128(d.String()); err != nil || again != d {
				t.Errorf("reading %s back gives %v, %v", d, again, err)
			}
		})
	}
}

func TestParseDecimal128Rejects(t *testing.T) {
	tests := []struct{ name, in, cause string }{
		{"empty", "", "not a numeric string"},
		{"sign alone", "-", "not a numeric string"},
		{"point alone", ".", "not a numeric string"},
		{"signed point", "+.", "not a numeric string"},
		{"two signs", "+-1", "not a numeric string"},
		{"two points", "1.2.3", "not a numeric string"},
		{"space before", " 1", "not a numeric string"},
		{"space after", "1 ", "not a numeric string"},
		{"exponent alone", "E5", "not a numeric string"},
		{"point and exponent", ".E5", "not a numeric string"},
		{"exponent without digits", "1E", "not a numeric string"},
		{"exponent sign without digits", "1E+", "not a numeric string"},
		{"fraction in the exponent", "1E1.5", "not a numeric string"},
		{"letters", "12x", "not a numeric string"},
		{"eight characters near digits", "1234567:", "not a numeric string"},
		{"eight characters below digits", "1234567/", "not a numeric string"},
		{"signalling not a number", "sNaN", "not a numeric string"},
		{"half of a name", "Infin", "not a numeric string"},
		{"name behind a digit", "0Inf", "not a numeric string"},
		{"35 digits", "12345678901234567890123456789012345", "34 significant digits"},
		{"35 digits in the fraction", "1.2345678901234567890123456789012345", "34 significant digits"},
		{"digit behind dropped zeros", "1" + strings.Repeat("0", 40) + "1", "34 significant digits"},
		{"overflow", "1E+6145", "overflows"},
		{"overflow of many digits", "1234567890123456789012345678901234E+6112", "overflows"},
		{"overflow of an endless exponent", "1E+99999999999999999999999", "overflows"},
		{"underflow", "1E-6177", "underflows"},
		{"underflow of the last digit", "11E-6177", "underflows"},
		{"underflow of an endless exponent", "1E-99999999999999999999999", "underflows"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ParseDecimal128(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.cause) {
				t.Errorf("got %v, %v, want an error with %q", d, err, tt.cause)
			}
		})
	}
}

func TestDecimal128NonCanonicalIsZero(t *testing.T) {
	tests := []struct {
		name string
		h, l uint64
		want string
	}{
		{"10^34", 0x3040<<48 | decimal.TooLargeHigh, decimal.TooLargeLow, "0"},
		{"10^34-1 is the last valid one", 0x3040<<48 | decimal.TooLargeHigh, decimal.TooLargeLow - 1, strings.Repeat("9", 34)},
		{"exponent two bits lower", decimal.SpecialBits | 6176<<(decimal.ExponentShift-2) | 5, 7, "0"},
		{"negative, exponent two bits lower", decimal.Sign | decimal.SpecialBits | 6179<<(decimal.ExponentShift-2), 7, "-0E+3"},
		{"NaN with payload", decimal.NaN | 12, 7, "NaN"},
		{"negative NaN", decimal.Sign | decimal.NaN, 0, "NaN"},
		{"signalling NaN", decimal.NaN | 1<<57, 0, "NaN"},
		{"infinity with payload", decimal.Inf | 12, 7, "Infinity"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := NewDecimal128(tt.h, tt.l)
			if got := d.String(); got != tt.want {
				t.Errorf("String() = %s, want %s", got, tt.want)
			}
			if h, l := d.Bits(); h != tt.h || l != tt.l {
				t.Errorf("Bits() = %#x, %#x", h, l)
			}
		})
	}
}

func TestDecimal128BigInt(t *testing.T) {
	big10 := func(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
	tests := []struct {
		name  string
		coeff *big.Int
		exp   int
		want  string // empty: an error
	}{
		{"small", big.NewInt(-150), -2, "-1.50"},
		{"zero", big.NewInt(0), 7000, "0E+6111"},
		{"two words", new(big.Int).Sub(big10(34), big.NewInt(1)), 0, strings.Repeat("9", 34)},
		{"trailing zeros", big10(6000), -5999, "10.00000000000000000000000000000000"},
		{"too many digits", new(big.Int).Add(big10(34), big.NewInt(1)), 0, ""},
		{"overflow", big.NewInt(1), 6145, ""},
		{"underflow", big.NewInt(1), -6177, ""},
		{"huge", new(big.Int).Lsh(big.NewInt(1), 50000), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Decimal128FromBigInt(tt.coeff, tt.exp)
			if (err == nil) != (tt.want != "") || err == nil && d.String() != tt.want {
				t.Fatalf("got %v, %v, want %q", d, err, tt.want)
			}
			if err != nil {
				return
			}
			coeff, exp, err := d.BigInt()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Decimal128FromBigInt(coeff, exp); err != nil || again != d {
				t.Errorf("back from %v, %d: %v, %v", coeff, exp, again, err)
			}
		})
	}
	for _, s := range []string{"NaN", "Infinity", "-Infinity"} {
		d, _ := ParseDecimal128(s)
		if _, _, err := d.BigInt(); err != ErrNotFinite {
			t.Errorf("BigInt of %s: %v, want ErrNotFinite", s, err)
		}
	}
}

func TestDecimal128JSON(t *testing.T) {
	tests := []struct {
		name, in, want string
		ok             bool
	}{
		{"extended", `{"$numberDecimal": "1.50"}`, "1.50", true},
		{"string", `"1.50"`, "1.50", true},
		{"number", `-1.50`, "-1.50", true},
		{"null leaves the value alone", `null`, "7", true},
		{"bad string", `"x"`, "7", false},
		{"other object", `{"$numberLong":"1"}`, "7", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := ParseDecimal128("7")
			err := json.Unmarshal([]byte(tt.in), &d)
			if (err == nil) != tt.ok || d.String() != tt.want {
				t.Errorf("got %v, %v, want %s, ok %t", d, err, tt.want, tt.ok)
			}
		})
	}
	d, _ := ParseDecimal128("1.50")
	if out, err := json.Marshal(d); err != nil || string(out) != `"1.50"` {
		t.Errorf("Marshal = %s, %v", out, err)
	}
}

func TestDecimal128Allocates(t *testing.T) {
	buf := make([]byte, 0, decimal.MaxText)
	for _, s := range []string{"1.5", "-9.999999999999999999999999999999999E-6143", "NaN"} {
		n := testing.AllocsPerRun(100, func() {
			d, _ := ParseDecimal128(s)
			buf = d.Append(buf[:0])
		})
		if n != 0 {
			t.Errorf("parsing and formatting %s allocates %v times", s, n)
		}
	}
}

func BenchmarkParseDecimal128(b *testing.B) {
	for _, s := range []string{"1.5", "12345678.90123456789", "-9.999999999999999999999999999999999E-6143"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseDecimal128(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
