package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/javascript"
)

func TestOptionsOfTheIndexOnID(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	index := func(more string) string {
		return `{'createIndexes':'c','indexes':[{'key':{'_id':1},'name':'_id_'` + more + `}]}`
	}
	runCases(t, c, []wireCase{
		{"none", "db", index(``), 0, "numIndexesAfter=1"},
		{"version", "db", index(`,'v':2`), 0, ""},
		{"unique", "db", index(`,'unique':true`), errcode.InvalidIndexSpecificationOption, "The field 'unique' is not valid for an _id index specification."},
		{"not unique", "db", index(`,'unique':false`), errcode.InvalidIndexSpecificationOption, "'unique'"},
		{"sparse", "db", index(`,'sparse':false`), errcode.InvalidIndexSpecificationOption, "'sparse'"},
		{"background", "db", index(`,'background':false`), errcode.InvalidIndexSpecificationOption, "'background'"},
	})
}

func TestExplainSaysWhatWasCounted(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	c.runInDB(`{insert:'c',documents:[{_id:1,a:1},{_id:2,a:2},{_id:3,a:2}]}`)
	c.runInDB(`{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`)
	const stats = "executionStats executionStages "
	explain := func(find string) string { return `{'explain':` + find + `,'verbosity':'executionStats'}` }
	runCases(t, c, []wireCase{
		{"by _id with a projection", "db", `{'explain':{'find':'c','filter':{'_id':1},'projection':{'a':1}},'verbosity':'queryPlanner'}`, 0, "queryPlanner winningPlan={'isCached':false,'stage':'EXPRESS_IXSCAN','keyPattern':'{ _id: 1 }','indexName':'_id_'}"},
		{"its documents", "db", explain(`{'find':'c','filter':{'_id':1},'projection':{'a':1}}`), 0, stats + "docsExamined=1"},
		{"works of a scan", "db", explain(`{'find':'c','filter':{'a':2},'hint':{'$natural':1}}`), 0, stats + "works=4"},
		{"its documents too", "db", explain(`{'find':'c','filter':{'a':2},'hint':{'$natural':1}}`), 0, stats + "docsExamined=3"},
		{"what it left out", "db", explain(`{'find':'c','filter':{'a':2},'hint':{'$natural':1}}`), 0, stats + "needTime=1"},
		{"fetched", "db", explain(`{'find':'c','filter':{'a':2}}`), 0, stats + "docsExamined=2"},
		{"keys", "db", explain(`{'find':'c','filter':{'a':2}}`), 0, stats + "inputStage keysExamined=2"},
		{"advanced", "db", explain(`{'find':'c','filter':{'a':2}}`), 0, stats + "inputStage advanced=2"},
		{"counted", "db", explain(`{'count':'c','query':{'a':2,'_id':{'$gt':2}}}`), 0, stats + "nCounted=1"},
		{"$out", "db", `{'aggregate':'c','pipeline':[{'$out':'d'}],'explain':true,'writeConcern':{'w':1}}`, errcode.FailedToParse, "does not support the 'writeConcern' option"},
		{"$merge", "db", `{'explain':{'aggregate':'c','pipeline':[{'$merge':'d'}],'cursor':{},'writeConcern':{'w':1}}}`, errcode.FailedToParse, "does not support the 'writeConcern' option"},
		{"no write", "db", `{'aggregate':'c','pipeline':[],'explain':true,'writeConcern':{'w':1}}`, 0, ""},
	})
	old := connectRaw(t, mongotest.Start(t, mongotest.Version("7.0")), 0)
	old.runInDB(`{insert:'c',documents:[{_id:1,a:1}]}`)
	runCases(t, old, []wireCase{{"before 8.0", "db", explain(`{'find':'c','filter':{'_id':1},'projection':{'a':1}}`), 0, stats + "inputStage stage='IDHACK'"}})
}

