package mongo_test

import (
	"cmp"
	"os"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Versioned API, "Testing with required API version": every operation works against a standalone that requires a
// version and a login. MONGODB_API_VERSION names another version than 1.
func TestStableAPIProseRequiredVersion(t *testing.T) {
	declared := &options.Client{ServerAPI: &options.ServerAPI{Version: cmp.Or(os.Getenv("MONGODB_API_VERSION"), "1")}}
	for _, version := range []string{"5.0", "6.0", "7.0", "8.0"} {
		t.Run(version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version(version), mongotest.Auth("ada", "pencil"),
				mongotest.Parameter("requireApiVersion", true))
			client, events := connectRecorded(t, d, declared)
			for _, op := range operations {
				if err := op.run(t.Context(), client.Database("shop").Collection("things")); err != nil {
					t.Errorf("%s: %v", op.name, err)
				}
			}
			for _, e := range events.started {
				if v, _ := e.Command.Lookup("apiVersion").StringOK(); v != declared.ServerAPI.Version {
					t.Errorf("%s declares the version %q", e.CommandName, v)
				}
			}
			undeclared := connect(t, d, &options.Client{ServerSelectionTimeout: new(shortWait)})
			if err := retriedRead.run(t.Context(), undeclared.Database("shop").Collection("things")); err == nil {
				t.Error("a client without a version is served")
			}
		})
	}
}

// OCSP Support, "Testing Invalid Configurations".
func TestOCSPProseInvalidConfigurations(t *testing.T) {
	for _, query := range []string{
		"tlsInsecure=true&tlsDisableCertificateRevocationCheck=false",
		"tlsAllowInvalidCertificates=true&tlsDisableCertificateRevocationCheck=false",
		"tlsInsecure=true&tlsDisableOCSPEndpointCheck=false",
	} {
		client, err := mongo.Connect(t.Context(), "mongodb://localhost/?tls=true&"+query)
		if err == nil {
			t.Errorf("%s is accepted", query)
			client.Close(t.Context())
		}
	}
}
