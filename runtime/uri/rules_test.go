package uri_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
)

// Each rule between options has this error text. The texts are pinned here because users search for them.
func TestRulesSayWhatIsWrong(t *testing.T) {
	const host, srv, two = "mongodb://db/?", "mongodb+srv://shop.example.org/?", "mongodb://a,b/?"
	for _, c := range []struct{ connection, want string }{
		{host + "tlsInsecure=true&tlsAllowInvalidCertificates=true", "tlsInsecure and tlsAllowInvalidCertificates cannot both be set"},
		{host + "tlsInsecure=true&tlsAllowInvalidHostnames=true", "tlsInsecure and tlsAllowInvalidHostnames cannot both be set"},
		{host + "tlsInsecure=true&tlsDisableOCSPEndpointCheck=true", "tlsInsecure and tlsDisableOCSPEndpointCheck cannot both be set"},
		{host + "tlsInsecure=true&tlsDisableCertificateRevocationCheck=true",
			"tlsInsecure and tlsDisableCertificateRevocationCheck cannot both be set"},
		{host + "tlsAllowInvalidCertificates=true&tlsDisableOCSPEndpointCheck=true",
			"tlsAllowInvalidCertificates and tlsDisableOCSPEndpointCheck cannot both be set"},
		{host + "tlsAllowInvalidCertificates=true&tlsDisableCertificateRevocationCheck=true",
			"tlsAllowInvalidCertificates and tlsDisableCertificateRevocationCheck cannot both be set"},
		{host + "tlsDisableOCSPEndpointCheck=true&tlsDisableCertificateRevocationCheck=true",
			"tlsDisableOCSPEndpointCheck and tlsDisableCertificateRevocationCheck cannot both be set"},
		{two + "directConnection=true", "directConnection=true needs exactly one host"},
		{srv + "directConnection=true", "directConnection=true cannot be used with mongodb+srv, which may name several hosts"},
		{two + "loadBalanced=true", "loadBalanced=true needs exactly one host"},
		{host + "loadBalanced=true&replicaSet=rs", "loadBalanced=true and replicaSet cannot both be set"},
		{host + "loadBalanced=true&directConnection=true", "loadBalanced=true and directConnection=true cannot both be set"},
		{srv + "loadBalanced=true&srvMaxHosts=1", "loadBalanced=true and srvMaxHosts cannot both be set"},
		{host + "srvServiceName=kitchen", "srvServiceName is for mongodb+srv only"},
		{host + "srvMaxHosts=2", "srvMaxHosts is for mongodb+srv only"},
		{srv + "srvMaxHosts=1&replicaSet=rs", "srvMaxHosts and replicaSet cannot both be set"},
		{host + "proxyPort=1080", "proxyPort needs proxyHost"},
		{host + "proxyUsername=ada", "proxyUsername needs proxyHost"},
		{host + "proxyPassword=x", "proxyPassword needs proxyHost"},
		{host + "proxyHost=gate&proxyUsername=ada", "proxyUsername needs proxyPassword"},
		{host + "proxyHost=gate&proxyPassword=x", "proxyPassword needs proxyUsername"},
		{host + "readPreference=primary&maxStalenessSeconds=100", "maxStalenessSeconds cannot be used with read preference primary"},
		{host + "readPreference=primary&readPreferenceTags=dc:west", "readPreferenceTags cannot be used with read preference primary"},
		{host + "w=0&journal=true", "journal=true cannot be used with w=0"},
		{host + "minPoolSize=9&maxPoolSize=8", "minPoolSize is greater than maxPoolSize"},
	} {
		_, err := uri.Parse(c.connection)
		if e, ok := errors.AsType[fault.URIError](err); !ok || e.Reason != c.want {
			t.Errorf("%s: %v, want %q", c.connection, err, c.want)
		}
	}
}

// The defaults of tag sets and of the staleness go with any mode.
//
// Server Selection, "tag_sets": an error if a non-empty tag set is given. Max Staleness, "API": if it is positive.
func TestDefaultsOfAReadPreferenceGoWithPrimary(t *testing.T) {
	for _, query := range []string{"readPreferenceTags=", "readPreference=primary&readPreferenceTags=&maxStalenessSeconds=-1"} {
		if _, err := uri.Parse("mongodb://db/?" + query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
