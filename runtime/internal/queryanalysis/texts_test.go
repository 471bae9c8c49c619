package queryanalysis_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/analysis"
)

// Upstream's suites, and the vectors of libmongocrypt, look for these texts.
func TestTextsOfErrors(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{analysis.Incompatible(), "Driver support of Queryable Encryption is incompatible with server. Upgrade server to use Queryable Encryption."},
		{analysis.InsertTimestamp(), "A command that inserts cannot supply Timestamp(0, 0) for an encrypted top-level field"},
		{analysis.DistinctKey(), "The distinct key is not allowed to be marked for encryption with a non-UUID keyId"},
		{analysis.CannotEncryptType("int"), "Cannot encrypt element of type: int"},
		{analysis.CannotEncryptArray(), "cannot encrypt element: an array stands where the schema has a document with encrypted fields"},
		{analysis.RangeOrder(), "range min must be less than or equal to range max for range search"},
		{analysis.LowerBoundIncluded(), "lower bound must be less than or equal to the range maximum"},
		{analysis.LowerBoundExcluded(), "lower bound must be less than the range maximum if lower bound is excluded from range"},
		{analysis.UpperBoundIncluded(), "upper bound must be greater than or equal to the range minimum"},
		{analysis.UpperBoundExcluded(), "upper bound must be greater than the range minimum if upper bound is excluded from range"},
		{analysis.ValueOutside(), "value must be greater than or equal to the minimum value and less than or equal to the maximum value"},
		{analysis.InsecureTLS(), "Insecure TLS options prohibited"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
