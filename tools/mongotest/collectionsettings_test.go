package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/tools/mongotest"
)

// Shells turn the balancer and the merger of a collection off and on by updates of config.collections.
func TestSettingsOfAShardedCollection(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(2)), 0)
	runCases(t, c, []wireCase{
		{"nothing is sharded", "config", `{'update':'collections','updates':[{'q':{'_id':'db.c'},'u':{'$set':{'noBalance':true}}}]}`, 0, "n=0"},
		{"sharded", "admin", `{'shardCollection':'db.c','key':{'a':1}}`, 0, ""},
		{"another", "admin", `{'shardCollection':'db.d','key':{'a':1}}`, 0, ""},
		{"balanced", "config", `{'find':'collections','filter':{'_id':'db.c'}}`, 0, "cursor firstBatch 0 noBalance=false"},
		{"off", "config", `{'update':'collections','updates':[{'q':{'_id':'db.c'},'u':{'$set':{'noBalance':true}}}],'writeConcern':{'w':'majority'}}`, 0, "nModified=1"},
		{"off again", "config", `{'update':'collections','updates':[{'q':{'_id':'db.c'},'u':{'$set':{'noBalance':true}}}]}`, 0, "nModified=0"},
		{"not balanced", "config", `{'count':'collections','query':{'_id':'db.c','noBalance':true}}`, 0, "n=1"},
		{"the other is", "config", `{'count':'collections','query':{'_id':'db.d','noBalance':false}}`, 0, "n=1"},
		{"no merger", "config", `{'update':'collections','updates':[{'q':{},'u':{'$set':{'enableAutoMerge':false}},'multi':true}]}`, 0, "nModified=2"},
		{"not merged", "config", `{'count':'collections','query':{'enableAutoMerge':false}}`, 0, "n=2"},
		{"merger", "config", `{'update':'collections','updates':[{'q':{'_id':'db.c'},'u':{'$unset':{'enableAutoMerge':1}}}]}`, 0, "nModified=1"},
		{"merged", "config", `{'count':'collections','query':{'enableAutoMerge':{'$exists':true}}}`, 0, "n=1"},
		{"it keeps its name", "admin", `{'renameCollection':'db.c','to':'db.e'}`, 0, ""},
		{"and its setting", "config", `{'count':'collections','query':{'_id':'db.e','noBalance':true}}`, 0, "n=1"},
		{"its key stays", "config", `{'update':'collections','updates':[{'q':{'_id':'db.e'},'u':{'$set':{'key':{'z':1}}}}]}`, 0, ""},
		{"as it was", "config", `{'count':'collections','query':{'_id':'db.e','key':{'a':1}}}`, 0, "n=1"},
		{"a statement that is wrong", "config", `{'update':'collections','updates':[{'q':{'_id':'db.e'},'u':{'$nope':{'a':1}}}]}`, 0, "writeErrors 0 code=9"},
		{"other collections of the database", "config", `{'update':'settings','updates':[{'q':{'_id':'x'},'u':{'$set':{'a':1}},'upsert':true}]}`, 0, "n=1"},
		{"a namesake", "db", `{'update':'collections','updates':[{'q':{'_id':'x'},'u':{'$set':{'noBalance':true}},'upsert':true}]}`, 0, "n=1"},
	})
}
