package discovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
)

// TopologyTest checks a topology description.
type TopologyTest struct {
	c *Test
	t *testing.T
}

// Topology checks the type of the topology, and returns it for further checks.
func (c *Test) Topology(want description.TopologyType) *TopologyTest {
	c.t.Helper()
	if c.topology.Type != want {
		c.t.Errorf("the topology is %v, want %v", c.topology.Type, want)
	}
	return &TopologyTest{c, c.t}
}

// SetName checks the name of the replica set.
func (top *TopologyTest) SetName(want string) {
	top.t.Helper()
	checkEqual(top.t, "the topology's setName", top.c.topology.SetName, want)
}

// NoSetName checks that there is no name.
func (top *TopologyTest) NoSetName() { top.t.Helper(); top.SetName("") }

// LogicalSessionTimeoutMinutes checks the timeout of sessions.
func (top *TopologyTest) LogicalSessionTimeoutMinutes(want int64) {
	top.t.Helper()
	checkSet(top.t, "the topology's logicalSessionTimeoutMinutes", top.c.topology.LogicalSessionTimeoutMinutes, want)
}

// NoLogicalSessionTimeoutMinutes checks that there is no timeout.
func (top *TopologyTest) NoLogicalSessionTimeoutMinutes() {
	top.t.Helper()
	checkUnset(top.t, "the topology's logicalSessionTimeoutMinutes", top.c.topology.LogicalSessionTimeoutMinutes)
}

// MaxSetVersion checks the largest setVersion.
func (top *TopologyTest) MaxSetVersion(want int64) {
	top.t.Helper()
	checkSet(top.t, "maxSetVersion", top.c.topology.MaxSetVersion, want)
}

// NoMaxSetVersion checks that no setVersion was seen.
func (top *TopologyTest) NoMaxSetVersion() {
	top.t.Helper()
	checkUnset(top.t, "maxSetVersion", top.c.topology.MaxSetVersion)
}

// MaxElectionID checks the largest electionId.
func (top *TopologyTest) MaxElectionID(want bson.ObjectID) {
	top.t.Helper()
	checkSet(top.t, "maxElectionId", top.c.topology.MaxElectionID, want)
}

// NoMaxElectionID checks that no electionId was seen.
func (top *TopologyTest) NoMaxElectionID() {
	top.t.Helper()
	checkUnset(top.t, "maxElectionId", top.c.topology.MaxElectionID)
}

// Compatible checks whether every server speaks a wire version of the driver, and that there is a message if not.
func (top *TopologyTest) Compatible(want bool) {
	top.t.Helper()
	checkEqual(top.t, "compatible", top.c.topology.Compatible, want)
	checkEqual(top.t, "having a compatibility error", top.c.topology.CompatibilityError != "", !want)
}

// Servers checks which servers there are.
func (top *TopologyTest) Servers(want ...string) {
	top.t.Helper()
	slices.Sort(want)
	if got := top.c.addresses(); !slices.Equal(got, want) {
		top.t.Errorf("the servers are %q, want %q", got, want)
	}
}

// ServerTest checks the description of a server.
type ServerTest struct {
	t          *testing.T
	name       string
	server     *description.Server
	generation uint64
}

// Server checks the type of a server, and returns it for further checks.
func (top *TopologyTest) Server(address string, want description.ServerType) *ServerTest {
	top.t.Helper()
	s := &ServerTest{t: top.t, name: address, generation: top.c.generations[address]}
	found, ok := top.c.topology.Server(address)
	if !ok {
		top.t.Errorf("there is no server %s", address)
		s.server = &description.Server{}
		return s
	}
	s.server = found
	checkEqual(top.t, address, found.Type, want)
	return s
}

// ErrorContains checks the message of the server's error.
func (s *ServerTest) ErrorContains(want string) {
	s.t.Helper()
	if s.server.Err == nil || !strings.Contains(s.server.Err.Error(), want) {
		s.t.Errorf("%s: the error is %v, want one with %q", s.name, s.server.Err, want)
	}
}

