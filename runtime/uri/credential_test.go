package uri_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/uri"
)

// The error for a wrong credential names the mechanism and the property. Auth, "MongoCredential Properties".
func TestMistakesInCredentials(t *testing.T) {
	type facts = uri.CredentialFacts
	ada := new("ada")
	oidc := func(properties map[string]string, values ...string) facts {
		return facts{Mechanism: "MONGODB-OIDC", Properties: properties, Values: values}
	}
	in := func(environment string, more ...string) map[string]string {
		p := map[string]string{"ENVIRONMENT": environment}
		if len(more) > 0 {
			p["TOKEN_RESOURCE"] = more[0]
		}
		return p
	}
	for _, tt := range []struct {
		name  string
		facts facts
		says  string // nothing if the credential is right
	}{
		{"none", facts{}, ""},
		{"an empty source", facts{Source: new("")}, "authSource is empty"},
		{"no mechanism of that name", facts{Mechanism: "MAGIC"}, "authMechanism is not the name of a mechanism"},
		{"a name and a password", facts{Username: ada, Proof: true}, ""},
		{"a password alone", facts{Proof: true}, "a user name is needed"},
		{"a name alone", facts{Mechanism: "SCRAM-SHA-1", Username: ada}, "SCRAM-SHA-1 needs a password"},
		{"an empty name", facts{Mechanism: "SCRAM-SHA-1", Username: new(""), Proof: true}, "SCRAM-SHA-1 needs a user name"},
		{"a certificate with a password", facts{Mechanism: "MONGODB-X509", Proof: true}, "MONGODB-X509 takes no password"},
		{"a certificate of another database", facts{Mechanism: "MONGODB-X509", Source: new("db")}, "the source of MONGODB-X509 is always $external"},
		{"a property without a mechanism", facts{Username: ada, Proof: true, Properties: map[string]string{"SERVICE_NAME": "x"}},
			"the property SERVICE_NAME needs a mechanism"},
		{"the property of another mechanism", facts{Mechanism: "SCRAM-SHA-1", Username: ada, Proof: true, Properties: map[string]string{"SERVICE_NAME": "x"}},
			"SCRAM-SHA-1 has no property SERVICE_NAME"},
		{"a secret in the place of a property", facts{Mechanism: "GSSAPI", Username: ada, Properties: map[string]string{"s3cret": "x"}},
			"GSSAPI has no property of the given name"},
		{"no source of tokens", oidc(nil), "MONGODB-OIDC needs ENVIRONMENT, OIDC_CALLBACK or OIDC_HUMAN_CALLBACK"},
		{"a machine", oidc(nil, "OIDC_CALLBACK"), ""},
		{"a person", oidc(nil, "OIDC_HUMAN_CALLBACK", "ALLOWED_HOSTS"), ""},
		{"a machine and a person", oidc(nil, "OIDC_CALLBACK", "OIDC_HUMAN_CALLBACK"), "OIDC_CALLBACK and OIDC_HUMAN_CALLBACK exclude each other"},
		{"an environment and a machine", oidc(in("test"), "OIDC_CALLBACK"), "ENVIRONMENT and OIDC_CALLBACK exclude each other"},
		{"a resource without an environment", oidc(map[string]string{"TOKEN_RESOURCE": "r"}, "OIDC_CALLBACK"), "TOKEN_RESOURCE needs ENVIRONMENT"},
		{"an environment that needs a resource", oidc(in("azure")), "ENVIRONMENT azure needs TOKEN_RESOURCE"},
		{"an environment with its resource", oidc(in("azure", "r")), ""},
		{"an environment that takes no resource", oidc(in("test", "r")), "ENVIRONMENT test takes no TOKEN_RESOURCE"},
		{"an environment alone", oidc(in("test")), ""},
		{"an environment that takes no name", facts{Mechanism: "MONGODB-OIDC", Username: ada, Properties: in("test")}, "ENVIRONMENT test takes no user name"},
		{"an environment with a name", facts{Mechanism: "MONGODB-OIDC", Username: ada, Properties: in("azure", "r")}, ""},
	} {
		err := tt.facts.Validate()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || err.Error() != "auth: "+tt.says && !strings.HasPrefix(err.Error(), "auth: "+tt.says+", ")) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

// Go values in a credential count as the properties with their names.
func TestCallbacksAreProperties(t *testing.T) {
	callback := func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) { return nil, nil }
	for _, tt := range []struct {
		name string
		auth options.Credential
		says string
	}{
		{"a person", options.Credential{OIDCHumanCallback: callback}, ""},
		{"a machine and a person", options.Credential{OIDCMachineCallback: callback, OIDCHumanCallback: callback}, "exclude each other"},
		{"hosts without a mechanism that has them", options.Credential{AuthMechanism: new("PLAIN"), Username: new("u"), Password: new("p"), OIDCAllowedHosts: []string{}},
			"PLAIN has no property ALLOWED_HOSTS"},
	} {
		if tt.auth.AuthMechanism == nil {
			tt.auth.AuthMechanism = new("MONGODB-OIDC")
		}
		cs, err := uri.Parse("mongodb://h")
		if err != nil {
			t.Fatal(err)
		}
		_, err = cs.With(&options.Client{Auth: &tt.auth}).Credential()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	cs, err := uri.Parse("mongodb://u:p@h/?authMechanism=PLAIN")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := cs.Credential(); err != nil || c.AuthMechanismProperties != nil {
		t.Errorf("a mechanism without properties has %v, %v", c, err)
	}
}

// A rescan lists each host with its port once, and returns the hosts of other domains separately.
func TestRescanListsHostsWithTheirPorts(t *testing.T) {
	z := &zone{records: append(twoHosts(), &net.SRV{Target: "evil.example.", Port: 7}, &net.SRV{Target: "d.b.c.", Port: 3})}
	hosts, refused, _, err := uri.RescanHosts(t.Context(), z, "n.b.c", "mongodb")
	if err != nil || !slices.Equal(hosts, []string{"a.b.c:1", "d.b.c:2", "d.b.c:3"}) || !slices.Equal(refused, []string{"evil.example:7"}) {
		t.Errorf("%q, refused %q, %v", hosts, refused, err)
	}
}

// The name of a database must not begin with a forbidden character either, and the error shows which.
func TestForbiddenCharactersOfADatabase(t *testing.T) {
	for in, char := range map[string]string{"mongodb://h/%2Fa": "/", "mongodb://h/a%22": "\"", "mongodb://h/a%20b": " ", "mongodb://h/$a": "$"} {
		if _, err := uri.Parse(in); err == nil || !strings.Contains(err.Error(), "must not contain") || !strings.Contains(err.Error(), char) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// The cause of an ended context comes before the resolver's error.
func TestTheCauseOfALookupComesFirst(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), -time.Second, errors.New("the deadline of the program"))
	defer cancel()
	cs, err := uri.Parse("mongodb+srv://n.b.c")
	if err != nil {
		t.Fatal(err)
	}
	_, err = uri.Resolve(ctx, cs, &zone{srvErr: errors.New("the resolver gave up")})
	if err == nil || !strings.Contains(err.Error(), "): the deadline of the program\n") {
		t.Errorf("%v", err)
	}
}
