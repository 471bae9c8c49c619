package mongotest_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// wireCase is a command on a database and its result: an error code and a part of its text, or a field of the reply as
// relaxed extended JSON with single quotes.
type wireCase struct {
	name, db, command string
	code              errcode.Code
	want              string // of the error's text, or "path to field=value"
}

func parseDocument(t testing.TB, s string) bson.D {
	t.Helper()
	var d bson.D
	if err := bson.UnmarshalExtJSON([]byte(strings.ReplaceAll(s, "'", `"`)), false, &d); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return d
}

func runCases(t *testing.T, c *rawConn, list []wireCase) {
	t.Helper()
	for _, test := range list {
		t.Run(test.name, func(t *testing.T) {
			reply := c.run(append(parseDocument(t, test.command), bson.E{Key: "$db", Value: test.db}))
			if test.code != 0 {
				text, _ := reply.Lookup("errmsg").StringOK()
				if codeOf(reply) != test.code || !strings.Contains(text, test.want) {
					t.Errorf("got %s, want %d %s", reply, test.code, test.want)
				}
				return
			}
			path, want, _ := strings.Cut(test.want, "=")
			got := strings.ReplaceAll(reply.Lookup(strings.Fields(path)...).String(), `"`, "'")
			if codeOf(reply) != 0 || path != "" && got != want {
				t.Errorf("got %s in %s, want %s", got, reply, want)
			}
		})
	}
}

func TestDiagnosticCommands(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0")), 0)
	runCases(t, c, []wireCase{
		{"ping", "db", `{'ping':1}`, 0, ""},
		{"buildInfo", "db", `{'buildInfo':1}`, 0, "version='8.0.0'"},
		{"buildInfo's parts", "db", `{'buildinfo':1}`, 0, "versionArray=[8,0,0,0]"},
		{"parameter", "admin", `{'getParameter':1,'enableTestCommands':1}`, 0, "enableTestCommands=true"},
		{"version of features", "admin", `{'getParameter':1,'featureCompatibilityVersion':1}`, 0, "featureCompatibilityVersion version='8.0'"},
		{"all parameters", "admin", `{'getParameter':'*'}`, 0, "requireApiVersion=false"},
		{"no parameter", "admin", `{'getParameter':1}`, 72, "no option found to get"},
		{"parameter of another database", "db", `{'getParameter':1,'enableTestCommands':1}`, 13, "getParameter may only be run against the admin database."},
		{"connectionStatus", "db", `{'connectionStatus':1}`, 0, "authInfo={'authenticatedUsers':[],'authenticatedUserRoles':[]}"},
		{"connectionStatus with privileges", "db", `{'connectionStatus':1,'showPrivileges':true}`, 0, "authInfo authenticatedUserPrivileges=[]"},
		{"connectionStatus of a number", "db", `{'connectionStatus':1,'showPrivileges':1}`, 14, "BSON field 'connectionStatus.showPrivileges' is the wrong type 'int', expected type 'bool'"},
		{"serverStatus", "db", `{'serverStatus':1}`, 0, "process='mongod'"},
		{"serverStatus' set", "db", `{'serverStatus':1}`, 0, "repl isWritablePrimary=true"},
		{"whatsmyuri", "db", `{'whatsmyuri':1}`, 0, "you='" + c.nc.LocalAddr().String() + "'"},
		{"getnonce is gone", "db", `{'getnonce':1}`, 59, "no such command: 'getnonce'"},
		{"getLog", "admin", `{'getLog':'global'}`, 0, "totalLinesWritten=2"},
		{"logs", "admin", `{'getLog':'*'}`, 0, "names=['global','startupWarnings']"},
		{"unknown log", "admin", `{'getLog':'x'}`, 96, "No log named 'x'"},
		{"set", "admin", `{'replSetGetStatus':1}`, 0, "set='rs0'"},
		{"own state", "admin", `{'replSetGetStatus':1}`, 0, "myState=1"},
		{"another member's state", "admin", `{'replSetGetStatus':1}`, 0, "members 1 stateStr='SECONDARY'"},
		{"configuration", "admin", `{'replSetGetConfig':1}`, 0, "config members 2 _id=2"},
		{"sharding", "admin", `{'shardCollection':'db.c','key':{'a':1}}`, 59, "no such command: 'shardCollection'"},
		{"listShards", "admin", `{'listShards':1}`, 59, "no such command: 'listShards'"},
		{"killOp without an operation", "admin", `{'killOp':1}`, 4, `Missing expected field "op"`},
		{"killOp of text", "admin", `{'killOp':1,'op':'x'}`, 14, `Expected field "op" to have numeric type, but found string`},
		{"killOp of nothing", "admin", `{'killOp':1,'op':1234567}`, 0, "info='attempting to kill op'"},
		{"currentOp of another database", "db", `{'currentOp':1}`, 13, "currentOp may only be run against the admin database."},
		{"unknown command", "db", `{'nope':1}`, 59, "no such command: 'nope'"},
	})
}

