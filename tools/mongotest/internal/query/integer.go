package query

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// element prints a field as messages do: its name and its value.
func element(name string, v bson.RawValue) string { return name + ": " + status.TextOf(v) }

// Integer reads an argument that must be a whole number that fits 64 bits.
func Integer(name string, v bson.RawValue) (int64, error) {
	n, whole := number.ExactInt64(v)
	switch {
	case !number.Is(v.Type):
		return 0, status.Errorf(errcode.FailedToParse, "Expected a number in: %s", element(name, v))
	case whole:
		return n, nil
	case v.Type == bsontype.Double && number.IsNaN(v):
		return 0, status.Errorf(errcode.FailedToParse, "Expected an integer, but found NaN in: %s", element(name, v))
	}
	if _, fits := number.TruncateInt64(v); fits && v.Type == bsontype.Double {
		return 0, status.Errorf(errcode.FailedToParse, "Expected an integer: %s", element(name, v))
	}
	return 0, status.Errorf(errcode.FailedToParse, "Cannot represent as a 64-bit integer: %s", element(name, v))
}

func readNonNegative(name string, v bson.RawValue) (int64, error) {
	n, err := Integer(name, v)
	if err == nil && n < 0 {
		err = status.Errorf(errcode.FailedToParse, "Expected a non-negative number in: %s", element(name, v))
	}
	return n, err
}

// nonNegativeInt reads an argument that must also fit 32 bits and not be negative.
func nonNegativeInt(name string, v bson.RawValue) (int64, error) {
	n, err := Integer(name, v)
	if err == nil && (n > math.MaxInt32 || n < math.MinInt32) {
		err = status.Errorf(errcode.FailedToParse, "Cannot represent %s in an int", element(name, v))
	}
	if err == nil && n < 0 {
		err = status.Errorf(errcode.FailedToParse, "Expected a non-negative number in: %s", element(name, v))
	}
	return n, err
}
