package bson

// Decimal128 is an IEEE 754-2008 decimal floating-point number of 34 digits, in the binary integer encoding that BSON
// uses. The zero value is 0E-6176; ParseDecimal128 makes the others. Values compare with == only if sign, coefficient
// and exponent are the same: 1.0 and 1.00 are different.
type Decimal128 struct{ h, l uint64 }

// NewDecimal128 returns the Decimal128 of the given high and low 64 bits.
func NewDecimal128(h, l uint64) Decimal128 { return Decimal128{h: h, l: l} }

// Bits returns the high and the low 64 bits of d.
func (d Decimal128) Bits() (h, l uint64) { return d.h, d.l }
