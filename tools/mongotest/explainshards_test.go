package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/tools/mongotest"
)

// A router shows the plan of its shard inside a plan of its own.
func TestExplainThroughARouter(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	c.mustRun("admin", `{'shardCollection':'db.c','key':{'a':1}}`)
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1,'a':1},{'_id':2,'a':2}]}`)
	const plan, shard = "queryPlanner winningPlan ", "queryPlanner winningPlan shards 0 "
	const run = "executionStats executionStages "
	runCases(t, c, []wireCase{
		{"version", "db", `{'explain':{'find':'c'}}`, 0, "queryPlanner mongosPlannerVersion=1"},
		{"one shard", "db", `{'explain':{'find':'c'}}`, 0, plan + "stage='SINGLE_SHARD'"},
		{"its name", "db", `{'explain':{'find':'c'}}`, 0, shard + "shardName='shard0'"},
		{"namespace", "db", `{'explain':{'find':'c'}}`, 0, shard + "namespace='db.c'"},
		{"orphans are left out", "db", `{'explain':{'find':'c','filter':{'b':1}}}`, 0, shard + "winningPlan stage='SHARDING_FILTER'"},
		{"the shard key finds none", "db", `{'explain':{'find':'c','filter':{'a':1}}}`, 0, shard + "winningPlan inputStage indexName='a_1'"},
		{"an unsharded collection has none", "db", `{'explain':{'find':'d','filter':{'a':1}}}`, 0, shard + "winningPlan stage='EOF'"},
		{"count", "db", `{'explain':{'count':'c','query':{'a':1}}}`, 0, plan + "stage='SINGLE_SHARD'"},
		{"a write", "db", `{'explain':{'update':'c','updates':[{'q':{'a':1},'u':{'$set':{'b':1}}}]}}`, 0, plan + "stage='SHARD_WRITE'"},
		{"counts", "db", `{'explain':{'find':'c','filter':{'a':{'$gt':1}}}}`, 0, "executionStats nReturned=1"},
		{"counts of all shards", "db", `{'explain':{'find':'c'}}`, 0, run + "totalDocsExamined=2"},
		{"counts of a shard", "db", `{'explain':{'find':'c'}}`, 0, run + "shards 0 executionStages nReturned=2"},
		{"other plans", "db", `{'explain':{'find':'c'},'verbosity':'allPlansExecution'}`, 0, "executionStats allPlansExecution 0 shardName='shard0'"},
		{"a pipeline", "db", `{'explain':{'aggregate':'c','pipeline':[{'$group':{'_id':'$a'}}],'cursor':{}}}`, 0, "shards shard0 stages 1 $group _id='$a'"},
		{"a pipeline as an option", "db", `{'aggregate':'c','pipeline':[{'$match':{'a':1}}],'explain':true}`, 0, "shards shard0 queryPlanner winningPlan stage='FETCH'"},
		{"a mistake", "db", `{'explain':1}`, 14, "wrong type"},
	})
}

// An empty collection whose shard key begins with a hash is split at once.
func TestInitialChunks(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1), mongotest.Version("7.0")), 0)
	const first = `{'find':'chunks','sort':{'min':1},'skip':1}`
	runCases(t, c, []wireCase{
		{"as asked", "admin", `{'shardCollection':'db.c','key':{'a':'hashed','b':1},'numInitialChunks':3}`, 0, ""},
		{"so many", "config", `{'count':'chunks'}`, 0, "n=3"},
		{"of equal size", "config", first, 0, "cursor firstBatch 0 min a=-3074457345618258602"},
		{"with all of the rest", "config", first, 0, "cursor firstBatch 0 max a=3074457345618258602"},
		{"dropped", "db", `{'drop':'c'}`, 0, ""},
		{"two without a number", "admin", `{'shardCollection':'db.c','key':{'a':'hashed'}}`, 0, ""},
		{"at zero", "config", first, 0, "cursor firstBatch 0 min a=0"},
		{"dropped too", "db", `{'drop':'c'}`, 0, ""},
		{"too many", "admin", `{'shardCollection':'db.c','key':{'a':'hashed'},'numInitialChunks':8193}`, 72, "numInitialChunks cannot be more than"},
		{"not by value", "admin", `{'shardCollection':'db.c','key':{'a':1},'numInitialChunks':2}`, 72, "not hashed"},
		{"documents", "db", `{'insert':'c','documents':[{'_id':1,'a':1}]}`, 0, ""},
		{"their index", "db", `{'createIndexes':'c','indexes':[{'name':'h','key':{'a':'hashed'}}]}`, 0, ""},
		{"not split", "admin", `{'shardCollection':'db.c','key':{'a':'hashed'},'numInitialChunks':5}`, 0, ""},
		{"one chunk", "config", `{'count':'chunks'}`, 0, "n=1"},
	})
}
