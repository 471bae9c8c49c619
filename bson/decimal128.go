package bson

import (
	"fmt"
	"math/bits"
)

// Decimal128 is an IEEE 754-2008 decimal floating-point number of 34 digits, in the binary integer encoding that BSON
// uses. The zero value is 0E-6176; ParseDecimal128 makes the others. Values compare with == only if sign, coefficient
// and exponent are the same: 1.0 and 1.00 are different.
type Decimal128 struct{ h, l uint64 }

// Limits of the format, Decimal128 "Terminology": 34 digits, and the exponents of their last digit.
const (
	decimalDigits      = 34
	decimalMaxExponent = 6111
	decimalMinExponent = -6176
)

// Layout of the high 64 bits: sign, 14 bits of biased exponent, 49 bits of coefficient. If the two bits below the sign
// are set, the value is special or the exponent stands two bits lower, with a coefficient too large to be valid.
const (
	decimalSign        = 1 << 63
	decimalSpecialBits = 0b11 << 61
	decimalInf         = 0b11110 << 58
	decimalNaN         = 0b11111 << 58
	decimalExpShift    = 49
	decimalExpMask     = 1<<14 - 1
	decimalCoeffMask   = 1<<decimalExpShift - 1
)

// 10^34, the first coefficient with too many digits.
const (
	tooLargeHigh = 0x0001ED09BEAD87C0
	tooLargeLow  = 0x378D8E6400000000
)

// NewDecimal128 returns the Decimal128 of the given high and low 64 bits.
func NewDecimal128(h, l uint64) Decimal128 { return Decimal128{h: h, l: l} }

// Bits returns the high and the low 64 bits of d.
func (d Decimal128) Bits() (h, l uint64) { return d.h, d.l }

// IsNaN reports whether d is not a number.
func (d Decimal128) IsNaN() bool { return d.h&decimalNaN == decimalNaN }

// IsInf returns +1 for positive infinity, -1 for negative infinity, and 0 for every other value.
func (d Decimal128) IsInf() int {
	switch {
	case d.h&decimalNaN != decimalInf:
		return 0
	case d.Signbit():
		return -1
	default:
		return 1
	}
}

// IsZero reports whether d is the zero value of the Go type, 0E-6176, which omitempty leaves out.
func (d Decimal128) IsZero() bool { return d == Decimal128{} }

// Signbit reports whether d is negative or a negative zero.
func (d Decimal128) Signbit() bool { return d.h&decimalSign != 0 }

// uint128 is the coefficient of a Decimal128.
type uint128 struct{ h, l uint64 }

// parts takes a finite d apart. A coefficient of more than 34 digits counts as zero, as IEEE 754 says of
// non-canonical encodings.
func (d Decimal128) parts() (coeff uint128, exp int) {
	if d.h&decimalSpecialBits == decimalSpecialBits {
		return uint128{}, int(d.h>>(decimalExpShift-2)&decimalExpMask) + decimalMinExponent
	}
	exp = int(d.h>>decimalExpShift&decimalExpMask) + decimalMinExponent
	coeff = uint128{d.h & decimalCoeffMask, d.l}
	if coeff.h > tooLargeHigh || coeff.h == tooLargeHigh && coeff.l >= tooLargeLow {
		return uint128{}, exp
	}
	return coeff, exp
}

// newDecimal packs a value whose coefficient has at most 34 digits. An exponent out of range moves into it as long as
// the value stays the same; cause says what went wrong otherwise.
func newDecimal(negative bool, coeff uint128, exp int64) (d Decimal128, cause string) {
	if exp > decimalMaxExponent || exp < decimalMinExponent {
		if coeff, exp, cause = clamp(coeff, exp); cause != "" {
			return Decimal128{}, cause
		}
	}
	d = Decimal128{uint64(exp-decimalMinExponent)<<decimalExpShift | coeff.h, coeff.l}
	if negative {
		d.h |= decimalSign
	}
	return d, ""
}

// clamp brings exp into range without changing the value. Decimal128, "BSON Decimal128 implementation details":
// clamping is silent; overflow, underflow and inexact rounding are errors.
func clamp(coeff uint128, exp int64) (uint128, int64, string) {
	if coeff == (uint128{}) {
		return coeff, min(max(exp, decimalMinExponent), decimalMaxExponent), ""
	}
	for exp > decimalMaxExponent {
		hi, lo := bits.Mul64(coeff.l, 10)
		coeff = uint128{coeff.h*10 + hi, lo}
		if coeff.h > tooLargeHigh || coeff.h == tooLargeHigh && coeff.l >= tooLargeLow {
			return coeff, exp, "overflows"
		}
		exp--
	}
	for exp < decimalMinExponent {
		q, rem := coeff.divRem10()
		if rem != 0 {
			return coeff, exp, "underflows"
		}
		coeff = q
		exp++
	}
	return coeff, exp, ""
}

func (c uint128) divRem10() (uint128, uint64) {
	h, rem := c.h/10, c.h%10
	l, rem := bits.Div64(rem, c.l, 10)
	return uint128{h, l}, rem
}

func decimalError(text, cause string) error {
	return fmt.Errorf("bson: %q %s Decimal128", clip(text), cause)
}
