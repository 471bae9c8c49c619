package uri_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
)

type brokenResolver struct {
	srv func() ([]*net.SRV, error)
	txt func() ([]string, error)
}

func (r brokenResolver) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	records, err := r.srv()
	return "", records, err
}
func (r brokenResolver) LookupTXT(context.Context, string) ([]string, error) { return r.txt() }

// A resolver that breaks its contract makes the look-up fail.
func TestAResolverThatBreaksItsContract(t *testing.T) {
	good := func() ([]*net.SRV, error) { return []*net.SRV{{Target: "a.example.com.", Port: 27017}}, nil }
	for name, tt := range map[string]struct {
		r    brokenResolver
		want string
	}{
		"SRV panics": {brokenResolver{srv: func() ([]*net.SRV, error) { panic("boom") }}, "Resolver panicked: boom"},
		"TXT panics": {brokenResolver{good, func() ([]string, error) { panic("boom") }}, "Resolver panicked: boom"},
		"nothing":    {brokenResolver{srv: func() ([]*net.SRV, error) { return nil, nil }}, "no SRV records"},
		"a nil record": {brokenResolver{srv: func() ([]*net.SRV, error) { return []*net.SRV{nil}, nil }},
			"Resolver returned a nil record"},
	} {
		t.Run(name, func(t *testing.T) {
			cs, err := uri.Parse("mongodb+srv://cluster.example.com")
			if err != nil {
				t.Fatal(err)
			}
			_, err = uri.Resolve(t.Context(), cs, tt.r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if strings.Contains(tt.want, "Resolver") {
				if _, ok := errors.AsType[fault.CallbackError](err); !ok {
					t.Errorf("got a %T", err)
				}
			}
			if _, _, _, err := uri.RescanHosts(t.Context(), tt.r, "cluster.example.com", "mongodb"); name == "a nil record" && err == nil {
				t.Error("polling accepts a nil record")
			}
		})
	}
}

// A name need not have a TXT record, and a resolver may say so without an error.
func TestAResolverThatKnowsNoTXTRecord(t *testing.T) {
	cs, err := uri.Parse("mongodb+srv://cluster.example.com")
	if err != nil {
		t.Fatal(err)
	}
	r := brokenResolver{
		func() ([]*net.SRV, error) { return []*net.SRV{{Target: "a.example.com.", Port: 27017}}, nil },
		func() ([]string, error) { return nil, nil },
	}
	if resolved, err := uri.Resolve(t.Context(), cs, r); err != nil || len(resolved.Hosts) != 1 {
		t.Errorf("got %v, %v", resolved, err)
	}
}