func TestSmallRepliesOfServers(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), javascript.Enable()), 0)
	runCases(t, c, []wireCase{
		{"a capped collection", "db", `{'create':'k','capped':true,'size':1000,'max':{'$numberLong':'5'}}`, 0, ""},
		{"JavaScript", "db", `{'buildInfo':1}`, 0, "javascriptEngine='mozjs'"},
		{"code with scope", "db", `{'find':'k','filter':{'$where':{'$code':'true','$scope':{}}}}`, errcode.BadValue, "$where got bad type"},
		{"code", "db", `{'find':'k','filter':{'$where':{'$code':'true'}}}`, 0, ""},
		{"search indexes under snapshot", "db", `{'aggregate':'k','pipeline':[{'$listSearchIndexes':{}}],'cursor':{},'readConcern':{'level':'snapshot'}}`, errcode.InvalidOptions, "other than 'local'"},
		{"an index", "db", `{'createIndexes':'c','indexes':[{'key':{'a':1},'name':'a','expireAfterSeconds':5}]}`, 0, ""},
		{"two changes of it", "db", `{'collMod':'c','index':{'name':'a','expireAfterSeconds':9,'hidden':true}}`, 0, ""},
		{"make one entry", "local", `{'count':'oplog.rs','query':{'o.collMod':'c'}}`, 0, "n=1"},
		{"with both", "local", `{'find':'oplog.rs','filter':{'o.collMod':'c'}}`, 0, "cursor firstBatch 0 o index={'name':'a','expireAfterSeconds':9,'hidden':true}"},
	})
	if max := c.runInDB(`{listCollections:1,filter:{name:'k'}}`).Lookup("cursor", "firstBatch", "0", "options", "max"); max.Type != 0x10 {
		t.Errorf("max is a %s", max.Type)
	}
	if ttl := c.runInDB(`{listIndexes:'c'}`).Lookup("cursor", "firstBatch", "1", "expireAfterSeconds"); ttl.Type != 0x12 {
		t.Errorf("expireAfterSeconds is a %s", ttl.Type)
	}
	if engine, _ := connectRaw(t, mongotest.Start(t), 0).runInDB(`{buildInfo:1}`).Lookup("javascriptEngine").StringOK(); engine != "none" {
		t.Errorf("the engine is %q", engine)
	}
	d := mongotest.Start(t, mongotest.Sharded(1))
	if config, _ := connectRaw(t, d, 0).runAdmin("getShardMap", 1).Lookup("map", "config").StringOK(); config != "config/"+d.Hosts()[0] {
		t.Errorf("the config servers are %q", config)
	}
}

// onPrimaryTransactionalWrite acts on single statements. The statements before the failed one take effect, and a retry
// continues after them.
func TestFailPointOfWritesCountsStatements(t *testing.T) {
	for name, insert := range map[string]string{
		"insert":    `{insert:'c',documents:[{_id:1},{_id:2},{_id:3}]`,
		"update":    `{update:'c',updates:[{q:{_id:1},u:{a:1},upsert:true},{q:{_id:2},u:{a:1},upsert:true},{q:{_id:3},u:{a:1},upsert:true}]`,
		"bulkWrite": `{bulkWrite:1,nsInfo:[{ns:'db.c'}],ops:[{insert:0,document:{_id:1}},{insert:0,document:{_id:2}},{insert:0,document:{_id:3}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
			run := func() bson.Raw { return c.runInTransaction(retryable(insert+`}`, 1)) }
			fail := func(mode bson.D) {
				checkRefused(t, c.runAdmin("configureFailPoint", "onPrimaryTransactionalWrite", "mode", mode,
					"data", bson.Doc("failBeforeCommitExceptionCode", 91, "closeConnection", false)), 0)
			}
			fail(bson.Doc("skip", 1))
			checkRefused(t, run(), errcode.ShutdownInProgress)
			checkDocumentsLeft(t, c, "1")
			fail(bson.Doc("times", 1)) // the first statement is not executed again, so it does not count
			checkRefused(t, run(), errcode.ShutdownInProgress)
			checkDocumentsLeft(t, c, "1")
			checkRefused(t, run(), 0)
			checkDocumentsLeft(t, c, "3")
		})
	}
}

func checkDocumentsLeft(t *testing.T, c *rawConn, want string) {
	t.Helper()
	checkSame(t, "documents", c.runInDB(`{count:'c'}`).Lookup("n"), want)
}
