package uri_test

import (
	"slices"
	"strings"
	"testing"

	uritable "github.com/specdrivers/onion/generated/core/uri"
	"github.com/specdrivers/onion/generated/options"
)

// DNS seedlist discovery, "Default Connection String Options", for what a TXT record may set, and the values that no
// message may show.
func TestOptionsInRecordsAndMessages(t *testing.T) {
	var inTXT, secret []string
	for o := uritable.Option(1); ; o++ {
		if _, known := uritable.Lookup(o.String()); !known {
			break
		}
		_, err := uritable.ParseTXT(&options.Client{}, []uritable.Pair{{Key: o.String(), Value: ""}})
		if err == nil || !strings.Contains(err.Error(), "not allowed in a TXT record") {
			inTXT = append(inTXT, o.String())
		}
		if o.Secret() {
			secret = append(secret, o.String())
		}
	}
	slices.Sort(inTXT)
	slices.Sort(secret)
	if want := []string{"authSource", "loadBalanced", "replicaSet"}; !slices.Equal(inTXT, want) {
		t.Errorf("a TXT record may set %q, want %q", inTXT, want)
	}
	if want := []string{"authMechanismProperties", "proxyPassword", "tlsCertificateKeyFilePassword"}; !slices.Equal(secret, want) {
		t.Errorf("secret are %q, want %q", secret, want)
	}
}
