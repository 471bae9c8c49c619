package uri_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/runtime/uri"
)

// DNS seedlist discovery, "Default Connection String Options", for the options that a TXT record may set, and the
// values that no message may show.
func TestOptionsInRecordsAndMessages(t *testing.T) {
	var inTXT, secret []string
	for o := uritable.Option(1); ; o++ {
		if _, known := uritable.Lookup(strings.ToLower(o.String())); !known {
			break
		}
		if o.AllowedInTXT() {
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

// Auth, "Auth Related Options": gssapiServiceName is an alias for the property SERVICE_NAME, and deprecated. Connection
// String, "Deprecated Key Value Pairs", says what becomes of it.
func TestOldKeyOfTheServiceName(t *testing.T) {
	const replaced = `Deprecated key "gssapiservicename" has been replaced with "authmechanismproperties=SERVICE_NAME"`
	for _, tt := range []struct{ query, service, realm, warning string }{
		{"gssapiServiceName=other", "other", "", replaced},
		{"GSSAPISERVICENAME=other&authMechanismProperties=SERVICE_REALM:R", "other", "R", replaced},
		{"authMechanismProperties=SERVICE_REALM:R&gssapiServiceName=other", "other", "R", replaced},
		{"gssapiServiceName=other&authMechanismProperties=service_name:new,SERVICE_REALM:R", "new", "R",
			`Deprecated key "gssapiservicename" present and ignored as found replacement "authmechanismproperties=SERVICE_NAME" value.`},
		{"gssapiServiceName=first&gssapiServiceName=second", "second", "",
			`Repeated option "gssapiServiceName", the last value is used; ` + replaced},
		{"gssapiServiceName=", "mongodb", "", `Unsupported value for "gssapiServiceName"`},
	} {
		cs, err := uri.Parse("mongodb://ada%40R@db/?authMechanism=GSSAPI&" + tt.query)
		if err != nil {
			t.Fatal(err)
		}
		credential, err := cs.Credential()
		if err != nil {
			t.Fatal(err)
		}
		facts := uri.CredentialFacts{Properties: credential.AuthMechanismProperties}
		service, realm := facts.Property(authtable.ServiceName), facts.Property(authtable.ServiceRealm)
		if warning := strings.Join(cs.Warnings, "; "); service != tt.service || realm != tt.realm || warning != tt.warning {
			t.Errorf("%s: service %q, realm %q, warnings %q", tt.query, service, realm, warning)
		}
	}
	cs, err := uri.Parse("mongodb://ada:secret@db/?gssapiServiceName=other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cs.Credential(); err == nil {
		t.Error("a property is accepted without its mechanism")
	}
}

// Versioned API, "No URI Options": only the program declares a version.
func TestNoOptionDeclaresAVersionOfTheAPI(t *testing.T) {
	cs, err := uri.Parse("mongodb://localhost/?serverApi=1&serverApiVersion=1&apiVersion=1&apiStrict=true&apiDeprecationErrors=true")
	if err != nil || cs.Options.ServerAPI != nil || len(cs.Unknown) != 5 {
		t.Errorf("%v, %v, unknown are %v", cs.Options.ServerAPI, err, cs.Unknown)
	}
}