// SetName checks the name of the replica set.
func (s *ServerTest) SetName(want string) {
	s.t.Helper()
	checkEqual(s.t, s.name+": setName", s.server.SetName, want)
}

// NoSetName checks that there is no name.
func (s *ServerTest) NoSetName() { s.t.Helper(); s.SetName("") }

// SetVersion checks the version of the replica set's configuration.
func (s *ServerTest) SetVersion(want int64) {
	s.t.Helper()
	checkSet(s.t, s.name+": setVersion", s.server.SetVersion, want)
}

// NoSetVersion checks that there is no version.
func (s *ServerTest) NoSetVersion() {
	s.t.Helper()
	checkUnset(s.t, s.name+": setVersion", s.server.SetVersion)
}

// ElectionID checks the election that the primary won.
func (s *ServerTest) ElectionID(want bson.ObjectID) {
	s.t.Helper()
	checkSet(s.t, s.name+": electionId", s.server.ElectionID, want)
}

// NoElectionID checks that there is no election.
func (s *ServerTest) NoElectionID() {
	s.t.Helper()
	checkUnset(s.t, s.name+": electionId", s.server.ElectionID)
}

// LogicalSessionTimeoutMinutes checks the timeout of sessions.
func (s *ServerTest) LogicalSessionTimeoutMinutes(want int64) {
	s.t.Helper()
	checkSet(s.t, s.name+": logicalSessionTimeoutMinutes", s.server.LogicalSessionTimeoutMinutes, want)
}

// NoLogicalSessionTimeoutMinutes checks that there is no timeout.
func (s *ServerTest) NoLogicalSessionTimeoutMinutes() {
	s.t.Helper()
	checkUnset(s.t, s.name+": logicalSessionTimeoutMinutes", s.server.LogicalSessionTimeoutMinutes)
}

// MinWireVersion checks the lowest wire version.
func (s *ServerTest) MinWireVersion(want int32) {
	s.t.Helper()
	checkEqual(s.t, s.name+": minWireVersion", s.server.MinWireVersion, want)
}

// NoMinWireVersion checks that the server has not said its lowest wire version.
func (s *ServerTest) NoMinWireVersion() { s.t.Helper(); s.MinWireVersion(0) }

// MaxWireVersion checks the highest wire version.
func (s *ServerTest) MaxWireVersion(want int32) {
	s.t.Helper()
	checkEqual(s.t, s.name+": maxWireVersion", s.server.MaxWireVersion, want)
}

// NoMaxWireVersion checks that the server has not said its highest wire version.
func (s *ServerTest) NoMaxWireVersion() { s.t.Helper(); s.MaxWireVersion(0) }

// TopologyVersion checks the state of the server's process.
func (s *ServerTest) TopologyVersion(want bson.D) {
	s.t.Helper()
	got := s.server.TopologyVersion
	if got == nil {
		s.t.Errorf("%s: there is no topologyVersion, want %v", s.name, want)
		return
	}
	process, _ := want.Lookup("processId")
	counter, _ := want.Lookup("counter")
	if len(want) != 2 || process != got.ProcessID || fmt.Sprint(counter) != fmt.Sprint(got.Counter) {
		s.t.Errorf("%s: the topologyVersion is %v, want %v", s.name, *got, want)
	}
}

// NoTopologyVersion checks that there is none.
func (s *ServerTest) NoTopologyVersion() {
	s.t.Helper()
	checkUnset(s.t, s.name+": topologyVersion", s.server.TopologyVersion)
}

// PoolGeneration checks how often the server's pool was cleared.
func (s *ServerTest) PoolGeneration(want uint64) {
	s.t.Helper()
	checkEqual(s.t, s.name+": the pool's generation", s.generation, want)
}

func checkEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func checkSet[T comparable](t *testing.T, what string, got *T, want T) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not set, want %v", what, want)
	} else {
		checkEqual(t, what, *got, want)
	}
}

func checkUnset[T any](t *testing.T, what string, got *T) {
	t.Helper()
	if got != nil {
		t.Errorf("%s is %v, want none", what, *got)
	}
}
