package mongotest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// connectAs connects and authenticates as a user of $external whose password is the name.
func connectAs(t *testing.T, d *mongotest.Deployment, name string) *rawConn {
	t.Helper()
	c := connectRaw(t, d, 0)
	checkRefused(t, c.run(bson.Doc("saslStart", 1, "mechanism", "PLAIN", "payload", payloadOf("\x00"+name+"\x00"+name), "$db", "$external")), 0)
	return c
}

// withRoles returns a user of $external with roles, each written as "role@db".
func withRoles(name string, roles ...string) mongotest.Option {
	u := mongotest.User{Name: name, DB: "$external", Password: name, Roles: []bson.Raw{}}
	for _, r := range roles {
		role, db, _ := strings.Cut(r, "@")
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendStringElement(bson.AppendStringElement(dst, "role", role), "db", db)
		u.Roles = append(u.Roles, bson.AppendDocumentEnd(dst, start))
	}
	return mongotest.WithUser(u)
}

// attempts maps a short name to a command, each with its database in front.
var attempts = map[string]string{
	"find":        `db {'find':'c'}`,
	"find in b":   `b {'find':'c'}`,
	"insert":      `db {'insert':'c','documents':[{}]}`,
	"upsert":      `db {'update':'c','updates':[{'q':{},'u':{},'upsert':true}]}`,
	"delete":      `db {'delete':'c','deletes':[{'q':{},'limit':1}]}`,
	"modify":      `db {'findAndModify':'c','query':{},'update':{'$set':{'a':1}}}`,
	"bulkWrite":   `admin {'bulkWrite':1,'ops':[{'insert':0,'document':{}}],'nsInfo':[{'ns':'db.c'}]}`,
	"out":         `db {'aggregate':'c','pipeline':[{'$out':'o'}],'cursor':{}}`,
	"merge":       `db {'aggregate':'c','pipeline':[{'$merge':{'into':{'db':'b','coll':'o'}}}],'cursor':{}}`,
	"lookup":      `db {'aggregate':'c','pipeline':[{'$facet':{'f':[{'$lookup':{'from':'other','as':'x','pipeline':[]}}]}}],'cursor':{}}`,
	"explain":     `db {'explain':{'find':'c'}}`,
	"create":      `db {'create':'n'}`,
	"index":       `db {'createIndexes':'c','indexes':[{'key':{'a':1},'name':'a'}]}`,
	"drop":        `db {'drop':'n'}`,
	"collMod":     `db {'collMod':'c'}`,
	"dropDB":      `db {'dropDatabase':1}`,
	"validate":    `db {'validate':'c'}`,
	"profile":     `db {'profile':-1}`,
	"collections": `db {'listCollections':1}`,
	"createUser":  `db {'createUser':'u','pwd':'p','roles':[]}`,
	"users":       `db {'usersInfo':1}`,
	"status":      `db {'serverStatus':1}`,
	"currentOp":   `admin {'currentOp':1}`,
	"killOp":      `admin {'killOp':1,'op':0}`,
	"parameter":   `admin {'setParameter':1,'logLevel':0}`,
	"freeze":      `admin {'replSetFreeze':0}`,
	"oplog":       `local {'find':'oplog.rs','limit':1}`,
	"watch":       `db {'aggregate':'c','pipeline':[{'$changeStream':{}}],'cursor':{}}`,
	"watch all":   `admin {'aggregate':1,'pipeline':[{'$changeStream':{'allChangesForCluster':true}}],'cursor':{}}`,
	"databases":   `admin {'listDatabases':1,'authorizedDatabases':false}`,
}

