package bson_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/form"
)

// Other programs read and write these keys, so they must never change: those of extended JSON, and those that mark a
// value for encryption.
func TestExtJSONKeywords(t *testing.T) {
	for want, got := range map[string]string{
		"base64":   form.Base64,
		"i":        form.Increment,
		"$type":    form.LegacyType,
		"$regex":   form.LegacyRegex,
		"$options": form.LegacyOptions,
		"v":        form.MarkingValue,
		"a":        form.MarkingAlgorithm,
		"ki":       form.MarkingKeyID,
		"ka":       form.MarkingKeyAltName,
	} {
		if got != want {
			t.Errorf("%s is written as %s", want, got)
		}
	}
}
