package bson_test

import (
	"strconv"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/form"
)

// The table bounds the exponent of the last digit. A digit beyond the bounds is an error: parsing never rounds.
func TestDecimalExponentsHaveLimits(t *testing.T) {
	for exponent, want := range map[int]bool{
		form.DecimalMinExponent: true, form.DecimalMinExponent - 1: false,
		// A larger exponent is allowed as long as zeros appended to the digit can absorb it.
		form.DecimalMaxExponent + form.DecimalDigits - 1: true, form.DecimalMaxExponent + form.DecimalDigits: false,
	} {
		text := "1E" + strconv.Itoa(exponent)
		if _, err := bson.ParseDecimal128(text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
