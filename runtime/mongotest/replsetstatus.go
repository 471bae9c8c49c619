package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// replSetGetStatus answers with the members and what they are. Left out: sync sources and their times.
func replSetGetStatus(r *request) (bson.Raw, error) {
	s := r.d.set
	if s == nil {
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	members := bson.A{}
	for _, m := range s.members {
		state, text := int32(2), "SECONDARY"
		switch own := s.role(m.Node); {
		case !s.d.nodes[m.Node].up():
			state, text = 8, "(not reachable/healthy)"
		case own == rolePrimary:
			state, text = 1, "PRIMARY"
		case own == roleArbiter:
			state, text = 7, "ARBITER"
		}
		members = append(members, bson.Doc("_id", int32(m.Node), "name", s.d.nodes[m.Node].address, "state", state, "stateStr", text))
	}
	return newReply().str("set", r.d.config.setName).int64("term", s.term).value("members", members).done(), nil
}

// replSetGetConfig answers with the configuration.
func replSetGetConfig(r *request) (bson.Raw, error) {
	s := r.d.set
	if s == nil {
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	members := bson.A{}
	for _, m := range s.members {
		tags := bson.D{}
		for _, name := range sortedKeys(m.Tags) {
			tags = append(tags, bson.E{Key: name, Value: m.Tags[name]})
		}
		members = append(members, bson.Doc("_id", int32(m.Node), "host", s.d.nodes[m.Node].address, "arbiterOnly", m.Arbiter,
			"hidden", m.Hidden, "priority", int32(m.Priority), "tags", tags, "votes", int32(1)))
	}
	config := bson.Doc("_id", r.d.config.setName, "version", int32(s.setVersion), "term", s.term, "members", members)
	return newReply().value("config", config).done(), nil
}
