package sdam_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/sdam"
)

func manyHosts(n int) []string {
	hosts := make([]string, n)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%d:1", (i*7919)%n)
	}
	return hosts
}

func replyWith(t *testing.T, fields ...any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(bson.Doc(fields...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A member that names more hosts than a replica set can have becomes Unknown, with an error that says so.
func TestAHelloOfManyHostsIsAnError(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want description.ServerType
	}{
		{wire.MaxHelloHosts, description.RSPrimary}, {wire.MaxHelloHosts + 1, description.ServerUnknown}, {40_000, description.ServerUnknown},
	} {
		hosts := manyHosts(tt.n)
		reply := replyWith(t, "ok", 1, "isWritablePrimary", true, "setName", "rs", "hosts", hosts[:tt.n/2], "passives", hosts[tt.n/2:],
			"minWireVersion", 0, "maxWireVersion", 25)
		s := sdam.ServerFromHello("h0:1", reply, time.Now())
		if s.Type != tt.want || (s.Err != nil) != (tt.want == description.ServerUnknown) {
			t.Errorf("%d hosts: %v, %v", tt.n, s.Type, s.Err)
		}
	}
}

// The cost of many hosts must not grow with the square of their number: 100,000 hosts took minutes.
func TestManyHostsAreAddedAtOnce(t *testing.T) {
	hosts := manyHosts(100_000)
	m := &sdam.Model{Seeds: []string{"seed:1"}}
	topology, _ := m.Initial()
	began := time.Now()
	topology, fx := m.SetHosts(topology, hosts)
	if len(topology.Servers) != len(hosts) || len(fx.Opened) != len(hosts) || !slices.Equal(fx.Closed, []string{"seed:1"}) {
		t.Fatalf("%d servers, %d opened, %d closed", len(topology.Servers), len(fx.Opened), len(fx.Closed))
	}
	if topology, _ = m.SetHosts(topology, hosts[:3]); len(topology.Servers) != 3 {
		t.Errorf("%d servers are left", len(topology.Servers))
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestOnlyOneIsOK(t *testing.T) {
	for _, tt := range []struct {
		ok   any
		want bool
	}{
		{1, true}, {1.0, true}, {int64(1), true}, {0, false}, {math.NaN(), false}, {math.Inf(1), false}, {-1, false}, {"1", false}, {nil, false},
	} {
		s := sdam.ServerFromHello("a:1", replyWith(t, "ok", tt.ok, "maxWireVersion", 25), time.Now())
		if got := s.Type != description.ServerUnknown; got != tt.want || got == (s.Err != nil) {
			t.Errorf("ok %v: %v, %v", tt.ok, s.Type, s.Err)
		}
	}
}
