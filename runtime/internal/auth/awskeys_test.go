package auth

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
)

// The expiration that an endpoint sends is a time or an error. Keys never last for ever.
func TestExpirationsOfKeys(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  int64  // seconds since 1970
		wants string // part of an error
	}{
		{"2030-01-01T00:00:00Z", 1893456000, ""},
		{1893456000.5, 1893456000, ""},
		{int64(1893456000), 1893456000, ""},
		{-5, -5, ""},
		{"soon", 0, "is not a time"},
		{"", 0, "is not a time"},
		{"0001-01-01T00:00:00Z", 0, "is not a time"},
		{int64(-62135596800), 0, "is not a time"},
		{math.NaN(), 0, "is not a time"},
		{math.Inf(1), 0, "is not a time"},
		{1e300, 0, "is not a time"},
		{int64(math.MaxInt64), 0, "is not a time"},
		{int64(math.MinInt64), 0, "is not a time"},
		{nil, 0, "no Expiration"},
		{bson.A{1}, 0, "no Expiration"},
	} {
		doc, err := bson.Marshal(bson.Doc("AccessKeyId", "a", "SecretAccessKey", "b", "Expiration", tt.value))
		if err != nil {
			t.Fatal(err)
		}
		key, err := parseAWSKey(doc, "Token")
		if tt.wants != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Errorf("%v: %v, %v, want %q", tt.value, key.Expires, err, tt.wants)
			}
		} else if err != nil || !key.Expires.Equal(time.Unix(tt.want, 0)) {
			t.Errorf("%v: %v, %v", tt.value, key.Expires, err)
		}
	}
}
