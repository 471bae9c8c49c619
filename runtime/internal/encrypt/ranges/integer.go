package ranges

import (
	"errors"

	"github.com/specdrivers/onion/generated/core/analysis"
)

// The errors that all types share.
var (
	errOrder   = errors.New("encrypt: the minimum value must be less than the maximum value")
	errOutside = errors.New("encrypt: " + analysis.ValueOutside())
)

// Int encodes an int32, an int64 or the milliseconds of a date. It also returns the largest value of the index.
func Int(value, low, high int64) (encoded, max Number, err error) {
	switch {
	case low >= high:
		return encoded, max, errOrder
	case value < low || value > high:
		return encoded, max, errOutside
	}
	return Number{Lo: uint64(value) - uint64(low)}, Number{Lo: uint64(high) - uint64(low)}, nil
}
