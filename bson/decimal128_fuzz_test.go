package bson

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/decimal"
)

// FuzzDecimal128Parse compares the parser with a regular expression of the grammar, and the value with math/big.
func FuzzDecimal128Parse(f *testing.F) {
	seeds := []string{
		"0", "-0.00", "1.5", "+12E-7", "1E+6144", "9999999999999999999999999999999999E+6111", "1E-6176", "10E-6177",
		"Infinity", "-inf", "NaN", "1" + strings.Repeat("0", 50), "1." + strings.Repeat("0", 50) + "1", ".5", "5.", ".",
		"1e", "1E99999999999999999999", "12345678:",
	}
	for _, s := range seeds {
		f.Add(s)
	}
	number := regexp.MustCompile(`^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?$`)
	special := regexp.MustCompile(`^(?i:[+-]?(inf|infinity|nan))$`)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 200 {
			return
		}
		d, err := ParseDecimal128(s)
		m := number.FindStringSubmatch(s)
		if m == nil {
			if (err == nil) != special.MatchString(s) {
				t.Fatalf("ParseDecimal128(%q) = %v, %v", s, d, err)
			}
			return
		}
		want, fits := decimalOracle(m[2], m[3])
		if (err == nil) != fits {
			t.Fatalf("ParseDecimal128(%q) = %v, %v, but exact is %t", s, d, err, fits)
		}
		if err != nil {
			return
		}
		coeff, exp, _ := d.BigInt()
		if got := scaleBy(coeff.Abs(coeff), int64(exp)); got.Cmp(want) != 0 || d.Signbit() != (m[1] == "-") {
			t.Fatalf("ParseDecimal128(%q) = %v", s, d)
		}
		if again, err := ParseDecimal128(d.String()); err != nil || again != d {
			t.Fatalf("%q prints as %s, which reads as %v, %v", s, d, again, err)
		}
	})
}

// decimalOracle returns the value times 10^6500 and whether Decimal128 can hold it.
func decimalOracle(mantissa, exponent string) (*big.Int, bool) {
	whole, fraction, _ := strings.Cut(mantissa, ".")
	coeff, _ := new(big.Int).SetString(whole+fraction, 10)
	exp := new(big.Int)
	if exponent != "" {
		exp.SetString(strings.TrimPrefix(exponent, "+"), 10)
	}
	if coeff.Sign() == 0 {
		return coeff, true
	}
	exp.Sub(exp, big.NewInt(int64(len(fraction))))
	ten, rem := big.NewInt(10), new(big.Int)
	for { // without trailing zeros the value has the fewest digits
		q, r := new(big.Int).QuoRem(coeff, ten, rem)
		if r.Sign() != 0 {
			break
		}
		coeff = q
		exp.Add(exp, big.NewInt(1))
	}
	digits := int64(len(coeff.String()))
	if digits > 34 || exp.Cmp(big.NewInt(decimal.MinExponent)) < 0 ||
		exp.Cmp(big.NewInt(decimal.MaxExponent+34-digits)) > 0 {
		return nil, false
	}
	return scaleBy(coeff, exp.Int64()), true
}

func scaleBy(coeff *big.Int, exp int64) *big.Int {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(exp+6500), nil)
	return p.Mul(p, coeff)
}

// FuzzDecimal128Bits prints every bit pattern and reads it back.
func FuzzDecimal128Bits(f *testing.F) {
	f.Add(uint64(0), uint64(0))
	f.Add(uint64(0x3040000000000000), uint64(1))
	f.Add(uint64(decimal.NaN|1), uint64(3))
	f.Add(uint64(decimal.SpecialBits), uint64(3))
	f.Add(uint64(0x3040<<48|decimal.TooLargeHigh), uint64(decimal.TooLargeLow))
	f.Fuzz(func(t *testing.T, h, l uint64) {
		d := NewDecimal128(h, l)
		text := d.String()
		again, err := ParseDecimal128(text)
		if err != nil || again.String() != text || len(text) > decimal.MaxText {
			t.Fatalf("%#x %#x prints as %s, which reads as %v, %v", h, l, text, again, err)
		}
	})
}
