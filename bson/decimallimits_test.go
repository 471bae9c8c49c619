package bson_test

import (
	"strconv"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/form"
)

// The exponents of a decimal's last digit end where the table says. A digit that cannot be kept is an error, and no rounding.
func TestExponentsOfDecimalsEnd(t *testing.T) {
	for exponent, want := range map[int]bool{
		form.DecimalMinExponent: true, form.DecimalMinExponent - 1: false,
		// A large exponent may be written with zeros behind the digit, as many as there are digits.
		form.DecimalMaxExponent + form.DecimalDigits - 1: true, form.DecimalMaxExponent + form.DecimalDigits: false,
	} {
		text := "1E" + strconv.Itoa(exponent)
		if _, err := bson.ParseDecimal128(text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
