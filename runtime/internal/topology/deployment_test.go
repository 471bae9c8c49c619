package topology_test

import (
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestKindsOfDeployment finds a server of each kind of deployment over the wire and talks to it.
func TestKindsOfDeployment(t *testing.T) {
	tests := []struct {
		name     string
		servers  mongotest.Option
		options  options.Client
		topology description.TopologyType
		router   bool
	}{
		{"standalone", mongotest.Standalone(), options.Client{}, description.Single, false},
		{"direct", mongotest.Standalone(), options.Client{DirectConnection: new(true)}, description.Single, false},
		{"sharded", mongotest.Sharded(2), options.Client{}, description.Sharded, true},
		{"load balanced", mongotest.LoadBalanced(2), options.Client{LoadBalanced: new(true)}, description.LoadBalanced, true},
		{"polled", mongotest.ReplicaSet(1), options.Client{ServerMonitoringMode: new(options.MonitorPoll)},
			description.ReplicaSetWithPrimary, false},
	}
	ping, err := bson.Marshal(bson.D{{Key: "ping", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, tt.servers)
			top := topology.New(topology.Config{Hosts: d.Hosts(), Options: &tt.options, Dialer: &conn.Dialer{}})
			top.Connect()
			defer func() {
				if err := top.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			s, err := top.SelectServer(t.Context(), &topology.Request{Operation: "ping", Write: true})
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.CheckOut(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.CheckIn(c)
			if _, err := c.Conn.RunCommand(t.Context(), "admin", ping); err != nil {
				t.Error(err)
			}
			if got := top.Description().Type; got != tt.topology {
				t.Errorf("topology %v, want %v", got, tt.topology)
			}
			if s.IsRouter() != tt.router {
				t.Errorf("IsRouter() = %v", s.IsRouter())
			}
			if balanced := tt.topology == description.LoadBalanced; (c.ServiceID() != nil) != balanced {
				t.Errorf("service %v", c.ServiceID())
			}
		})
	}
}

// TestCheckOutFindsOutThatThePrimaryHasSteppedDown polls so rarely that only the handshake of a pooled connection can
// notice.
func TestCheckOutFindsOutThatThePrimaryHasSteppedDown(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	top := topology.New(topology.Config{
		Hosts: d.Hosts(), Dialer: &conn.Dialer{},
		Options: &options.Client{ServerMonitoringMode: new(options.MonitorPoll), HeartbeatFrequency: new(time.Hour)},
	})
	top.Connect()
	defer func() {
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	primary, err := top.SelectServer(t.Context(), &topology.Request{Operation: "ping", Write: true})
	if err != nil {
		t.Fatal(err)
	}
	d.StepDown()
	c, err := primary.CheckOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer primary.CheckIn(c)
	if got := primary.Description().Type; got != description.RSSecondary {
		t.Errorf("the server that stepped down is %v", got)
	}
}

// TestLoadBalancedModeNeedsALoadBalancer connects to a mongos without a load balancer. The oldest one does not know the
// command hello, the first command in that mode.
//
// Load Balancer, "Connection Establishment".
func TestLoadBalancedModeNeedsALoadBalancer(t *testing.T) {
	for _, version := range []string{"4.2", mongotest.DefaultVersion} {
		t.Run(version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Sharded(1), mongotest.Version(version))
			top := topology.New(topology.Config{
				Hosts: d.Hosts()[:1], Options: &options.Client{LoadBalanced: new(true)}, Dialer: &conn.Dialer{},
			})
			top.Connect()
			defer func() {
				if err := top.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			s, err := top.SelectServer(t.Context(), &topology.Request{Operation: "ping", Write: true})
			if err != nil {
				t.Fatal(err)
			}
			const want = "Driver attempted to initialize in load balancing mode, but the server does not support this mode"
			c, err := s.CheckOut(t.Context())
			if err == nil {
				s.CheckIn(c)
			}
			if err == nil || !strings.Contains(err.Error(), want) || s.Operations() != 0 {
				t.Errorf("CheckOut() = %v, want %q; %d operations", err, want, s.Operations())
			}
		})
	}
}

// TestNoAuthenticationWithAnArbiter connects to an arbiter alone, with a credential that the rest of the set asks for.
//
// Auth, "Authentication Handshake", step 2.
func TestNoAuthenticationWithAnArbiter(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Auth("ada", "secret"))
	if err := d.Reconfigure(
		mongotest.Member{Node: 0, Priority: 1}, mongotest.Member{Node: 1, Priority: 1}, mongotest.Member{Node: 2, Arbiter: true},
	); err != nil {
		t.Fatal(err)
	}
	for node, want := range []bool{true, true, false} {
		login, err := auth.New(&options.Credential{
			Username: new("ada"), Password: new("secret"), AuthSource: new("admin"),
		}, auth.Config{})
		if err != nil {
			t.Fatal(err)
		}
		top := topology.New(topology.Config{
			Hosts: d.Hosts()[node : node+1], Options: &options.Client{DirectConnection: new(true)}, Dialer: &conn.Dialer{}, Auth: login,
		})
		top.Connect()
		s, err := top.SelectServer(t.Context(), &topology.Request{Operation: "ping"})
		if err != nil {
			t.Fatal(err)
		}
		before := len(d.Commands())
		c, err := s.CheckOut(t.Context())
		if err != nil {
			t.Fatalf("node %d: %v", node, err)
		}
		s.CheckIn(c)
		asked := false
		for _, command := range d.Commands()[before:] {
			asked = asked || strings.HasPrefix(command.Name, "sasl")
		}
		if asked != want {
			t.Errorf("node %d: an authentication: %v, want %v", node, asked, want)
		}
		if err := top.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
