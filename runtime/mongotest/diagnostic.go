package mongotest

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// ping answers that the server is there.
func ping(*request) (bson.Raw, error) { return newReply().done(), nil }

// buildInfo answers with the version that the deployment was given. Left out: everything about the build itself.
func buildInfo(r *request) (bson.Raw, error) {
	version := r.d.config.version
	if strings.Count(version, ".") == 1 {
		version += ".0"
	}
	parts := bson.A{}
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, status.Errorf(errcode.InternalError, "the version %s is not made of numbers", version)
		}
		parts = append(parts, int32(n))
	}
	return newReply().str("version", version).value("versionArray", append(parts, int32(0))).
		value("modules", bson.A{}).int32("bits", 64).boolean("debug", false).
		int32("maxBsonObjectSize", 16<<20).done(), nil
}

// getParameter answers with the parameters that it names, or with all of them for "*".
func getParameter(r *request) (bson.Raw, error) {
	parameters := r.d.config.parameters
	f := newReply()
	if r.text("getParameter") == "*" {
		for _, name := range sortedKeys(parameters) {
			f.value(name, parameters[name])
		}
		return f.done(), nil
	}
	found := false
	for key := range r.body.All() {
		if value, ok := parameters[key]; ok {
			f.value(key, value)
			found = true
		}
	}
	if !found {
		return nil, status.Errorf(errcode.InvalidOptions, "no option found to get")
	}
	return f.done(), nil
}

// connectionStatus answers who is authenticated on the connection. Left out: privileges.
func connectionStatus(r *request) (bson.Raw, error) {
	users := bson.A{}
	for _, p := range r.conn.principals {
		users = append(users, bson.Doc("user", p.name, "db", p.db))
	}
	return newReply().value("authInfo", bson.Doc("authenticatedUsers", users, "authenticatedUserRoles", bson.A{})).done(), nil
}

// serverStatus answers with the numbers that tests of drivers look at: connections, and the name of the process.
func serverStatus(r *request) (bson.Raw, error) {
	r.node.mu.Lock()
	open := len(r.node.conns)
	r.node.mu.Unlock()
	process := "mongod"
	if r.d.isRouter() {
		process = "mongos"
	}
	return newReply().str("host", r.node.address).str("version", r.d.config.version).str("process", process).
		value("connections", bson.Doc("current", int32(open), "available", int32(1000), "totalCreated", r.d.connIDs.Load())).
		value("storageEngine", bson.Doc("name", "inMemory")).done(), nil
}

// whatsMyURI answers with the client's own address.
func whatsMyURI(r *request) (bson.Raw, error) {
	return newReply().str("you", r.conn.nc.RemoteAddr().String()).done(), nil
}

// getNonce answers with a number that nothing uses any more.
func getNonce(*request) (bson.Raw, error) {
	return newReply().str("nonce", bson.NewObjectID().Hex()[:16]).done(), nil
}

// getLog answers with an empty log.
func getLog(*request) (bson.Raw, error) {
	return newReply().int32("totalLinesWritten", 0).value("log", bson.A{}).done(), nil
}

// currentOp answers that nothing runs. Left out: the operations that do.
func currentOp(*request) (bson.Raw, error) { return newReply().value("inprog", bson.A{}).done(), nil }

// killOp answers as a server does for a number that no operation has. Left out: killing.
func killOp(r *request) (bson.Raw, error) {
	if _, ok := r.body.Lookup("op").AsInt64OK(); !ok {
		return nil, status.Errorf(errcode.Location50759, "Did not provide \"op\" field")
	}
	return newReply().str("info", "attempting to kill op").done(), nil
}

// shardCollection answers shardCollection and enableSharding on a router: there is one shard, which holds everything.
func shardCollection(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	return newReply().str("collectionsharded", r.text(r.name)).done(), nil
}

// testVersion2 is in API version 2 alone; testDeprecation is deprecated there.
func testVersion2(r *request) (bson.Raw, error)    { return newReply().done(), nil }
func testDeprecation(r *request) (bson.Raw, error) { return newReply().done(), nil }

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