// Drivers compare a server's own count of connections before and after an error; libmongoc reads it as an int32.
func TestServersCountTheirConnections(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	first := connectRaw(t, d, 0)
	connectRaw(t, d, 1)
	connectRaw(t, d, 0)
	status := first.runAdmin("serverStatus", 1)
	if n, ok := status.Lookup("connections", "totalCreated").Int32OK(); !ok || n != 2 {
		t.Errorf("%s", status.Lookup("connections"))
	}
}

func TestDiagnosticCommandsOfARouter(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	runCases(t, c, []wireCase{
		{"serverStatus", "db", `{'serverStatus':1}`, 0, "process='mongos'"},
		{"listShards", "admin", `{'listShards':1}`, 0, "shards 0 _id='shard0'"},
		{"shardCollection", "admin", `{'shardCollection':'db.c','key':{'_id':1}}`, 0, "collectionsharded='db.c'"},
		{"replSetGetConfig", "admin", `{'replSetGetConfig':1}`, 59, "no such command: 'replSetGetConfig'"},
		{"replSetStepDown", "admin", `{'replSetStepDown':1}`, 59, "no such command: 'replSetStepDown'"},
		{"replSetFreeze", "admin", `{'replSetFreeze':1}`, 59, "no such command: 'replSetFreeze'"},
		{"killOp without an operation", "admin", `{'killOp':1}`, errcode.Location50759, `Did not provide "op" field`},
	})
	reply := c.runAdmin("replSetGetStatus", 1)
	if ok, _ := reply.Lookup("ok").AsBoolOK(); ok || reply.Lookup("errmsg").String() != `"replSetGetStatus is not supported through mongos"` || reply.Lookup("info").String() != `"mongos"` {
		t.Errorf("replSetGetStatus: %s", reply)
	}
	runCases(t, connectRaw(t, mongotest.Start(t), 0), []wireCase{
		{"replSetGetStatus of a standalone", "admin", `{'replSetGetStatus':1}`, 76, "not running with --replSet"},
	})
}

// TestCommandsOfVersions compares the results of the same commands on several server versions.
func TestCommandsOfVersions(t *testing.T) {
	for _, test := range []struct {
		command string
		from    string       // the first version that supports it
		before  errcode.Code // the error of earlier versions
	}{
		{`{'drop':'missing'}`, "7.0", 26},
		{`{'delete':'c','deletes':[{'q':{},'limit':1,'hint':'_id_'}]}`, "4.4", 40415},
		{`{'findAndModify':'c','remove':true,'hint':'_id_'}`, "4.4", 51177},
		{`{'find':'c','allowDiskUse':true}`, "4.4", 9},
		{`{'find':'c','let':{'a':1}}`, "5.0", 9},
		{`{'insert':'c','documents':[{}],'comment':{'a':1}}`, "4.4", 40415},
		{`{'createIndexes':'c','indexes':[{'key':{'h':1},'name':'h','hidden':true}]}`, "4.4", 197},
		{`{'create':'t','timeseries':{'timeField':'t'}}`, "5.0", 72},
		{`{'create':'k','clusteredIndex':{'key':{'_id':1},'unique':true}}`, "6.0", 0},
		{`{'count':'c','collectionUUID':{'$uuid':'00000000-0000-4000-8000-000000000000'}}`, "never", 0},
		{`{'distinct':'c','key':'a','hint':'_id_'}`, "8.0", 40415},
		{`{'update':'c','updates':[{'q':{},'u':{'$set':{'a':1}},'sort':{'a':1}}]}`, "8.0", 40415},
		{`{'find':'c','rawData':true}`, "8.2", 0},
	} {
		for _, version := range []string{"4.2", "4.4", "5.0", "6.0", "7.0", "8.0", "8.2", "9.0"} {
			c := connectRaw(t, mongotest.Start(t, mongotest.Version(version)), 0)
			c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "$db", "db"))
			reply := c.run(append(parseDocument(t, test.command), bson.E{Key: "$db", Value: "db"}))
			code := codeOf(reply)
			switch {
			case version >= test.from && code != 0:
				t.Errorf("%s refuses %s: %s", version, test.command, reply)
			case version < test.from && (code == 0 || test.before != 0 && code != test.before):
				t.Errorf("%s answers %s with %s, want %d", version, test.command, reply, test.before)
			}
		}
	}
}