// Each case lists everything that a built-in role allows.
func TestBuiltInRoles(t *testing.T) {
	roles := map[string]string{
		"":                           "",
		"read@db":                    "find lookup explain collections watch",
		"readWrite@db":               "find insert upsert delete modify bulkWrite out lookup explain create index drop collections watch",
		"dbAdmin@db":                 "create index drop collMod dropDB validate profile collections",
		"userAdmin@db":               "createUser users",
		"dbOwner@db":                 "find insert upsert delete modify bulkWrite out lookup explain create index drop collMod dropDB validate profile collections createUser users watch",
		"readAnyDatabase@admin":      "find,find in b,lookup,explain,collections,watch,watch all,databases",
		"readWriteAnyDatabase@admin": "find,find in b,insert,upsert,delete,modify,bulkWrite,out,merge,lookup,explain,create,index,drop,collections,watch,watch all,databases",
		"userAdminAnyDatabase@admin": "createUser users databases",
		"clusterMonitor@admin":       "status currentOp oplog databases",
		"hostManager@admin":          "killOp parameter",
		"clusterManager@admin":       "freeze oplog",
		"backup@admin":               "find,find in b,lookup,explain,collections,status,oplog,databases",
	}
	for role, want := range roles {
		t.Run(role, func(t *testing.T) {
			options := []mongotest.Option{mongotest.ReplicaSet(1), mongotest.RequireAuth(), withRoles("root", "root@admin"), withRoles("one")}
			if role != "" {
				options[3] = withRoles("one", role)
			}
			d := mongotest.Start(t, options...)
			root, one := connectAs(t, d, "root"), connectAs(t, d, "one")
			checkRefused(t, root.runInDB(insertA), 0)
			allowed := strings.Fields(want)
			if strings.Contains(want, ",") {
				allowed = strings.Split(want, ",")
			}
			for name, attempt := range attempts {
				db, command, _ := strings.Cut(attempt, " ")
				reply := one.run(append(parseDocument(t, command), bson.E{Key: "$db", Value: db}))
				if got := codeOf(reply) != errcode.Unauthorized; got != slices.Contains(allowed, name) {
					t.Errorf("%s is allowed: %t: %v", name, got, reply)
				}
				if reply := root.run(append(parseDocument(t, command), bson.E{Key: "$db", Value: db})); codeOf(reply) == errcode.Unauthorized {
					t.Errorf("root may not %s: %v", name, reply)
				}
			}
		})
	}
}

// The error names the database and the command, without a password.
func TestUnauthorizedSaysWhatWasTried(t *testing.T) {
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("ada", "read@db"))
	runCases(t, connectAs(t, d, "ada"), []wireCase{
		{"a write", "db", `{'insert':'c','documents':[]}`, 13, `not authorized on db to execute command { insert: "c", documents: [], $db: "db" }`},
		{"another database", "b", `{'count':'c'}`, 13, `not authorized on b to execute command { count: "c", $db: "b" }`},
		{"a password", "admin", `{'createUser':'eve','pwd':'secret','roles':[]}`, 13, `createUser: "eve", pwd: "xxx", roles: []`},
		{"of admin, elsewhere", "db", `{'replSetGetStatus':1}`, 13, "replSetGetStatus may only be run against the admin database."},
		{"a system collection", "db", `{'find':'system.profile'}`, 13, "not authorized on db"},
		{"oneself", "$external", `{'usersInfo':'ada','showPrivileges':true}`, 0, "users 0 inheritedRoles=[{'role':'read','db':'db'}]"},
		{"others", "$external", `{'usersInfo':'eve'}`, 13, "not authorized on $external"},
		{"own privileges", "db", `{'connectionStatus':1,'showPrivileges':true}`, 0, "authInfo authenticatedUserPrivileges 0 resource={'db':'db','collection':''}"},
		{"own databases", "admin", `{'listDatabases':1,'nameOnly':true}`, 0, "databases=[]"},
		{"all databases", "admin", `{'listDatabases':1,'authorizedDatabases':false}`, 13, "not authorized on admin"},
	})
}

