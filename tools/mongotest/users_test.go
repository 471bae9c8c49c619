package mongotest_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// docsOf returns the documents of a collection of admin.
func docsOf(c *rawConn, collection string) (list bson.A) {
	c.t.Helper()
	batch, _ := c.runAdmin("find", collection).Lookup("cursor", "firstBatch").ArrayOK()
	for _, v := range batch.All() {
		list = append(list, v)
	}
	return list
}

// Users and roles move to another deployment as mongodump and mongorestore move them.
func TestUsersAreDumpedAndRestored(t *testing.T) {
	from := connectRaw(t, mongotest.Start(t), 0)
	checkRefused(t, from.runAdmin("createRole", "keeper", "roles", bson.A{"read"},
		"privileges", bson.A{bson.Doc("resource", bson.Doc("db", "shop", "collection", ""), "actions", bson.A{"find", "insert"})}), 0)
	checkRefused(t, from.run(bson.Doc("createUser", "ada", "pwd", "pw", "roles", bson.A{bson.Doc("role", "keeper", "db", "admin")},
		"customData", bson.Doc("n", 1), "$db", "shop")), 0)
	checkRefused(t, from.run(bson.Doc("createUser", "CN=x", "roles", bson.A{}, "$db", "$external")), 0)
	users, roles := docsOf(from, "system.users"), docsOf(from, "system.roles")
	if len(users) != 2 || len(roles) != 1 {
		t.Fatalf("dumped %v and %v", users, roles)
	}
	checkSame(t, "version", from.runAdmin("find", "system.version", "filter", bson.Doc("_id", "authSchema")).Lookup("cursor", "firstBatch"),
		`[{_id:'authSchema',currentVersion:5}]`)

	d := mongotest.Start(t, mongotest.Auth("root", "secret"))
	client, err := mongo.Connect(t.Context(), d.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	run := func(kv ...any) error {
		_, err := client.Database("admin").RunCommand(t.Context(), bson.Doc(kv...)).Raw()
		return err
	}
	for _, err := range []error{
		run("insert", "tempusers", "documents", users), run("insert", "temproles", "documents", roles),
		run("_mergeAuthzCollections", 1, "tempUsersCollection", "admin.tempusers", "tempRolesCollection", "admin.temproles",
			"db", "", "drop", false, "writeConcern", bson.Doc("w", 1)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ada, err := mongo.Connect(t.Context(), "mongodb://ada:pw@"+d.Hosts()[0]+"/?authSource=shop")
	if err != nil {
		t.Fatal(err)
	}
	defer ada.Close(t.Context())
	if _, err := ada.Database("shop").Collection("c").InsertOne(t.Context(), bson.D{}); err != nil {
		t.Errorf("the restored role: %v", err)
	}
	_, err = ada.Database("other").Collection("c").InsertOne(t.Context(), bson.D{})
	if e, ok := errors.AsType[mongo.CommandError](err); !ok || e.Code != errcode.Unauthorized {
		t.Errorf("another database: %v", err)
	}
	// With drop, the users that the dump lacks are removed, here those of one database.
	if err := run("_mergeAuthzCollections", 1, "tempUsersCollection", "admin.nothing", "db", "shop", "drop", true); err != nil {
		t.Fatal(err)
	}
	left, err := client.Database("admin").RunCommand(t.Context(), bson.Doc("usersInfo", bson.Doc("forAllDBs", true))).Raw()
	if list, _ := left.Lookup("users").ArrayOK(); err != nil || list.Len() != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestSystemUsersExistWithUsers(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	named := bson.Doc("name", bson.Doc("$in", bson.A{"system.users", "system.roles"}))
	empty := c.runAdmin("listCollections", 1, "filter", named, "nameOnly", true).Lookup("cursor", "firstBatch")
	checkSame(t, "without users", empty, `[]`)
	checkRefused(t, c.runAdmin("createUser", "u", "pwd", "p", "roles", bson.A{}), 0)
	checkSame(t, "with one", c.runAdmin("listCollections", 1, "filter", named, "nameOnly", true).Lookup("cursor", "firstBatch"),
		`[{name:'system.users',type:'collection'}]`)
	checkSame(t, "the schema", c.runAdmin("getParameter", 1, "authSchemaVersion", 1).Lookup("authSchemaVersion"), `5`)
	checkRefused(t, c.runAdmin("_mergeAuthzCollections", 1, "db", "", "drop", false), errcode.BadValue)
}
