package auth_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/core/authtable"
)

// Authentication, "Mechanism Properties" and "MongoCredential" of each mechanism.
func TestRulesOfMechanisms(t *testing.T) {
	const required, optional, forbidden = authtable.Required, authtable.Optional, authtable.Forbidden
	for _, want := range []authtable.Rules{
		{Mechanism: "", Username: required, Password: optional, Fallback: "admin", Speculative: "SCRAM-SHA-256"},
		{Mechanism: "SCRAM-SHA-1", Username: required, Password: required, Fallback: "admin", Speculative: "SCRAM-SHA-1"},
		{Mechanism: "SCRAM-SHA-256", Username: required, Password: required, Fallback: "admin", Speculative: "SCRAM-SHA-256"},
		{Mechanism: "MONGODB-X509", Username: optional, Password: forbidden, External: true, Fallback: "$external", Speculative: "MONGODB-X509"},
		{Mechanism: "GSSAPI", Username: required, Password: optional, External: true, Fallback: "$external"},
		{Mechanism: "PLAIN", Username: required, Password: required, Fallback: "$external"},
		{Mechanism: "MONGODB-AWS", Username: forbidden, Password: forbidden, External: true, Fallback: "$external"},
		{Mechanism: "MONGODB-OIDC", Username: optional, Password: forbidden, External: true, Fallback: "$external", Speculative: "MONGODB-OIDC"},
	} {
		if got, ok := authtable.RulesFor(want.Mechanism); !ok || got != want {
			t.Errorf("RulesFor(%q) = %+v, want %+v", want.Mechanism, got, want)
		}
	}
	if _, ok := authtable.RulesFor("MONGODB-CR"); ok {
		t.Error("MONGODB-CR has rules")
	}
}