// Users who may see single collections see only their names.
func TestListsShowWhatIsAuthorized(t *testing.T) {
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("root", "root@admin"), withRoles("ada", "one@db"))
	root := connectAs(t, d, "root")
	checkRefused(t, root.runInDB(`{createRole:'one',privileges:[{resource:{db:'db',collection:'c'},actions:['find']}],roles:[]}`), 0)
	for _, name := range []string{"c", "d"} {
		checkRefused(t, root.runInDB(`{create:'`+name+`'}`), 0)
	}
	checkRefused(t, root.run(bson.Doc("create", "c", "$db", "other")), 0)
	ada := connectAs(t, d, "ada")
	reply := ada.runInDB(`{listCollections:1,nameOnly:true,authorizedCollections:true}`)
	checkSame(t, "collections", reply.Lookup("cursor", "firstBatch"), `[{name:'c',type:'collection'}]`)
	checkRefused(t, ada.runInDB(`{listCollections:1}`), errcode.Unauthorized)
	checkSame(t, "databases", ada.runAdmin("listDatabases", 1, "nameOnly", true).Lookup("databases"), `[{name:'db'}]`)
	checkRefused(t, ada.runInDB(`{find:'d'}`), errcode.Unauthorized)
	checkRefused(t, ada.runInDB(`{find:'c'}`), 0)
}

