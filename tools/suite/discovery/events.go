package discovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
)

// TopologyOpening is the first event of a client.
type TopologyOpening struct{}

// TopologyClosed is the last.
type TopologyClosed struct{}

// ServerOpening says that a server has joined.
type ServerOpening struct{ Address string }

// ServerClosed says that a server has left.
type ServerClosed struct{ Address string }

// ServerDescriptionChanged says what became of a server.
type ServerDescriptionChanged struct {
	Address       string
	Previous, New ServerDescription
}

// TopologyDescriptionChanged says what became of the topology.
type TopologyDescriptionChanged struct {
	Previous, New TopologyDescription
}

// TopologyDescription is what a case says about a topology: nil is any name.
type TopologyDescription struct {
	Type    description.TopologyType
	SetName *string
	Servers []ServerDescription
}

// ServerDescription is what a case says about a server: nil is any value.
type ServerDescription struct {
	Address                   string
	Type                      description.ServerType
	Hosts, Passives, Arbiters []string
	Primary, SetName          *string
}

// Publishes checks the events since the last call, or since the client started.
func (c *Test) Publishes(want ...any) {
	c.t.Helper()
	got := c.events
	c.events = nil
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			c.t.Errorf("event %d is missing: %s", i+1, show(want[i]))
		case i >= len(want):
			c.t.Errorf("event %d is not expected: %s", i+1, show(got[i]))
		default:
			if problem := c.compare(got[i], want[i]); problem != "" {
				c.t.Errorf("event %d: %s\ngot  %s\nwant %s", i+1, problem, show(got[i]), show(want[i]))
			}
		}
	}
}

func show(v any) string { return strings.ReplaceAll(fmt.Sprintf("%T %+v", v, v), "\n", " ") }

// compare says how an event differs from the expected one.
func (c *Test) compare(got, want any) string {
	var id bson.ObjectID
	problem := "it is another event"
	switch got := got.(type) {
	case *event.TopologyOpening:
		id = got.TopologyID
		if _, ok := want.(TopologyOpening); ok {
			problem = ""
		}
	case *event.TopologyClosed:
		id = got.TopologyID
		if _, ok := want.(TopologyClosed); ok {
			problem = ""
		}
	case *event.ServerOpening:
		id = got.TopologyID
		if want, ok := want.(ServerOpening); ok {
			problem = describeDifference("address", got.Address, want.Address)
		}
	case *event.ServerClosed:
		id = got.TopologyID
		if want, ok := want.(ServerClosed); ok {
			problem = describeDifference("address", got.Address, want.Address)
		}
	case *event.ServerDescriptionChanged:
		id = got.TopologyID
		if want, ok := want.(ServerDescriptionChanged); ok {
			problem = firstProblem(
				describeDifference("address", got.Address, want.Address),
				compareServer("previous description", got.PreviousDescription, want.Previous),
				compareServer("new description", got.NewDescription, want.New))
		}
	case *event.TopologyDescriptionChanged:
		id = got.TopologyID
		if want, ok := want.(TopologyDescriptionChanged); ok {
			problem = firstProblem(
				compareTopology("previous description", got.PreviousDescription, want.Previous),
				compareTopology("new description", got.NewDescription, want.New))
		}
	}
	return firstProblem(problem, describeDifference("topologyId", id, c.model.TopologyID))
}

func compareTopology(what string, got *description.Topology, want TopologyDescription) string {
	problem := describeDifference(what+": type", got.Type, want.Type)
	if want.SetName != nil {
		problem = firstProblem(problem, describeDifference(what+": setName", got.SetName, *want.SetName))
	}
	problem = firstProblem(problem, describeDifference(what+": number of servers", len(got.Servers), len(want.Servers)))
	for _, w := range want.Servers {
		s, ok := got.Server(w.Address)
		if !ok {
			return firstProblem(problem, what+": there is no server "+w.Address)
		}
		problem = firstProblem(problem, compareServer(what+": "+w.Address, s, w))
	}
	return problem
}

func compareServer(what string, got *description.Server, want ServerDescription) string {
	problem := firstProblem(
		describeDifference(what+": address", got.Address, want.Address),
		describeDifference(what+": type", got.Type, want.Type),
		differLists(what+": hosts", got.Hosts, want.Hosts),
		differLists(what+": passives", got.Passives, want.Passives),
		differLists(what+": arbiters", got.Arbiters, want.Arbiters))
	if want.Primary != nil {
		problem = firstProblem(problem, describeDifference(what+": primary", got.Primary, *want.Primary))
	}
	if want.SetName != nil {
		problem = firstProblem(problem, describeDifference(what+": setName", got.SetName, *want.SetName))
	}
	return problem
}

func describeDifference[T comparable](what string, got, want T) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("%s is %v, want %v", what, got, want)
}

func differLists(what string, got, want []string) string {
	if want == nil || slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("%s are %q, want %q", what, got, want)
}

// firstProblem returns the first problem that is one.
func firstProblem(problems ...string) string {
	for _, p := range problems {
		if p != "" {
			return p
		}
	}
	return ""
}
