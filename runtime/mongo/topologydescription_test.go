package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func TestDescriptionTellsReadableAndWritableServers(t *testing.T) {
	nearest := &options.ReadPreference{Mode: options.Nearest}
	for _, test := range []struct {
		name               string
		topology           description.TopologyType
		server             description.ServerType
		rp                 *options.ReadPreference
		readable, writable bool
	}{
		{"nothing is known", description.TopologyUnknown, description.ServerUnknown, nearest, false, false},
		{"one server that is down", description.Single, description.ServerUnknown, nil, false, false},
		{"one secondary", description.Single, description.RSSecondary, nil, true, true},
		{"a set without a primary", description.ReplicaSetNoPrimary, description.RSSecondary, nil, false, false},
		{"a set without a primary, nearest", description.ReplicaSetNoPrimary, description.RSSecondary, nearest, true, false},
		{"a set with a primary", description.ReplicaSetWithPrimary, description.RSPrimary, nil, true, true},
		{"a set with a primary, secondary", description.ReplicaSetWithPrimary, description.RSPrimary,
			&options.ReadPreference{Mode: options.Secondary}, false, true},
		{"routers", description.Sharded, description.Mongos, nil, true, true},
		{"routers that are down", description.Sharded, description.ServerUnknown, nil, false, false},
		{"a load balancer", description.LoadBalanced, description.LoadBalancer, nil, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongo.TopologyDescription{Topology: &description.Topology{
				Type: test.topology, Servers: []description.Server{{Address: "a:27017", Type: test.server}},
			}}
			if got := d.HasReadableServer(test.rp); got != test.readable {
				t.Errorf("readable: got %t", got)
			}
			if got := d.HasWritableServer(); got != test.writable {
				t.Errorf("writable: got %t", got)
			}
		})
	}
}
