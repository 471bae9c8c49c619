package ranges

import (
	"errors"
	"math"
	"math/bits"
)

// Double encodes a double of an index without bounds: all doubles, in their order.
func Double(value float64) (encoded, max Number, err error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return encoded, max, errors.New("encrypt: infinity and NaN double values are not supported")
	}
	if value == 0 {
		value = 0 // -0 and 0 are the same value
	}
	u := math.Float64bits(-value)
	if value < 0 {
		u = 1<<63 - u
	}
	return Number{Lo: u}, lowBits(64), nil
}

// DoubleWithin encodes a double of an index with bounds and a number of digits after the point; further digits are cut
// off.
func DoubleWithin(value, low, high float64, precision int32) (encoded, max Number, err error) {
	digits, err := doubleBits(low, high, precision)
	switch {
	case err != nil:
		return encoded, max, err
	case math.IsNaN(value) || math.IsInf(value, 0):
		return encoded, max, errors.New("encrypt: infinity and NaN double values are not supported")
	case value < low || value > high:
		return encoded, max, errOutside
	}
	scale := math.Pow10(int(precision))
	return Number{Lo: uint64(int64(math.Trunc(value*scale)) - int64(low*scale))}, lowBits(digits), nil
}

// exact is the largest power of two below which doubles hold every integer.
const exact = 1 << 53

// doubleBits returns the number of bits that the values between two bounds need.
func doubleBits(low, high float64, precision int32) (int, error) {
	if precision < 0 {
		return 0, errors.New("encrypt: 'precision' must be non-negative")
	}
	if !(low < high) {
		return 0, errOrder
	}
	scale := math.Pow10(int(precision))
	from, to := low*scale, high*scale
	if from != math.Trunc(from) || to != math.Trunc(to) {
		return 0, errors.New("encrypt: invalid bounds for double range precision: they have more digits than the precision")
	}
	if math.Abs(from) >= exact || math.Abs(to) >= exact || scale >= exact {
		return 0, errDoubleDomain
	}
	n := bitsFor(uint64(int64(to)-int64(from)) + uint64(scale))
	if n >= 53 {
		return 0, errDoubleDomain
	}
	return n, nil
}

var errDoubleDomain = errors.New(
	"encrypt: the domain of double values specified by the min, max, and precision cannot be represented in fewer than 53 bits")

// bitsFor returns the logarithm of n to the base 2, rounded up.
func bitsFor(n uint64) int {
	if n&(n-1) == 0 {
		return bits.Len64(n) - 1
	}
	return bits.Len64(n)
}
