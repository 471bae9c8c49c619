// The commands replSetGetStatus and replSetGetConfig: show the state of the set's members and the configuration.
//
// Left out: sync sources, initial sync and the metrics of elections.

package replica

import (
	"maps"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// The numbers of the member states in replSetGetStatus.
const (
	statePrimary   = 1
	stateSecondary = 2
	stateStartup2  = 5
	stateArbiter   = 7
	stateDown      = 8
)

// RunGetStatus answers replSetGetStatus.
func (s *Set) RunGetStatus(node int) (bson.Raw, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	applied, committed := s.positions(node)
	members := bson.A{}
	own := int32(0)
	for _, m := range s.members {
		state, text := s.state(m.Node)
		if m.Node == node {
			own = state
		}
		health := 1.0
		if state == stateDown {
			health = 0
		}
		d := bson.Doc("_id", int32(m.Node), "name", s.Processes[m.Node].Address(), "health", health, "state", state, "stateStr", text)
		if state != stateArbiter {
			at := s.position(m.Node)
			date := bson.NewDateTimeFromTime(time.Unix(int64(at.T()), 0))
			d = append(d, bson.E{Key: "optime", Value: s.optime(at)}, bson.E{Key: "optimeDate", Value: date})
		}
		d = append(d, bson.E{Key: "configVersion", Value: int32(s.setVersion)}, bson.E{Key: "configTerm", Value: s.term})
		if m.Node == node {
			d = append(d, bson.E{Key: "self", Value: true})
		}
		members = append(members, d)
	}
	return reply.New().String("set", s.Name).Date("date", s.Now().UnixMilli()).Int32("myState", own).Int64("term", s.term).
		Int64("heartbeatIntervalMillis", 2000).Int32("majorityVoteCount", int32(len(s.members)/2+1)).
		Int32("writeMajorityCount", int32(s.writeMajority())).Int32("votingMembersCount", int32(len(s.members))).
		Value("optimes", bson.Doc("lastCommittedOpTime", s.optime(committed), "appliedOpTime", s.optime(applied),
			"durableOpTime", s.optime(applied))).
		Value("members", members).Done(), nil
}

// optime returns a position in the form that replSetGetStatus uses.
func (s *Set) optime(at store.Timestamp) bson.D {
	return bson.Doc("ts", bson.Timestamp{T: at.T(), I: at.I()}, "t", s.term)
}

// state returns a member's state and its name; s.mu is held.
func (s *Set) state(i int) (int32, string) {
	switch role := s.role(i); {
	case !s.Processes[i].Up():
		return stateDown, "(not reachable/healthy)"
	case role == Primary:
		return statePrimary, "PRIMARY"
	case role == Arbiter:
		return stateArbiter, "ARBITER"
	case role == Syncing:
		return stateStartup2, "STARTUP2"
	}
	return stateSecondary, "SECONDARY"
}

// RunGetConfig answers replSetGetConfig.
func (s *Set) RunGetConfig() (bson.Raw, error) {
	return reply.New().Doc("config", s.Configuration()).Done(), nil
}

// Configuration returns the document that local.system.replset holds.
func (s *Set) Configuration() bson.Raw {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := bson.A{}
	for _, m := range s.members {
		tags := bson.D{}
		for _, name := range slices.Sorted(maps.Keys(m.Tags)) {
			tags = append(tags, bson.E{Key: name, Value: m.Tags[name]})
		}
		members = append(members, bson.Doc("_id", int32(m.Node), "host", s.Processes[m.Node].Address(), "arbiterOnly", m.Arbiter,
			"buildIndexes", true, "hidden", m.Hidden, "priority", int32(m.Priority), "tags", tags, "secondaryDelaySecs", int64(0),
			"votes", int32(1)))
	}
	return reply.New().String("_id", s.Name).Int32("version", int32(s.setVersion)).Int64("term", s.term).Value("members", members).
		Int64("protocolVersion", 1).Bool("writeConcernMajorityJournalDefault", true).Value("settings", s.settings()).Done()
}
