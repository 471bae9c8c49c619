// The commands replSetGetStatus and replSetGetConfig: the members of the set and what they are, and their configuration.
//
// Left out: sync sources, initial sync and the metrics of elections. A router answers
// replSetGetStatus with the refusal that clients tell it by.

package mongotest

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func replSetGetStatus(r *request) (bson.Raw, error) {
	if r.d.isRouter() {
		return newReply().str("info", "mongos").value("ok", 0.0).str("errmsg", "replSetGetStatus is not supported through mongos").done(), nil
	}
	s, err := r.memberSet()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	applied, committed := s.positions(r.node.index)
	members := bson.A{}
	own := int32(0)
	for _, m := range s.members {
		state, text := s.state(m.Node)
		if m.Node == r.node.index {
			own = state
		}
		health := 1.0
		if state == memberDown {
			health = 0
		}
		d := bson.Doc("_id", int32(m.Node), "name", s.d.nodes[m.Node].address, "health", health, "state", state, "stateStr", text)
		if state != memberArbiter {
			at := s.position(m.Node)
			d = append(d, bson.E{Key: "optime", Value: s.optime(at)}, bson.E{Key: "optimeDate", Value: bson.NewDateTimeFromTime(time.Unix(int64(at.T()), 0))})
		}
		d = append(d, bson.E{Key: "configVersion", Value: int32(s.setVersion)}, bson.E{Key: "configTerm", Value: s.term})
		if m.Node == r.node.index {
			d = append(d, bson.E{Key: "self", Value: true})
		}
		members = append(members, d)
	}
	return newReply().str("set", r.d.config.setName).date("date", r.d.config.now().UnixMilli()).int32("myState", own).int64("term", s.term).
		int64("heartbeatIntervalMillis", 2000).int32("majorityVoteCount", int32(len(s.members)/2+1)).
		int32("writeMajorityCount", int32(s.writeMajority())).int32("votingMembersCount", int32(len(s.members))).
		value("optimes", bson.Doc("lastCommittedOpTime", s.optime(committed), "appliedOpTime", s.optime(applied), "durableOpTime", s.optime(applied))).
		value("members", members).done(), nil
}

// optime is a position as replSetGetStatus writes it.
func (s *memberSet) optime(at store.Timestamp) bson.D {
	return bson.Doc("ts", bson.Timestamp{T: at.T(), I: at.I()}, "t", s.term)
}

// The states of a member, as replSetGetStatus numbers them.
const (
	memberPrimary   = 1
	memberSecondary = 2
	memberArbiter   = 7
	memberDown      = 8
)

// state is what replSetGetStatus calls a member; s.mu is held.
func (s *memberSet) state(i int) (int32, string) {
	switch role := s.role(i); {
	case !s.d.nodes[i].up():
		return memberDown, "(not reachable/healthy)"
	case role == rolePrimary:
		return memberPrimary, "PRIMARY"
	case role == roleArbiter:
		return memberArbiter, "ARBITER"
	}
	return memberSecondary, "SECONDARY"
}

func replSetGetConfig(r *request) (bson.Raw, error) {
	s, err := r.memberSet()
	if err != nil {
		return nil, err
	}
	return newReply().value("config", s.configuration()).done(), nil
}

// setConfig is what local.system.replset holds.
func (d *Deployment) setConfig() []bson.Raw {
	if d.set == nil {
		return nil
	}
	config, err := bson.Marshal(d.set.configuration())
	if err != nil {
		panic("mongotest: the configuration of the set: " + err.Error())
	}
	return []bson.Raw{config}
}

func (s *memberSet) configuration() bson.D {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := bson.A{}
	for _, m := range s.members {
		tags := bson.D{}
		for _, name := range sortedKeys(m.Tags) {
			tags = append(tags, bson.E{Key: name, Value: m.Tags[name]})
		}
		members = append(members, bson.Doc("_id", int32(m.Node), "host", s.d.nodes[m.Node].address, "arbiterOnly", m.Arbiter,
			"buildIndexes", true, "hidden", m.Hidden, "priority", int32(m.Priority), "tags", tags, "secondaryDelaySecs", int64(0),
			"votes", int32(1)))
	}
	return bson.Doc("_id", s.d.config.setName, "version", int32(s.setVersion), "term", s.term, "members", members,
		"protocolVersion", int64(1), "writeConcernMajorityJournalDefault", true)
}