func TestUserCommands(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, c, []wireCase{
		{"without roles", "db", `{'createUser':'ada','pwd':'x'}`, 40414, "BSON field 'createUser.roles' is missing but a required field"},
		{"without a password", "db", `{'createUser':'ada','roles':[]}`, 2, "Must provide a 'pwd' field for all user documents"},
		{"password of another type", "db", `{'createUser':'ada','pwd':true,'roles':[]}`, 14, "BSON field 'createUser.pwd' is the wrong type 'bool', expected type 'string'"},
		{"empty name", "db", `{'createUser':'','pwd':'x','roles':[]}`, 2, "User document needs 'user' field to be non-empty"},
		{"unknown mechanism", "db", `{'createUser':'ada','pwd':'x','roles':[],'mechanisms':['BAD']}`, 2, "Unknown auth mechanism 'BAD'"},
		{"no mechanism", "db", `{'createUser':'ada','pwd':'x','roles':[],'mechanisms':[]}`, 2, "mechanisms field must not be empty"},
		{"unknown field", "db", `{'createUser':'ada','pwd':'x','roles':[],'foo':1}`, 40415, "BSON field 'createUser.foo' is an unknown field."},
		{"role that is a number", "db", `{'createUser':'ada','pwd':'x','roles':[1]}`, 2, "Role names must be either strings or objects"},
		{"created", "db", `{'createUser':'ada','pwd':'x','roles':['read',{'role':'readWrite','db':'other'}]}`, 0, ""},
		{"created again", "db", `{'createUser':'ada','pwd':'x','roles':[]}`, 51003, `User "ada@db" already exists`},
		{"of another database", "other", `{'createUser':'bob','pwd':'x','roles':[],'mechanisms':['SCRAM-SHA-256']}`, 0, ""},
		{"one user", "db", `{'usersInfo':'ada'}`, 0, "users 0 roles=[{'role':'read','db':'db'},{'role':'readWrite','db':'other'}]"},
		{"one user of another database", "db", `{'usersInfo':{'user':'bob','db':'other'}}`, 0, "users 0 mechanisms=['SCRAM-SHA-256']"},
		{"two users", "db", `{'usersInfo':['ada',{'user':'bob','db':'other'}]}`, 0, "users 1 user='bob'"},
		{"users of the database", "db", `{'usersInfo':1}`, 0, "users 0 _id='db.ada'"},
		{"all users", "db", `{'usersInfo':{'forAllDBs':true}}`, 0, "users 1 _id='other.bob'"},
		{"nobody", "db", `{'usersInfo':'eve'}`, 0, "users=[]"},
		{"with credentials", "other", `{'usersInfo':'bob','showCredentials':true}`, 0, "users 0 credentials SCRAM-SHA-256 iterationCount=4096"},
		{"with a filter", "db", `{'usersInfo':{'forAllDBs':true},'filter':{'user':'ada'}}`, 0, "users 0 user='ada'"},
		{"with another filter", "db", `{'usersInfo':1,'filter':{'user':'nobody'}}`, 0, "users=[]"},
		{"privileges of many", "db", `{'usersInfo':1,'showPrivileges':true}`, 2, "Privilege or restriction details require exact-match usersInfo queries."},
		{"neither name nor list", "db", `{'usersInfo':true}`, 2, "UserName must be either a string or an object"},
		{"update of nothing", "db", `{'updateUser':'ada'}`, 2, "Must specify at least one field to update in updateUser"},
		{"update of nobody", "db", `{'updateUser':'eve','pwd':'y'}`, 11, "User eve@db not found"},
		{"update to more mechanisms", "other", `{'updateUser':'bob','mechanisms':['SCRAM-SHA-1']}`, 2, "mechanisms field must be a subset of previously set mechanisms"},
		{"updated", "db", `{'updateUser':'ada','roles':[],'mechanisms':['SCRAM-SHA-1']}`, 0, ""},
		{"and seen", "db", `{'usersInfo':'ada'}`, 0, "users 0 mechanisms=['SCRAM-SHA-1']"},
		{"drop of nobody", "db", `{'dropUser':'eve'}`, 11, "User 'eve@db' not found"},
		{"dropped", "db", `{'dropUser':'ada'}`, 0, ""},
		{"all dropped", "other", `{'dropAllUsersFromDatabase':1}`, 0, "n=1"},
		{"password for $external", "$external", `{'createUser':'ada','pwd':'x','roles':[]}`, 2, "Cannot set the password for users defined on the '$external' database"},
	})
}

