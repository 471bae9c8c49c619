package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A dump that is taken while clients write is consistent only together with the oplog of that time: mongodump --oplog reads
// both, and mongorestore --oplogReplay sends the entries with applyOps.
func TestDumpWithItsOplog(t *testing.T) {
	for _, version := range []string{"4.4", "8.0"} {
		t.Run(version, func(t *testing.T) {
			from := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0)
			to := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0)
			from.mustRun("db", `{'insert':'c','documents':[{'_id':1,'a':[1,2,3],'d':{'x':1,'y':2}},{'_id':2},{'_id':3,'n':1}]}`, `{'create':'gone'}`)
			last := batch(from.run(bson.Doc("find", "oplog.rs", "sort", bson.Doc("$natural", -1), "limit", 1, "$db", "local")), "firstBatch")
			dumped := batch(from.run(bson.Doc("find", "c", "batchSize", 1, "$db", "db")), "firstBatch") // the rest is read too late
			from.mustRun("db", `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a.1':9,'d.y':3},'$unset':{'d.x':1},'$push':{'b':1}}},{'q':{'_id':3},'u':{'m':1}}]}`,
				`{'delete':'c','deletes':[{'q':{'_id':2},'limit':1}]}`, `{'createIndexes':'c','indexes':[{'key':{'n':1},'name':'n'}]}`,
				`{'create':'v','viewOn':'c','pipeline':[]}`, `{'drop':'gone'}`, `{'collMod':'c','validator':{'z':{'$ne':1}}}`)
			for _, command := range []string{begin(`{insert:'c',documents:[{_id:4}]}`, 1), statement(`{update:'c',updates:[{q:{_id:1},u:{$push:{a:4}}}]}`, 1), statement(commit, 1)} {
				checkRefused(t, from.runInTransaction(command), 0)
			}
			dumped = append(dumped, batch(from.run(bson.Doc("find", "c", "filter", bson.Doc("_id", bson.Doc("$gt", 1)), "$db", "db")), "firstBatch")...)
			after := bson.Doc("ts", bson.Doc("$gt", last[0].Lookup("ts")))
			entries := batch(from.run(bson.Doc("find", "oplog.rs", "filter", after, "$db", "local")), "firstBatch")

			to.mustRun("db", `{'create':'c'}`, `{'create':'gone'}`)
			to.run(bson.Doc("insert", "c", "documents", dumped, "$db", "db"))
			for range 2 { // a second time changes nothing
				for _, entry := range entries {
					reply := to.run(bson.Doc("applyOps", bson.A{entry}, "$db", "admin"))
					if kind, _ := entry.Lookup("op").StringOK(); codeOf(reply) != 0 && kind != "c" && kind != "i" {
						t.Errorf("%s: %s", entry, reply)
					}
				}
			}
			for _, read := range []bson.D{bson.Doc("find", "c", "sort", bson.Doc("_id", 1)), bson.Doc("find", "v"), bson.Doc("listIndexes", "c"), bson.Doc("listCollections", 1, "nameOnly", true)} {
				read = append(read, bson.E{Key: "$db", Value: "db"})
				if got, want := to.run(read).Lookup("cursor", "firstBatch"), from.run(read).Lookup("cursor", "firstBatch"); !got.Equal(want) {
					t.Errorf("%s: the copy has %s, the source %s", read[0].Key, got, want)
				}
			}
		})
	}
}

func TestMistakesOfApplyOps(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1,'a':1}]}`)
	runCases(t, c, []wireCase{
		{"nothing", "admin", `{'applyOps':[]}`, 0, "applied=0"},
		{"two", "admin", `{'applyOps':[{'op':'n','ns':'','o':{}},{'op':'i','ns':'db.c','o':{'_id':2}}]}`, 0, "results=[true,true]"},
		{"no list", "admin", `{'applyOps':1}`, errcode.TypeMismatch, "ops has to be an array"},
		{"no document", "admin", `{'applyOps':[1]}`, errcode.FailedToParse, "op not an object: 1"},
		{"another kind", "admin", `{'applyOps':[{'op':'x','ns':'db.c','o':{}}]}`, errcode.BadValue, "Unrecognized op type 'x'"},
		{"another command", "admin", `{'applyOps':[{'op':'c','ns':'db.$cmd','o':{'ping':1}}]}`, errcode.BadValue, "Unknown operation type: ping"},
		{"no collection", "admin", `{'applyOps':[{'op':'i','ns':'db.nope','o':{'_id':1}}]}`, errcode.NamespaceNotFound, "due to missing collection"},
		{"no key", "admin", `{'applyOps':[{'op':'u','ns':'db.c','o':{'$v':2,'diff':{}}}]}`, errcode.NoSuchKey, "o2"},
		{"a difference for an array", "admin", `{'applyOps':[{'op':'u','ns':'db.c','o2':{'_id':1},'o':{'$v':2,'diff':{'sa':{'a':true,'u0':1}}}}]}`, errcode.BadValue, "does not fit the document"},
		{"another database", "db", `{'applyOps':[]}`, errcode.Unauthorized, "admin database"},
		{"a precondition", "admin", `{'applyOps':[],'preCondition':[]}`, 40415, "preCondition"},
	})
	checkRefused(t, connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0).runAdmin("applyOps", bson.A{}), errcode.CommandNotFound)
	d := mongotest.Start(t, mongotest.RequireAuth(), withRoles("root", "root@admin"), withRoles("ada", "readWrite@db"))
	connectAs(t, d, "root").runInDB(`{create:'c'}`)
	runCases(t, connectAs(t, d, "ada"), []wireCase{
		{"own writes", "admin", `{'applyOps':[{'op':'i','ns':'db.c','o':{'_id':1}},{'op':'u','ns':'db.c','o2':{'_id':1},'o':{'$set':{'a':1}}},{'op':'d','ns':'db.c','o':{'_id':1}}]}`, 0, "applied=3"},
		{"another database's", "admin", `{'applyOps':[{'op':'i','ns':'other.c','o':{'_id':1}}]}`, errcode.Unauthorized, "not authorized on admin"},
		{"a system collection's", "admin", `{'applyOps':[{'op':'i','ns':'db.system.js','o':{'_id':1}}]}`, errcode.Unauthorized, "not authorized on admin"},
		{"a database", "admin", `{'applyOps':[{'op':'c','ns':'db.$cmd','o':{'dropDatabase':1}}]}`, errcode.Unauthorized, "not authorized on admin"},
	})
}
