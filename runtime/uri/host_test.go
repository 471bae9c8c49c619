package uri_test

import (
	"context"
	"net"
	"slices"
	"testing"

	"github.com/specdrivers/onion/runtime/uri"
)

func TestMalformedHostsAreRefused(t *testing.T) {
	for _, host := range []string{
		"h%0A", "h\n", "h%00", "h\x00", "%FF", "\xff", "h#frag", "h%23frag", "h%20", "a%09b", "h%7F", "h%25", "h|", "h<", "h;x",
		"h%C2%A0", "h%C2%85", "%E2%80%8B", "[::1%25eth%0A0]", "[::1%25]", "%2Ftmp%2Fa%0A.sock", "%2Ftmp%2Fa%00.sock", "%2Ftmp%2F%FF.sock",
		"", ":1", "h:", "h:0", "h:65536", "h:+1", "h:-1", "h:1:2", "::1", "[::1", "[::1]x", "[1.2.3.4]", "h:1 ",
	} {
		t.Run(host, func(t *testing.T) {
			if cs, err := uri.Parse("mongodb://" + host + "/"); err == nil {
				t.Errorf("the host is %q", cs.Hosts)
			}
		})
	}
	for host, want := range map[string]string{
		"h": "h:27017", "H:1": "h:1", "h:027017": "h:27017", "a_b-c.d": "a_b-c.d:27017", "b%C3%BCcher.example": "bücher.example:27017",
		"[::1]": "[::1]:27017", "[fe80::1%25eth0]:3": "[fe80::1%eth0]:3", "1.2.3.4": "1.2.3.4:27017", "h.": "h.:27017",
		"%2Ftmp%2Fa%20b.sock": "/tmp/a b.sock",
	} {
		t.Run(host, func(t *testing.T) {
			cs, err := uri.Parse("mongodb://" + host + "/")
			if err != nil || !slices.Equal(cs.Hosts, []string{want}) {
				t.Errorf("got %v, %v, want %s", cs, err, want)
			}
		})
	}
}

// targetResolver is a resolver with a record for each target.
type targetResolver []string

func (r targetResolver) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	var list []*net.SRV
	for _, target := range r {
		list = append(list, &net.SRV{Target: target, Port: 27017})
	}
	return "", list, nil
}

func (targetResolver) LookupTXT(context.Context, string) ([]string, error) { return nil, nil }

// Initial DNS Seedlist Discovery, "Querying DNS": a target's parent domain is within the domain of the name.
func TestTargetsOfAnotherDomainAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		ok           bool
	}{
		{"a.b.c.d", "b.c.d", false},
		{"a.b.c.d", "b.c.d.", false},
		{"a.b.c.d", "x.b.c.d", true},
		{"a.b.c.d", "y.x.b.c.d.", true},
		{"a.b.c.d", "X.B.C.D", true},
		{"a.b.c.d", "c.d", false},
		{"a.b.c.d", "xb.c.d", false},
		{"a.b.c.d", "x.b.c.d.evil", false},
		{"a.b.c", "b.c", false},
		{"a.b.c", "x.b.c", true},
		{"b.c", "b.c", false},
		{"b.c", "x.b.c", true},
		{"b.c", "x.c", false},
		{"c", "c", false},
		{"c", "x.c", true},
		{"c", "x.d", false},
		{"a.b.c", "x\n.b.c", false},
		{"a.b.c", "\xff.b.c", false},
	} {
		t.Run(tt.target+" for "+tt.name, func(t *testing.T) {
			_, _, err := uri.LookupHosts(t.Context(), targetResolver{tt.target}, tt.name, "mongodb")
			if (err == nil) != tt.ok {
				t.Errorf("initial scan: %v", err)
			}
			hosts, refused, _, err := uri.RescanHosts(t.Context(), targetResolver{tt.target}, tt.name, "mongodb")
			if err != nil || (len(hosts) == 1) != tt.ok || (len(refused) == 1) == tt.ok {
				t.Errorf("rescan: %v, refused %v, %v", hosts, refused, err)
			}
		})
	}
}
