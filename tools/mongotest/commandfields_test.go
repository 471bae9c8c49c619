package mongotest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// never is the last version that ignores unknown fields, of a command that refuses them in every version.
const never = ""

// refusing are the commands outside the engine that refuse unknown fields, with the last version that ignores them, and
// where servers' ways are written down. Servers parse most of these commands by a definition, which refuses unknown fields unless
// it says otherwise. SERVER-65030 names the commands for users whose definition did: replSetResizeOplog was the last of ours.
var refusing = map[string]string{
	// the manual, "Compatibility Changes in MongoDB 5.0"
	"abortTransaction": "4.4", "authenticate": "4.4", "commitTransaction": "4.4", "endSessions": "4.4", "ping": "4.4",
	"refreshSessions": "4.4",
	// SERVER-55211: all of version 1 of the Stable API, but for hello
	"checkMetadataConsistency": never, "saslContinue": "4.4", "saslStart": "4.4", "testDeprecationInVersion2": "4.4",
	"testVersions1And2": "4.4", "validateDBMetadata": never,
	// reports of users who met the error
	"setFeatureCompatibilityVersion": "4.4",
	// SERVER-89639, SERVER-65030
	"fsync": "8.0", "replSetResizeOplog": "6.0",
	// have a definition: SERVER-68257, SERVER-65645, or as the texts of their other errors show
	"analyzeShardKey": never, "configureQueryAnalyzer": never, "connectionStatus": "4.4", "dataSize": "6.0",
	"getDefaultRWConcern": never, "getLog": "5.0", "moveChunk": "6.0", "moveRange": "6.0", "profile": "4.4",
	"setDefaultRWConcern": never,
	// SERVER-49077; older servers refused them in other words
	"_mergeAuthzCollections": never, "createRole": never, "createUser": never, "dropAllRolesFromDatabase": never,
	"dropAllUsersFromDatabase": never, "dropRole": never, "dropUser": never, "grantPrivilegesToRole": never,
	"grantRolesToRole": never, "grantRolesToUser": never, "revokePrivilegesFromRole": never, "revokeRolesFromRole": never,
	"revokeRolesFromUser": never, "rolesInfo": never, "updateRole": never, "updateUser": never, "usersInfo": never,
}

// runOnBoth runs a command with a field that no server knows on a replica set and on a router, and returns the reply of the
// one that has the command.
func runOnBoth(t *testing.T, version, name string) bson.Raw {
	t.Helper()
	var reply bson.Raw
	for _, shape := range []mongotest.Option{mongotest.ReplicaSet(1), mongotest.Sharded(1)} {
		c := connectRaw(t, mongotest.Start(t, shape, mongotest.Version(version)), 0)
		reply = c.run(bson.Doc(name, "c", "foo", 1, "$db", "admin"))
		if codeOf(reply) != errcode.CommandNotFound {
			break
		}
	}
	return reply
}

func TestCommandsRefuseUnknownFields(t *testing.T) {
	for name, ignored := range refusing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := runOnBoth(t, "8.2", name)
			want := fmt.Sprintf("BSON field '%s.foo' is an unknown field.", name)
			if text, _ := reply.Lookup("errmsg").StringOK(); codeOf(reply) != 40415 || text != want {
				t.Errorf("got %s, want 40415 %s", reply, want)
			}
			if ignored == never {
				return
			}
			if reply := runOnBoth(t, ignored, name); codeOf(reply) == 40415 || codeOf(reply) == errcode.CommandNotFound {
				t.Errorf("version %s: %s", ignored, reply)
			}
		})
	}
}

// Only a command of the table above, or of the engine, refuses a field: other people's programs send fields of other
// versions, and a server would ignore them.
func TestOtherCommandsIgnoreUnknownFields(t *testing.T) {
	refuses := func(name string) bool {
		_, listed := refusing[name]
		return listed || engine.Commands()[name] != nil && !strings.Contains(name, "SearchIndex")
	}
	for _, shape := range []mongotest.Option{mongotest.ReplicaSet(1), mongotest.Sharded(1)} {
		c := connectRaw(t, mongotest.Start(t, shape, mongotest.Version("8.2")), 0)
		for name := range server.CommandNames() {
			if name == "shutdown" { // nothing would answer after it
				continue
			}
			command := bson.Doc(name, "c", "foo", 1, "$db", "admin")
			if name == "getMore" {
				command[0].Value = int64(1)
			}
			reply := c.run(command)
			text, _ := reply.Lookup("errmsg").StringOK()
			refusedBy, _, _ := strings.Cut(strings.TrimPrefix(text, "BSON field '"), ".")
			switch code := codeOf(reply); {
			case code == 40415 && !refuses(refusedBy):
				t.Errorf("%s refuses a field: list it in the table above, with what shows that servers do", name)
			case code != 40415 && code != errcode.CommandNotFound && refuses(name):
				t.Errorf("%s declares no fields: %s", name, reply)
			}
		}
	}
}

func TestFieldsOfCommandsByVersion(t *testing.T) {
	for version, list := range map[string][]wireCase{
		"6.0": {
			{"confirm before 7.0", "admin", `{'setFeatureCompatibilityVersion':'6.0','confirm':true}`, 40415, "BSON field 'setFeatureCompatibilityVersion.confirm' is an unknown field."},
			{"comment", "admin", `{'endSessions':[],'comment':'x','$readPreference':{'mode':'primary'}}`, 0, ""},
			{"range of another type", "db", `{'dataSize':'db.c','min':1}`, 14, "BSON field 'dataSize.min' is the wrong type 'int', expected type 'object'"},
		},
		"8.0": {
			{"confirm", "admin", `{'setFeatureCompatibilityVersion':'8.0','confirm':true}`, 0, ""},
			{"confirm of another type", "admin", `{'setFeatureCompatibilityVersion':'8.0','confirm':'true'}`, 14, "BSON field 'setFeatureCompatibilityVersion.confirm' is the wrong type 'string', expected types '[bool, long, int, decimal, double']"},
			{"nonce of MONGODB-CR", "admin", `{'authenticate':1,'user':'u','nonce':'x'}`, 40415, "BSON field 'authenticate.nonce' is an unknown field."},
			{"mechanism of a later message", "admin", `{'saslContinue':1,'conversationId':1,'payload':'','mechanism':'PLAIN'}`, 40415, "BSON field 'saslContinue.mechanism' is an unknown field."},
			{"sessions of another type", "admin", `{'killAllSessions':1}`, 14, "BSON field 'KillAllSessionsCmd.killAllSessions' is the wrong type 'int', expected type 'array'"},
			{"unlock", "admin", `{'fsync':1,'unlock':true}`, 0, ""},
			{"several fields", "admin", `{'ping':1,'lsid':{'id':{'$binary':{'base64':'AAAAAAAAAAAAAAAAAAAAAA==','subType':'04'}}},'foo':1}`, 40415, "BSON field 'ping.foo'"},
			{"missing field", "db", `{'validateDBMetadata':1}`, 40414, "BSON field 'validateDBMetadata.apiParameters' is missing but a required field"},
			{"alias", "db", `{'datasize':'db.c','foo':1}`, 40415, "BSON field 'dataSize.foo' is an unknown field."},
			{"router's command", "admin", `{'moveChunk':'db.c','foo':1}`, 59, "no such command: 'moveChunk'"},
		},
		"8.2": {
			{"unlock", "admin", `{'fsync':1,'unlock':true}`, 40415, "BSON field 'fsync.unlock' is an unknown field."},
		},
	} {
		t.Run(version, func(t *testing.T) {
			runCases(t, connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0), list)
		})
	}
}
