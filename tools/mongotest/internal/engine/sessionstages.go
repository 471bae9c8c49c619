package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// listSessions is $listLocalSessions and $listSessions: the sessions of all users, of the named users, or of the user
// who asks. Left out: other users' sessions need no privilege, and $listSessions shows new sessions at once.
func (x *access) listSessions(name string, spec bson.RawValue) ([]bson.Raw, error) {
	owners, err := sessionOwners(name, spec, x.r.User)
	if err != nil {
		return nil, err
	}
	if name == "$listSessions" && (x.r.DB != "config" || x.collection != "system.sessions") {
		return nil, status.Errorf(errcode.InvalidNamespace, "%s may only be run against config.system.sessions", name)
	}
	d, _ := spec.DocumentOK()
	all, err := callHook(x.e.hooks.LocalSessions, x.r, d)
	if owners == nil || err != nil {
		return all, err
	}
	var list []bson.Raw
	for _, session := range all {
		if _, uid, ok := session.Lookup("_id", "uid").BinaryOK(); ok && owners[string(uid)] {
			list = append(list, session)
		}
	}
	return list, nil
}

// sessionOwners returns the digests of the users whose sessions to list. nil means all users.
func sessionOwners(stage string, spec bson.RawValue, self UserDigest) (map[string]bool, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "%s options must be specified in an object, but found: %s", stage, spec.Type)
	}
	owners := map[string]bool{}
	all := false
	for key, v := range d.All() {
		switch {
		case key == "allUsers" && v.Type == bsontype.Boolean:
			all, _ = v.BooleanOK()
		case key == "allUsers":
			return nil, wrongOption(stage, "allUsers", v, "bool")
		case key != "users":
			return nil, status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", stage, key)
		default:
			if err := addOwners(owners, stage, v); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case all && len(owners) > 0:
		return nil, status.Errorf(errcode.UnsupportedFormat, "%s may not specify {allUsers:true} and {users:[...]} at the same time", stage)
	case all:
		return nil, nil
	case len(owners) == 0:
		owners[string(self[:])] = true
	}
	return owners, nil
}

// addOwners reads the users that a stage names.
func addOwners(owners map[string]bool, stage string, v bson.RawValue) error {
	array, ok := v.ArrayOK()
	if !ok {
		return wrongOption(stage, "users", v, "array")
	}
	for i, item := range array.All() {
		d, ok := item.DocumentOK()
		if !ok {
			return status.Errorf(errcode.TypeMismatch,
				"BSON field '%s.users.%d' is the wrong type '%s', expected type 'object'", stage, i, item.Type)
		}
		named := map[string]string{}
		for key, v := range d.All() {
			if key != "user" && key != "db" {
				return status.Errorf(errcode.Location40415, "BSON field '%s.users.%s' is an unknown field.", stage, key)
			}
			if named[key], ok = v.StringOK(); !ok {
				return wrongOption(stage+".users", key, v, "string")
			}
		}
		for _, key := range []string{"user", "db"} {
			if _, ok := named[key]; !ok {
				return status.Errorf(errcode.Location40414, "BSON field '%s.users.%s' is missing but a required field", stage, key)
			}
		}
		digest := DigestOf(named["user"], named["db"])
		owners[string(digest[:])] = true
	}
	return nil
}

// currentOpOptions are the options of $currentOp. All are flags.
var currentOpOptions = map[string]bool{
	"allUsers": true, "idleConnections": true, "idleCursors": true, "idleSessions": true, "localOps": true,
	"truncateOps": true, "backtrace": true, "targetAllNodes": true,
}

// currentOp is $currentOp. Left out: it lists the operations of all users, but no idle cursors or sessions.
func (x *access) currentOp(spec bson.RawValue) ([]bson.Raw, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "$currentOp options must be specified in an object, but found: %s", spec.Type)
	}
	if x.r.DB != "admin" {
		return nil, status.Errorf(errcode.InvalidNamespace, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
	}
	for key, v := range d.All() {
		if !currentOpOptions[key] {
			return nil, status.Errorf(errcode.FailedToParse, "Unrecognized option '%s' in $currentOp stage.", key)
		}
		if v.Type != bsontype.Boolean {
			return nil, status.Errorf(errcode.FailedToParse,
				"The '%s' parameter of the $currentOp stage must be a boolean value, but found: %s", key, v.Type)
		}
	}
	return callHook(x.e.hooks.CurrentOp, x.r, d)
}
