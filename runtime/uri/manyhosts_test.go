package uri_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

// manyRecords returns a function that returns records of n hosts.
func manyRecords(n int, port uint16) func() ([]*net.SRV, error) {
	return func() ([]*net.SRV, error) {
		list := make([]*net.SRV, n)
		for i := range list {
			list[i] = &net.SRV{Target: fmt.Sprintf("h%d.example.com.", i), Port: port}
		}
		return list, nil
	}
}

func noText() ([]string, error) { return nil, nil }

// Each host costs a client a monitor and a pool. A look-up that names too many is an error unless srvMaxHosts picks
// some.
func TestTooManyHostsAreAnError(t *testing.T) {
	for _, tt := range []struct {
		n     int
		query string
		want  int // 0 for an error
	}{
		{10_000, "", 10_000}, {10_001, "", 0}, {100_000, "", 0}, {100_000, "?srvMaxHosts=0", 0},
		{100_000, "?srvMaxHosts=1", 1}, {100_000, "?srvMaxHosts=3", 3}, {100_000, "?srvMaxHosts=10000", 10_000}, {100_000, "?srvMaxHosts=10001", 0},
	} {
		t.Run(fmt.Sprint(tt.n, tt.query), func(t *testing.T) {
			cs, err := uri.Parse("mongodb+srv://cluster.example.com/" + tt.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := uri.Resolve(t.Context(), cs, brokenResolver{manyRecords(tt.n, 27017), noText})
			if tt.want == 0 {
				if err == nil || !strings.Contains(err.Error(), "srvMaxHosts") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || len(got.Hosts) != tt.want {
				t.Errorf("got %d hosts, %v", len(got.Hosts), err)
			}
		})
	}
}

// No server listens on port 0.
func TestThePortZeroIsRefused(t *testing.T) {
	cs, err := uri.Parse("mongodb+srv://cluster.example.com")
	if err != nil {
		t.Fatal(err)
	}
	r := brokenResolver{manyRecords(1, 0), noText}
	if _, err := uri.Resolve(t.Context(), cs, r); err == nil || !strings.Contains(err.Error(), "port 0") {
		t.Errorf("got %v", err)
	}
	hosts, refused, _, err := uri.RescanHosts(t.Context(), r, "cluster.example.com", "mongodb")
	if len(hosts) != 0 || len(refused) != 1 || err != nil {
		t.Errorf("polling gave %q and refused %q, %v", hosts, refused, err)
	}
}
