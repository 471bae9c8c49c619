package decimal

import (
	"fmt"
	"math/bits"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

// Number is the 128 bits of a decimal floating-point number.
type Number struct{ High, Low uint64 }

// Limits of the format: digits, and the exponents of the last one.
const (
	maxDigits   = form.DecimalDigits
	MaxExponent = form.DecimalMaxExponent
	MinExponent = form.DecimalMinExponent
)

// Layout of the high 64 bits: sign, 14 bits of biased exponent, 49 bits of coefficient. If the two bits below the sign
// are set, the value is special or the exponent stands two bits lower, and the coefficient is too large to be valid.
const (
	Sign          = 1 << 63
	SpecialBits   = 0b11 << 61
	Inf           = 0b11110 << 58
	NaN           = 0b11111 << 58
	ExponentShift = 49
	expMask       = 1<<14 - 1
	coeffMask     = 1<<ExponentShift - 1
)

// 10^34, the first coefficient with too many digits.
const (
	TooLargeHigh = 0x0001ED09BEAD87C0
	TooLargeLow  = 0x378D8E6400000000
)

// IsNaN reports whether d is not a number.
func (d Number) IsNaN() bool { return d.High&NaN == NaN }

// IsInf returns +1 for positive infinity, -1 for negative infinity, and 0 for every other value.
func (d Number) IsInf() int {
	switch {
	case d.High&NaN != Inf:
		return 0
	case d.Signbit():
		return -1
	default:
		return 1
	}
}

// Signbit reports whether d is negative or a negative zero.
func (d Number) Signbit() bool { return d.High&Sign != 0 }

// coefficient is the coefficient of a Decimal128.
type coefficient struct{ h, l uint64 }

// parts splits a finite d. A coefficient of more than 34 digits counts as zero, as IEEE 754 says of non-canonical
// encodings.
func (d Number) parts() (coeff coefficient, exp int) {
	if d.High&SpecialBits == SpecialBits {
		return coefficient{}, int(d.High>>(ExponentShift-2)&expMask) + MinExponent
	}
	exp = int(d.High>>ExponentShift&expMask) + MinExponent
	coeff = coefficient{d.High & coeffMask, d.Low}
	if coeff.h > TooLargeHigh || coeff.h == TooLargeHigh && coeff.l >= TooLargeLow {
		return coefficient{}, exp
	}
	return coeff, exp
}

// newDecimal packs a value whose coefficient has at most 34 digits. An exponent out of range moves into it as long as
// the value stays the same; if it cannot, cause says what went wrong.
func newDecimal(negative bool, coeff coefficient, exp int64) (d Number, cause string) {
	if exp > MaxExponent || exp < MinExponent {
		if coeff, exp, cause = clamp(coeff, exp); cause != "" {
			return Number{}, cause
		}
	}
	d = Number{uint64(exp-MinExponent)<<ExponentShift | coeff.h, coeff.l}
	if negative {
		d.High |= Sign
	}
	return d, ""
}

// clamp brings exp into range without changing the value. Decimal128, "BSON Decimal128 implementation details":
// clamping is silent; overflow, underflow and inexact rounding are errors.
func clamp(coeff coefficient, exp int64) (coefficient, int64, string) {
	if coeff == (coefficient{}) {
		return coeff, min(max(exp, MinExponent), MaxExponent), ""
	}
	for exp > MaxExponent {
		hi, lo := bits.Mul64(coeff.l, 10)
		coeff = coefficient{coeff.h*10 + hi, lo}
		if coeff.h > TooLargeHigh || coeff.h == TooLargeHigh && coeff.l >= TooLargeLow {
			return coeff, exp, "overflows"
		}
		exp--
	}
	for exp < MinExponent {
		q, rem := coeff.divRem10()
		if rem != 0 {
			return coeff, exp, "underflows"
		}
		coeff = q
		exp++
	}
	return coeff, exp, ""
}

func (c coefficient) divRem10() (coefficient, uint64) {
	h, rem := c.h/10, c.h%10
	l, rem := bits.Div64(rem, c.l, 10)
	return coefficient{h, l}, rem
}

// Error says why a text is no Decimal128.
func Error(text, cause string) error {
	return fmt.Errorf("bson: %q %s Decimal128", wire.Clip(text), cause)
}

// EqualsZero reports whether d is a zero of any sign and exponent.
func (d Number) EqualsZero() bool {
	coeff, _ := d.parts()
	return !d.IsNaN() && d.IsInf() == 0 && coeff == coefficient{}
}
