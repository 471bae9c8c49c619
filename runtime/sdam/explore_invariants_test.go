package sdam

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
)

// invariant is what must hold on every edge.
type invariant struct {
	name  string
	holds func(*edge) bool
}

var invariants = []invariant{
	{"at most one RSPrimary", atMostOnePrimary},
	{"ReplicaSetWithPrimary has a primary, ReplicaSetNoPrimary has none", typeMatchesPrimary},
	{"a server that joins was named by the member that was checked", joinersAreNamed},
	{"Single never changes its type or its server", singleStays},
	{"servers of another kind leave", kindsDoNotMix},
	{"the set name never changes once it is known", setNameStays},
	{"a stale topologyVersion never wins", topologyVersionsGrow},
	{"an error of an older generation changes nothing", staleErrorsAreIgnored},
	{"generations only grow: a pool is cleared at most once in a step, and only if its server is there", clearsAreCounted},
	{"monitors start and stop with their servers", monitorsFollowServers},
	{"the published description is the fold of the events", eventsFold},
	{"servers are sorted and unique", serversAreSorted},
}

func count(t *description.Topology, typ description.ServerType) int {
	n := 0
	for i := range t.Servers {
		if t.Servers[i].Type == typ {
			n++
		}
	}
	return n
}

func atMostOnePrimary(e *edge) bool {
	return e.after.Type == description.Single || count(e.after, description.RSPrimary) <= 1
}

func typeMatchesPrimary(e *edge) bool {
	switch e.after.Type {
	case description.ReplicaSetWithPrimary:
		return count(e.after, description.RSPrimary) == 1
	case description.ReplicaSetNoPrimary:
		return count(e.after, description.RSPrimary) == 0
	}
	return true
}

func joinersAreNamed(e *edge) bool {
	for i := range e.after.Servers {
		address := e.after.Servers[i].Address
		if _, ok := e.before.Server(address); !ok && !slices.Contains(e.in.server.Hosts, address) {
			return false
		}
	}
	return true
}

func singleStays(e *edge) bool {
	return e.before.Type != description.Single ||
		e.after.Type == description.Single && len(e.after.Servers) == 1 && e.after.Servers[0].Address == e.before.Servers[0].Address
}

func kindsDoNotMix(e *edge) bool {
	for i := range e.after.Servers {
		typ := e.after.Servers[i].Type
		unknown := typ == description.ServerUnknown || typ == description.PossiblePrimary
		switch e.after.Type {
		case description.Sharded:
			if typ != description.Mongos && !unknown && !ghostFromBefore(e, &e.after.Servers[i]) {
				return false
			}
		case description.ReplicaSetNoPrimary, description.ReplicaSetWithPrimary:
			if typ == description.Mongos || typ == description.Standalone {
				return false
			}
		case description.TopologyUnknown:
			if !unknown && typ != description.RSGhost {
				return false
			}
		}
	}
	return true
}

// ghostFromBefore reports whether a server is an RSGhost from before the topology became Sharded. The table removes it
// only at its next check.
func ghostFromBefore(e *edge, s *description.Server) bool {
	before, ok := e.before.Server(s.Address)
	return s.Type == description.RSGhost && ok && before.Type == description.RSGhost && e.in.server.Address != s.Address
}

func setNameStays(e *edge) bool {
	return e.before.SetName == "" || e.after.SetName == e.before.SetName
}

func topologyVersionsGrow(e *edge) bool {
	for i := range e.before.Servers {
		before := &e.before.Servers[i]
		after, ok := e.after.Server(before.Address)
		if ok && before.TopologyVersion.Compare(after.TopologyVersion) > 0 {
			return false
		}
	}
	return true
}

func staleErrorsAreIgnored(e *edge) bool {
	f := e.in.failure
	return f == nil || f.Generation >= f.PoolGeneration || e.fx.IsEmpty() && e.before.Equal(e.after)
}

func clearsAreCounted(e *edge) bool {
	for i, c := range e.fx.Clear {
		if _, ok := e.before.Server(c.Address); !ok {
			return false
		}
		for _, other := range e.fx.Clear[:i] {
			if other.Address == c.Address {
				return false
			}
		}
	}
	return true
}

func monitorsFollowServers(e *edge) bool {
	return slices.Equal(e.fx.Opened, missing(e.after, e.before)) && slices.Equal(e.fx.Closed, missing(e.before, e.after))
}

// missing returns the addresses of a that b has not.
func missing(a, b *description.Topology) []string {
	var out []string
	for i := range a.Servers {
		if _, ok := b.Server(a.Servers[i].Address); !ok {
			out = append(out, a.Servers[i].Address)
		}
	}
	return out
}

// eventsFold replays the events of the step on the description before it.
func eventsFold(e *edge) bool {
	topology := *e.before
	servers := slices.Clone(e.before.Servers)
	at := func(address string) int {
		return slices.IndexFunc(servers, func(s description.Server) bool { return s.Address == address })
	}
	for _, published := range e.fx.Events {
		switch published := published.(type) {
		case *event.ServerOpening:
			servers = append(servers, description.Server{Address: published.Address})
		case *event.ServerClosed:
			servers = slices.DeleteFunc(servers, func(s description.Server) bool { return s.Address == published.Address })
		case *event.ServerDescriptionChanged:
			i := at(published.Address)
			if i < 0 || !servers[i].Equal(published.PreviousDescription) {
				return false
			}
			servers[i] = *published.NewDescription
		case *event.TopologyDescriptionChanged:
			if !topology.Equal(published.PreviousDescription) {
				return false
			}
			topology = *published.NewDescription
		}
	}
	if !topology.Equal(e.after) || len(servers) != len(e.after.Servers) {
		return false
	}
	for i := range e.after.Servers {
		found := at(e.after.Servers[i].Address)
		if found < 0 || !sameButPossible(servers[found], e.after.Servers[i]) {
			return false
		}
	}
	return true
}

// sameButPossible compares two descriptions but ignores that a server may be the primary: no event publishes that.
func sameButPossible(folded, after description.Server) bool {
	if after.Type == description.PossiblePrimary {
		after.Type, folded.Type = description.ServerUnknown, min(folded.Type, description.PossiblePrimary)%description.PossiblePrimary
	}
	return folded.Equal(&after)
}

func serversAreSorted(e *edge) bool {
	return slices.IsSortedFunc(e.after.Servers, func(a, b description.Server) int {
		if a.Address == b.Address {
			return 1 // twice the same is not sorted
		}
		return strings.Compare(a.Address, b.Address)
	})
}