// TestKillOp ends a getMore that waits for a document, and one that a fail point holds.
func TestKillOp(t *testing.T) {
	d := mongotest.Start(t)
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.run(bson.Doc("create", "c", "capped", true, "size", 4096, "$db", "db"))
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "$db", "db"))
	cursor, _ := c.run(bson.Doc("find", "c", "tailable", true, "awaitData", true, "$db", "db")).Lookup("cursor", "id").Int64OK()
	c.send(0, bson.Doc("getMore", cursor, "collection", "c", "maxTimeMS", 600_000, "comment", "waits", "$db", "db"))
	var op bson.Raw
	for op == nil {
		op, _ = other.runAdmin("currentOp", 1, "command.comment", "waits").Lookup("inprog", "0").DocumentOK()
	}
	for name, want := range map[string]string{"op": `"getmore"`, "ns": `"db.$cmd"`, "active": "true", "type": `"op"`} {
		if got := op.Lookup(name).String(); got != want {
			t.Errorf("%s: got %s, want %s in %s", name, got, want, op)
		}
	}
	other.runAdmin("killOp", 1, "op", op.Lookup("opid"))
	if reply := c.receive().body; codeOf(reply) != errcode.Interrupted && codeOf(reply) != 0 {
		t.Errorf("the killed getMore: %s", reply)
	}
	if list, _ := other.runAdmin("currentOp", 1, "command.comment", "waits").Lookup("inprog").ArrayOK(); bson.Raw(list).Len() != 0 {
		t.Errorf("it is still listed: %s", list)
	}
	if list, _ := other.runAdmin("currentOp", 1, "$all", true, "active", false).Lookup("inprog").ArrayOK(); bson.Raw(list).Len() != 1 {
		t.Errorf("idle connections: %s", list)
	}
	stage := other.runAdmin("aggregate", 1, "pipeline", bson.A{bson.Doc("$currentOp", bson.Doc("idleConnections", true)), bson.Doc("$match", bson.Doc("active", true))}, "cursor", bson.Doc())
	if name, _ := stage.Lookup("cursor", "firstBatch", "0", "command", "aggregate").AsInt64OK(); name != 1 {
		t.Errorf("$currentOp: %s", stage)
	}
}

// TestCommandsSayWhatTheyLeaveOut reads the sources. Each command must appear in the comment at the top of a file,
// which says what the command does and what it leaves out.
func TestCommandsSayWhatTheyLeaveOut(t *testing.T) {
	var openings []string
	for _, room := range []string{"server", "engine", "login", "session", "replica", "failpoint"} {
		files, err := filepath.Glob(filepath.Join("internal", room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Comments) == 0 || f.Comments[0].Pos() > f.Package {
				continue
			}
			if opening := f.Comments[0].Text(); strings.HasPrefix(opening, "The command") {
				openings = append(openings, strings.ToLower(opening))
			}
		}
	}
	for name := range server.CommandNames() {
		word := regexp.MustCompile(`\b` + strings.ToLower(name) + `\b`)
		if !slices.ContainsFunc(openings, word.MatchString) {
			t.Errorf("no file says what %s does", name)
		}
	}
}
