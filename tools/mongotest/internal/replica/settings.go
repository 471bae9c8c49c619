package replica

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// settings returns the settings of the configuration, with defaults for those that the last replSetReconfig left out. The caller
// holds s.mu.
func (s *Set) settings() bson.D {
	modes := bson.D{}
	for name, tags := range s.Modes {
		mode := bson.D{}
		for tag, n := range tags {
			mode = append(mode, bson.E{Key: tag, Value: int32(n)})
		}
		modes = append(modes, bson.E{Key: name, Value: mode})
	}
	list := bson.Doc("chainingAllowed", true, "heartbeatIntervalMillis", int32(2000), "heartbeatTimeoutSecs", int32(10),
		"electionTimeoutMillis", int32(10_000), "catchUpTimeoutMillis", int32(-1), "catchUpTakeoverDelayMillis", int32(30_000),
		"getLastErrorModes", modes, "getLastErrorDefaults", bson.Doc("w", int32(1), "wtimeout", int32(0)), "replicaSetId", s.id)
	for i := range list {
		if v, err := s.given.LookupErr(list[i].Key); err == nil {
			list[i].Value = v
		}
	}
	return list
}

// readSettings checks the settings of a new configuration.
func (s *Set) readSettings(config bson.Raw) (bson.Raw, error) {
	given, _ := config.Lookup("settings").DocumentOK()
	if id, ok := given.Lookup("replicaSetId").ObjectIDOK(); ok && id != s.id {
		return nil, status.Errorf(errcode.NewReplicaSetConfigurationIncompatible,
			"New and old configurations differ in replica set ID; old was %s, and new is %s", s.id.Hex(), id.Hex())
	}
	for _, name := range [...]string{"heartbeatIntervalMillis", "heartbeatTimeoutSecs", "electionTimeoutMillis"} {
		if n, ok := given.Lookup(name).AsInt64OK(); ok && n < 1 {
			return nil, status.Errorf(errcode.BadValue, "settings.%s is %d and must be greater than 0", name, n)
		}
	}
	return append(bson.Raw(nil), given...), nil
}
