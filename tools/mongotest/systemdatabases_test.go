package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/tools/mongotest"
)

// A server writes to admin, config and local before any client does.
func TestDatabasesOfTheServer(t *testing.T) {
	ordinary := `databases=[{'name':'admin'},{'name':'config'},{'name':'local'}]`
	for name, shape := range map[string]struct {
		option    mongotest.Option
		databases string
		kept      string
	}{
		"standalone":  {mongotest.Standalone(), ordinary, ""},
		"replica set": {mongotest.ReplicaSet(3), ordinary, "local"},
		"cluster":     {mongotest.Sharded(1), `databases=[{'name':'admin'},{'name':'config'}]`, "config"},
	} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, shape.option, mongotest.Version("8.0")), 0)
			cases := []wireCase{
				{"listed", "admin", `{'listDatabases':1,'nameOnly':true}`, 0, shape.databases},
				{"they are not empty", "admin", `{'listDatabases':1,'filter':{'name':'config'}}`, 0, "databases 0 empty=false"},
				{"the version of features", "admin", `{'find':'system.version'}`, 0,
					"cursor firstBatch=[{'_id':'featureCompatibilityVersion','version':'8.0'}]"},
				{"a new version", "admin", `{'setFeatureCompatibilityVersion':'7.0','confirm':true}`, 0, ""},
				{"it is stored", "admin", `{'count':'system.version','query':{'version':'7.0'}}`, 0, "n=1"},
				{"sessions", "config", `{'count':'system.sessions'}`, 0, "n=0"},
				{"a session", "config", `{'find':'c','lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}}}`, 0, ""},
				{"it is stored", "config", `{'count':'system.sessions','query':{'lastUse':{'$gt':{'$date':'2000-01-01T00:00:00Z'}}}}`, 0, "n=1"},
				{"no drop", "admin", `{'dropDatabase':1}`, 20, "Dropping the 'admin' database is prohibited."},
				{"a drop of nothing", "nothing", `{'dropDatabase':1}`, 0, "dropped="},
			}
			if shape.kept != "" {
				cases = append(cases, wireCase{"one that is kept", shape.kept, `{'dropDatabase':1}`, 20, "Cannot drop"})
			}
			if shape.kept != "config" {
				cases = append(cases, wireCase{"a start", "local", `{'count':'startup_log'}`, 0, "n=1"})
			}
			runCases(t, c, cases)
		})
	}
}

// Indexes take room: collStats, $collStats, dbStats and listDatabases count the bytes of their keys.
func TestSizesOfIndexes(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, c, []wireCase{
		{"documents", "db", `{'insert':'c','documents':[{'_id':1,'a':'x'},{'_id':2,'a':'y'}]}`, 0, "n=2"},
		{"an index", "db", `{'createIndexes':'c','indexes':[{'unique':true,'name':'a_1','expireAfterSeconds':9,'key':{'a':1}}]}`, 0, ""},
		{"the order of its fields", "db", `{'listIndexes':'c'}`, 0,
			"cursor firstBatch 1={'v':2,'key':{'a':1},'name':'a_1','unique':true,'expireAfterSeconds':9}"},
	})
	stats := parseDocument(t, `{'collStats':'c','$db':'db'}`)
	sizes := func() (all, id, a int64) {
		reply := c.run(stats)
		for _, size := range []struct {
			to   *int64
			path []string
		}{{&all, []string{"totalIndexSize"}}, {&id, []string{"indexSizes", "_id_"}}, {&a, []string{"indexSizes", "a_1"}}} {
			*size.to, _ = reply.Lookup(size.path...).AsInt64OK()
		}
		return all, id, a
	}
	all, id, a := sizes()
	if id <= 0 || a <= 0 || all != id+a {
		t.Errorf("indexes of %d and %d bytes, together %d", id, a, all)
	}
	total, _ := c.run(parseDocument(t, `{'dbStats':1,'$db':'db'}`)).Lookup("indexSize").AsInt64OK()
	if total != all {
		t.Errorf("dbStats says %d, want %d", total, all)
	}
	c.run(parseDocument(t, `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':'a longer text'}}}],'$db':'db'}`))
	if _, _, longer := sizes(); longer <= a {
		t.Errorf("%d bytes after a longer text, %d before it", longer, a)
	}
	c.run(parseDocument(t, `{'delete':'c','deletes':[{'q':{},'limit':0}],'$db':'db'}`))
	if all, id, a = sizes(); all+id+a != 0 {
		t.Errorf("%d bytes without documents", all)
	}
}
