package decimal

import (
	"math/bits"
	"strconv"

	"github.com/specdrivers/onion/generated/core/form"
)

// MaxText is the length of the longest text of a Decimal128: sign, 34 digits, point, E, sign and four digits.
const MaxText = 42

// String returns the numeric string of d, which ParseDecimal128 reads back exactly.
func (d Number) String() string {
	var buf [MaxText]byte
	return string(d.Append(buf[:0]))
}

// Append appends the numeric string of d to dst. It does not allocate if dst has room.
func (d Number) Append(dst []byte) []byte {
	switch {
	case d.IsNaN():
		return append(dst, form.NaN...)
	case d.IsInf() > 0:
		return append(dst, form.Infinity...)
	case d.IsInf() < 0:
		return append(dst, form.NegativeInfinity...)
	}
	if d.Signbit() {
		dst = append(dst, '-')
	}
	coeff, exp := d.parts()
	var buf [maxDigits]byte
	return appendDecimal(dst, coeff.digits(&buf), exp)
}

// appendDecimal follows Decimal128, "To String Representation".
func appendDecimal(dst, digits []byte, exp int) []byte {
	adjusted := exp + len(digits) - 1
	if exp > 0 || adjusted < -6 {
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		dst = append(dst, 'E')
		if adjusted >= 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(adjusted), 10)
	}
	if exp == 0 {
		return append(dst, digits...)
	}
	if point := len(digits) + exp; point > 0 {
		dst = append(append(dst, digits[:point]...), '.')
		return append(dst, digits[point:]...)
	}
	dst = append(dst, "0.00000"[:2-exp-len(digits)]...)
	return append(dst, digits...)
}

// digits writes the decimal digits of c, at least one, to the end of buf and returns them.
func (c coefficient) digits(buf *[maxDigits]byte) []byte {
	i := len(buf)
	low := c.l
	if c.h != 0 {
		var q uint64
		q, low = bits.Div64(c.h, c.l, 1e17) // c < 10^34, so the quotient fits
		for range 17 {
			i--
			buf[i] = byte('0' + low%10)
			low /= 10
		}
		low = q
	}
	for low >= 10 {
		i--
		buf[i] = byte('0' + low%10)
		low /= 10
	}
	i--
	buf[i] = byte('0' + low)
	return buf[i:]
}

// AppendExtJSON appends the extended JSON form.
func (d Number) AppendExtJSON(dst []byte) []byte {
	dst = append(dst, `{"`+form.Decimal128+`":"`...)
	return append(d.Append(dst), `"}`...)
}
