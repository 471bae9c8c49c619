package uri_test

import (
	"slices"
	"strings"
	"testing"

	uritable "github.com/specdrivers/onion/generated/core/uri"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

// DNS seedlist discovery, "Default Connection String Options", for the options that a TXT record may set, and the
// values that no message may show.
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

func TestUnknownOptionsAreKept(t *testing.T) {
	cs, err := uri.Parse("mongodb://localhost/?x-table=a%20b&appname=shop&x-table=c")
	if err != nil {
		t.Fatal(err)
	}
	if got := cs.Unknown["x-table"]; len(cs.Unknown) != 1 || !slices.Equal(got, []string{"a b", "c"}) {
		t.Errorf("Unknown = %v", cs.Unknown)
	}
}
