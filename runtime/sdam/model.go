package sdam

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"

	"github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// DriverName is the name of the driver in messages for users.
const DriverName = "the Onion driver"

// Model holds the part of a client's configuration that SDAM needs. It does not change after Initial.
type Model struct {
	Seeds        []string // "host:port" in lower case, or the path of a unix domain socket; at least one
	SetName      string   // the replicaSet option
	Direct       bool     // the directConnection option
	LoadBalanced bool     // the loadBalanced option
	TopologyID   bson.ObjectID

	transition func(description.TopologyType, description.ServerType) []sdamtable.Action // nil = the table; tests replace it
}

// NewModel makes a client's model from its seeds and options.
func NewModel(seeds []string, o *options.Client, topologyID bson.ObjectID) *Model {
	m := &Model{Seeds: make([]string, len(seeds)), TopologyID: topologyID}
	for i, seed := range seeds {
		m.Seeds[i] = normalize(seed)
	}
	slices.Sort(m.Seeds)
	m.Seeds = slices.Compact(m.Seeds)
	if o == nil {
		return m
	}
	if o.ReplicaSet != nil {
		m.SetName = *o.ReplicaSet
	}
	m.Direct = option.Or(o.DirectConnection, options.DefaultDirectConnection)
	m.LoadBalanced = option.Or(o.LoadBalanced, options.DefaultLoadBalanced)
	return m
}

// normalize returns an address with its hostname in lower case. The path of a unix domain socket has no hostname, and
// case matters in it. No hostname has a slash.
//
// SDAM, "Initial Servers" and "Hostnames are normalized to lower-case".
func normalize(address string) string {
	if strings.ContainsAny(address, `/\`) {
		return address
	}
	return strings.ToLower(address)
}

// Initial returns a client's first description and its effects: the opening events and the monitors of the seeds.
// Behind a load balancer nothing is monitored, and the one server is usable at once.
//
// SDAM, "Initial TopologyType"; Load Balancer, "Monitoring".
func (m *Model) Initial() (description.Topology, Effects) {
	empty := description.Topology{Type: description.TopologyUnknown, Compatible: true}
	var fx Effects
	fx.publish(&event.TopologyOpening{TopologyID: m.TopologyID})

	u := m.begin(empty)
	u.next.Type = sdamtable.InitialTopology(m.LoadBalanced, m.Direct, m.SetName != "")
	u.next.SetName = m.SetName
	u.add(m.Seeds...)
	t := u.next
	fx.publish(m.topologyChanged(&empty, &t))
	for _, seed := range m.Seeds {
		fx.publish(&event.ServerOpening{Address: seed, TopologyID: m.TopologyID})
	}
	if !m.LoadBalanced {
		fx.Opened = m.Seeds
		return t, fx
	}
	balanced, more := m.balance(t)
	fx.Events = append(fx.Events, more.Events...)
	fx.Ready = more.Ready
	return balanced, fx
}

// balance turns the only server of a load balanced topology into a LoadBalancer.
func (m *Model) balance(t description.Topology) (description.Topology, Effects) {
	u := m.begin(t)
	for i := range u.next.Servers {
		s := &u.next.Servers[i]
		s.Type = sdamtable.Classify(&sdamtable.Hello{LoadBalanced: true})
		u.fx.Ready = append(u.fx.Ready, s.Address)
	}
	return u.finish(nil)
}

// Close returns the description of a closed client and its effects: every server leaves the topology.
//
// SDAM, "Client closing".
func (m *Model) Close(t description.Topology) (description.Topology, Effects) {
	var fx Effects
	for i := range t.Servers {
		fx.publish(&event.ServerClosed{Address: t.Servers[i].Address, TopologyID: m.TopologyID})
		fx.Closed = append(fx.Closed, t.Servers[i].Address)
	}
	after := description.Topology{Type: description.TopologyUnknown, Compatible: true}
	fx.publish(m.topologyChanged(&t, &after))
	fx.publish(&event.TopologyClosed{TopologyID: m.TopologyID})
	return after, fx
}