// $$USER_ROLES lists the roles of the user who asks, and the roles that those inherit.
func TestUserRolesAreAVariable(t *testing.T) {
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("root", "root@admin"), withRoles("ada", "base@db"))
	root := connectAs(t, d, "root")
	checkRefused(t, root.runInDB(`{createRole:'base',privileges:[],roles:['read']}`), 0)
	checkRefused(t, root.runInDB(`{insert:'c',documents:[{_id:1}]}`), 0)
	ask := `{aggregate:'c',cursor:{},pipeline:[{$project:{roles:'$$USER_ROLES',_id:0}}]}`
	checkSame(t, "a user", connectAs(t, d, "ada").runInDB(ask).Lookup("cursor", "firstBatch", "0", "roles"),
		`[{_id:'db.base',role:'base',db:'db'},{_id:'db.read',role:'read',db:'db'}]`)
	checkSame(t, "a let", connectAs(t, d, "ada").runInDB(`{find:'c',let:{r:{$size:'$$USER_ROLES'}},filter:{$expr:{$eq:['$$r',2]}}}`).Lookup("cursor", "firstBatch"), `[{_id:1}]`)
	open := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, open, []wireCase{
		{"nobody", "db", `{'aggregate':1,'cursor':{},'pipeline':[{'$documents':[{'r':'$$USER_ROLES'}]}]}`, 0, "cursor firstBatch 0 r=[]"},
		{"an empty password", "db", `{'createUser':'u','pwd':'','roles':[]}`, 50687, "Password cannot be empty"},
		{"custom data", "db", `{'createUser':'u','pwd':'p','roles':[],'customData':{'a':1}}`, 0, ""},
		{"it is shown", "db", `{'usersInfo':'u'}`, 0, "users 0 customData={'a':1}"},
		{"a new password that is empty", "db", `{'updateUser':'u','pwd':''}`, 50687, "Password cannot be empty"},
		{"or not", "db", `{'usersInfo':'u','showCustomData':false}`, 0, "users 0 roles=[]"},
		{"a digest for SCRAM-SHA-256", "db", `{'createUser':'w','pwd':'p','roles':[],'digestPassword':false}`, 2, "Use of SCRAM-SHA-256 requires undigested passwords"},
	})
	if shown := open.runInDB(`{usersInfo:'u',showCustomData:false}`); !shown.Lookup("users", "0", "customData").IsZero() {
		t.Errorf("custom data is shown: %s", shown)
	}
	old := connectRaw(t, mongotest.Start(t, mongotest.Version("6.0")), 0)
	runCases(t, old, []wireCase{{"before 7.0", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$project':{'r':'$$USER_ROLES'}}]}`, 17276, "Use of undefined variable: USER_ROLES"}})
}

// A change to a role takes effect at once, on open connections too.
func TestUserDefinedRoles(t *testing.T) {
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("root", "root@admin"), withRoles("ada", "base@db"))
	root := connectAs(t, d, "root")
	runCases(t, root, []wireCase{
		{"made", "db", `{'createRole':'base','privileges':[{'resource':{'db':'db','collection':'c'},'actions':['find','insert']}],'roles':[]}`, 0, ""},
		{"made twice", "db", `{'createRole':'base','privileges':[],'roles':[]}`, 51002, `Role "base@db" already exists`},
		{"without privileges", "db", `{'createRole':'x','roles':[]}`, 40414, "BSON field 'createRole.privileges' is missing but a required field"},
		{"a built-in one", "db", `{'createRole':'read','privileges':[],'roles':[]}`, 2, "Cannot create roles with the same name as a built-in role"},
		{"of an unknown role", "db", `{'createRole':'x','privileges':[],'roles':['nobody']}`, 31, "Could not find role: nobody@db"},
		{"of an unknown action", "db", `{'createRole':'x','privileges':[{'resource':{'db':'db','collection':''},'actions':['sing']}],'roles':[]}`, 9, "Unrecognized action privilege strings: sing"},
		{"beyond the database", "db", `{'createRole':'x','privileges':[{'resource':{'cluster':true},'actions':['inprog']}],'roles':[]}`, 49, "cannot be granted privileges that target other databases or the cluster"},
		{"roles beyond the database", "db", `{'createRole':'x','privileges':[],'roles':[{'role':'read','db':'b'}]}`, 49, "Roles on the 'db' database cannot be granted roles from other databases"},
		{"a strange resource", "db", `{'createRole':'x','privileges':[{'resource':{'db':'db'},'actions':['find']}],'roles':[]}`, 2, "resource must set both"},
		{"heir", "db", `{'createRole':'heir','privileges':[],'roles':['base','read']}`, 0, ""},
		{"shown", "db", `{'rolesInfo':'heir'}`, 0, "roles 0 inheritedRoles=[{'role':'base','db':'db'},{'role':'read','db':'db'}]"},
		{"shown with privileges", "db", `{'rolesInfo':'base','showPrivileges':true}`, 0, "roles 0 privileges=[{'resource':{'db':'db','collection':'c'},'actions':['find','insert']}]"},
		{"all, with built-in ones", "db", `{'rolesInfo':1,'showBuiltinRoles':true}`, 0, "roles 2 isBuiltin=true"},
		{"as a user", "db", `{'rolesInfo':'heir','showPrivileges':'asUserFragment'}`, 0, "userFragment roles=[{'role':'heir','db':'db'}]"},
		{"nobody", "db", `{'rolesInfo':'nobody'}`, 0, "roles=[]"},
		{"a circle", "db", `{'grantRolesToRole':'base','roles':['heir']}`, 49, "Granting heir@db to base@db would introduce a cycle in the role graph."},
		{"itself", "db", `{'grantRolesToRole':'base','roles':['base']}`, 49, "Cannot grant role base@db to itself."},
		{"nothing", "db", `{'grantRolesToRole':'base','roles':[]}`, 2, `grantRolesToRole command requires a non-empty "roles" array`},
		{"no privileges", "db", `{'grantPrivilegesToRole':'base','privileges':[]}`, 2, `grantPrivilegesToRole command requires a non-empty "privileges" array`},
		{"a change of a built-in one", "db", `{'grantRolesToRole':'read','roles':['base']}`, 49, "read@db is a built-in role and cannot be modified"},
		{"a change of nobody", "db", `{'updateRole':'nobody','roles':[]}`, 31, "Role 'nobody@db' not found"},
		{"no change", "db", `{'updateRole':'base'}`, 2, "Must specify at least one field to update in updateRole"},
		{"drop of nobody", "db", `{'dropRole':'nobody'}`, 31, "Role 'nobody@db' not found"},
		{"a user that is unknown", "db", `{'grantRolesToUser':'eve','roles':['base']}`, 11, `Could not find user "eve" for db "db"`},
		{"a user with an unknown role", "db", `{'createUser':'eve','pwd':'p','roles':['nobody']}`, 31, "Could not find role: nobody@db"},
		{"the cache", "admin", `{'invalidateUserCache':1}`, 0, ""},
	})
	ada := connectAs(t, d, "ada")
	may := func(what string, want bool, commands ...string) {
		t.Helper()
		for _, command := range commands {
			if got := codeOf(ada.runInDB(command)) != errcode.Unauthorized; got != want {
				t.Errorf("%s: %s is allowed: %t", what, command, got)
			}
		}
	}
	const remove = `{delete:'c',deletes:[{q:{},limit:1}]}`
	may("at first", true, findAll, insertA)
	may("at first", false, remove, `{find:'d'}`)
	for _, step := range []struct {
		command string
		db      string
		yes, no []string
	}{
		{`{'revokePrivilegesFromRole':'base','privileges':[{'resource':{'db':'db','collection':'c'},'actions':['insert']}]}`, "db", []string{findAll}, []string{insertA}},
		{`{'grantPrivilegesToRole':'base','privileges':[{'resource':{'db':'db','collection':'c'},'actions':['remove']}]}`, "db", []string{findAll, remove}, []string{insertA}},
		{`{'grantRolesToRole':'base','roles':['readWrite']}`, "db", []string{insertA, `{find:'d'}`}, nil},
		{`{'revokeRolesFromRole':'base','roles':['readWrite']}`, "db", []string{findAll}, []string{insertA}},
		{`{'updateRole':'base','privileges':[]}`, "db", nil, []string{findAll}},
		{`{'grantRolesToUser':'ada','roles':[{'role':'dbOwner','db':'db'}]}`, "$external", []string{findAll, insertA}, nil},
		{`{'revokeRolesFromUser':'ada','roles':[{'role':'dbOwner','db':'db'}]}`, "$external", nil, []string{findAll}},
		{`{'updateUser':'ada','roles':[{'role':'heir','db':'db'}]}`, "$external", []string{findAll}, []string{insertA}},
		{`{'dropRole':'heir'}`, "db", nil, []string{findAll}},
		{`{'grantRolesToUser':'ada','roles':[{'role':'read','db':'db'}]}`, "$external", []string{findAll}, nil},
		{`{'dropUser':'ada'}`, "$external", nil, []string{findAll}},
	} {
		checkRefused(t, root.run(append(parseDocument(t, step.command), bson.E{Key: "$db", Value: step.db})), 0)
		may(step.command, true, step.yes...)
		may(step.command, false, step.no...)
	}
	checkSame(t, "n", root.runInDB(`{dropAllRolesFromDatabase:1}`).Lookup("n"), "1")
}

// Users can grant only the roles of databases that they administer.
func TestGrantingNeedsGrantRole(t *testing.T) {
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("ada", "userAdmin@db"))
	runCases(t, connectAs(t, d, "ada"), []wireCase{
		{"own database", "db", `{'createUser':'u','pwd':'p','roles':['readWrite']}`, 0, ""},
		{"another database", "db", `{'createUser':'v','pwd':'p','roles':[{'role':'read','db':'b'}]}`, 13, "not authorized on db"},
		{"root", "db", `{'grantRolesToUser':'u','roles':[{'role':'root','db':'admin'}]}`, 13, "not authorized on db"},
		{"privileges elsewhere", "db", `{'createRole':'r','privileges':[{'resource':{'db':'b','collection':''},'actions':['find']}],'roles':[]}`, 13, "not authorized on db"},
		{"privileges here", "db", `{'createRole':'r','privileges':[{'resource':{'db':'db','collection':''},'actions':['find']}],'roles':[]}`, 0, ""},
		{"a password", "db", `{'updateUser':'u','pwd':'q'}`, 0, ""},
	})
}
