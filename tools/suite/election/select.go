package election

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/selection"
	"github.com/specdrivers/onion/tools/suite"
)

// Test is a selection.
type Test struct {
	t        *testing.T
	topology *description.Topology
	selector selection.Selector
}

// Read selects for a read; a nil preference means that the client sets none.
func Read(t *testing.T, topology *description.Topology, preference *options.ReadPreference) *Test {
	t.Helper()
	mode := options.Primary
	if preference != nil && preference.Mode != 0 {
		mode = preference.Mode
	}
	suite.Touch("selection-rules", "mode "+mode.String())
	suite.Touch("selection-rules", "read in "+topology.Type.String())
	return &Test{t, prepare(topology), selection.Selector{
		ReadPreference:     preference,
		LocalThreshold:     options.DefaultLocalThreshold,
		HeartbeatFrequency: options.DefaultHeartbeatFrequency,
	}}
}

// Write selects for a write. The preference is the client's, and must not matter.
func Write(t *testing.T, topology *description.Topology, preference *options.ReadPreference) *Test {
	t.Helper()
	s := Read(t, topology, preference)
	s.selector.Write = true
	suite.Touch("selection-rules", "write in "+topology.Type.String())
	return s
}

// prepare completes a mocked topology with the fields that every real one has.
func prepare(topology *description.Topology) *description.Topology {
	topology.Compatible = true
	slices.SortFunc(topology.Servers, func(a, b description.Server) int { return strings.Compare(a.Address, b.Address) })
	for i := range topology.Servers {
		if s := &topology.Servers[i]; s.MaxWireVersion == 0 && s.Type != description.ServerUnknown {
			s.MinWireVersion, s.MaxWireVersion = 0, wire.MaxSupportedWireVersion
		}
	}
	return topology
}

// Heartbeat sets how often servers are checked.
func (s *Test) Heartbeat(every time.Duration) { s.selector.HeartbeatFrequency = every }

// Deprioritize names servers that are chosen only when no other is suitable.
func (s *Test) Deprioritize(addresses ...string) { s.selector.Deprioritized = addresses }

// Suitable checks which servers are suitable, near or not.
func (s *Test) Suitable(want ...string) {
	s.t.Helper()
	s.validate()
	s.compare("suitable", s.selector.AppendSuitable(s.topology, nil), want)
}

// InWindow checks which servers are suitable and near enough, and that the choice falls on each of them and no other.
func (s *Test) InWindow(want ...string) {
	s.t.Helper()
	s.validate()
	s.compare("in the latency window",
		selection.Window(s.selector.AppendSuitable(s.topology, nil), s.selector.LocalThreshold), want)
	idle := func(string) int64 { return 0 }
	for i := range want {
		chosen, err := s.selector.Select(s.topology, idle, func(n int) int { return i % n })
		if err != nil {
			s.t.Fatalf("select: %v", err)
		}
		if chosen == nil || !slices.Contains(want, chosen.Address) {
			s.t.Errorf("%v is chosen, want one of %q", chosen, want)
		}
	}
	if len(want) == 0 {
		if chosen, err := s.selector.Select(s.topology, idle, func(int) int { return 0 }); err != nil || chosen != nil {
			s.t.Errorf("%v is chosen (%v), want none", chosen, err)
		}
	}
}

// Fails checks that the read preference is refused.
func (s *Test) Fails() {
	s.t.Helper()
	if err := s.selector.Validate(s.topology); err == nil {
		s.t.Errorf("the read preference is accepted")
	}
	if chosen, err := s.selector.Select(s.topology, func(string) int64 { return 0 }, func(int) int { return 0 }); err == nil {
		s.t.Errorf("%v is chosen, want an error", chosen)
	}
}

func (s *Test) validate() {
	s.t.Helper()
	if err := s.selector.Validate(s.topology); err != nil {
		s.t.Fatalf("the read preference is refused: %v", err)
	}
}

func (s *Test) compare(what string, got []*description.Server, want []string) {
	s.t.Helper()
	addresses := make([]string, len(got))
	for i, server := range got {
		addresses[i] = server.Address
	}
	slices.Sort(addresses)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(addresses, want) {
		s.t.Errorf("the servers %s are %q, want %q", what, addresses, want)
	}
}
