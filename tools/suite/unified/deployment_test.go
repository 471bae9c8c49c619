package unified

import (
	"slices"
	"testing"
)

// Unified Test Format, "Initializing the Test Runner".
func TestBalancersAreNamed(t *testing.T) {
	d := &deployment{kind: Kindred{Topology: "load-balanced", uri: "mongodb://any/", single: "mongodb://one/", several: "mongodb://more/"}}
	for _, tt := range []struct {
		name string
		many *bool
		want string
	}{{"one router", new(false), "mongodb://one/"}, {"several", new(true), "mongodb://more/"}, {"any", nil, "mongodb://more/"}} {
		if got := d.uri(tt.many); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRoutersOfADeployment(t *testing.T) {
	const uri = "mongodb://u:p@a:1,b:2/db?tls=true"
	d := &deployment{kind: Kindred{Topology: "sharded", uri: uri}}
	if got := d.routers(); !slices.Equal(got, []string{"a:1", "b:2"}) {
		t.Errorf("routers %v", got)
	}
	for _, tt := range []struct {
		name string
		many *bool
		want string
	}{{"one", new(false), "mongodb://u:p@a:1/db?tls=true"}, {"several", new(true), uri}, {"any", nil, uri}} {
		if got := d.uri(tt.many); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got, want := d.host("b:2"), "mongodb://u:p@b:2/?tls=true&directConnection=true"; got != want {
		t.Errorf("host: got %s, want %s", got, want)
	}
	if got := (&deployment{kind: Kindred{Topology: "replicaset", uri: uri}}).routers(); got != nil {
		t.Errorf("a replica set has routers: %v", got)
	}
}
