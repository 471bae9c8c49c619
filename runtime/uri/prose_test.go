package uri_test

import (
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

// Initial DNS Seedlist Discovery tests, "1. Allow SRVs with fewer than 3 . separated parts".
func TestSRVProse1AllowsNamesOfFewParts(t *testing.T) {
	for _, in := range []string{"mongodb+srv://localhost", "mongodb+srv://mongo.local"} {
		if _, err := uri.Parse(in); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// Initial DNS Seedlist Discovery tests, "2. Throw when return address does not end with SRV domain".
func TestSRVProse2RefusesAnotherDomain(t *testing.T) {
	wantRefusal(t, map[string]string{
		"mongodb+srv://localhost":         "localhost.mongodb",
		"mongodb+srv://mongo.local":       "test_1.evil.local",
		"mongodb+srv://blogs.mongodb.com": "blogs.evil.com",
	})
}

// Initial DNS Seedlist Discovery tests, "3. Throw when return address is identical to SRV hostname".
func TestSRVProse3RefusesTheNameItself(t *testing.T) {
	wantRefusal(t, map[string]string{"mongodb+srv://localhost": "localhost", "mongodb+srv://mongo.local": "mongo.local"})
}

// Initial DNS Seedlist Discovery tests, "4. Throw when return address does not contain . separating shared part of
// domain".
func TestSRVProse4RefusesADomainWithoutItsDot(t *testing.T) {
	wantRefusal(t, map[string]string{
		"mongodb+srv://localhost":         "test_1.cluster_1localhost",
		"mongodb+srv://mongo.local":       "test_1.my_hostmongo.local",
		"mongodb+srv://blogs.mongodb.com": "cluster.testmongodb.com",
	})
}

func wantRefusal(t *testing.T, answers map[string]string) {
	t.Helper()
	for in, target := range answers {
		cs, err := uri.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := uri.Resolve(t.Context(), cs, targetResolver{target}); err == nil {
			t.Errorf("%s accepts %s: %v", in, target, got.Hosts)
		}
	}
}
