package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A collection that was dropped and created again can be sharded again. A renamed one stays sharded.
func TestShardedCollectionsFollowTheData(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	runCases(t, c, []wireCase{
		{"a write makes a database", "shop", `{'insert':'c','documents':[{'_id':1}]}`, 0, ""},
		{"it is listed", "config", `{'find':'databases'}`, 0, "cursor firstBatch 0 _id='shop'"},
		{"by a", "admin", `{'shardCollection':'db.c','key':{'a':1}}`, 0, ""},
		{"refused by b", "admin", `{'shardCollection':'db.c','key':{'b':1}}`, 23, "sharding already enabled"},
		{"dropped", "db", `{'drop':'c'}`, 0, ""},
		{"not sharded", "config", `{'count':'collections'}`, 0, "n=0"},
		{"no chunks", "config", `{'count':'chunks'}`, 0, "n=0"},
		{"by b", "admin", `{'shardCollection':'db.c','key':{'b':1}}`, 0, ""},
		{"renamed", "admin", `{'renameCollection':'db.c','to':'db.d'}`, 0, ""},
		{"by its new name", "config", `{'find':'collections'}`, 0, "cursor firstBatch 0 _id='db.d'"},
		{"a split of the new name", "admin", `{'split':'db.d','middle':{'b':5}}`, 0, ""},
		{"no split of the old one", "admin", `{'split':'db.c','middle':{'b':7}}`, 118, "not sharded"},
		{"a namesake", "db", `{'create':'c'}`, 0, ""},
		{"it is not sharded", "db", `{'collStats':'c'}`, 0, "sharded=false"},
		{"its shard", "db", `{'collStats':'c'}`, 0, "primary='shard0'"},
		{"the renamed one is", "db", `{'collStats':'d'}`, 0, "sharded=true"},
		{"its chunks", "db", `{'collStats':'d'}`, 0, "nchunks=2"},
		{"a stage by shard", "db", `{'aggregate':'d','cursor':{},'pipeline':[{'$collStats':{'count':{}}}]}`, 0, "cursor firstBatch 0 shard='shard0'"},
		{"indexes by shard", "db", `{'aggregate':'d','cursor':{},'pipeline':[{'$indexStats':{}}]}`, 0, "cursor firstBatch 0 shard='shard0'"},
		{"its numbers by shard", "db", `{'collStats':'d'}`, 0, "shards shard0 count=0"},
		{"without its database", "db", `{'dropDatabase':1}`, 0, ""},
		{"nothing is sharded", "config", `{'count':'collections'}`, 0, "n=0"},
		{"the other database is left", "config", `{'find':'databases'}`, 0, "cursor firstBatch 0 _id='shop'"},
		{"and no more", "config", `{'count':'databases'}`, 0, "n=1"},
	})
}

// A collection that is renamed replaces a sharded one, and keeps its zones.
func TestRenamedOverAShardedCollection(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	c.mustRun("admin", `{'addShardToZone':'shard0','zone':'z'}`)
	for range 20 { // the order in which the catalog looks at its collections is random
		runCases(t, c, []wireCase{
			{"one", "admin", `{'shardCollection':'db.c','key':{'a':1}}`, 0, ""},
			{"its zone", "admin", `{'updateZoneKeyRange':'db.c','min':{'a':1},'max':{'a':5},'zone':'z'}`, 0, ""},
			{"another", "admin", `{'shardCollection':'db.d','key':{'b':1}}`, 0, ""},
			{"renamed", "admin", `{'renameCollection':'db.c','to':'db.d','dropTarget':true}`, 0, ""},
			{"one is left", "config", `{'find':'collections'}`, 0, "cursor firstBatch 0 key a=1"},
			{"with its name", "db", `{'collStats':'d'}`, 0, "sharded=true"},
			{"with its zone", "config", `{'find':'tags'}`, 0, "cursor firstBatch 0 ns='db.d'"},
			{"dropped", "db", `{'drop':'d'}`, 0, ""},
			{"without its zone", "config", `{'count':'tags'}`, 0, "n=0"},
		})
	}
}

func TestMistakesOfSharding(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1), mongotest.Version("8.0")), 0)
	runCases(t, c, []wireCase{
		{"admin", "admin", `{'shardCollection':'admin.c','key':{'a':1}}`, 20, "can't shard collections of the database 'admin'"},
		{"config", "admin", `{'shardCollection':'config.c','key':{'a':1}}`, 20, "can't shard collections of the database 'config'"},
		{"the database admin", "admin", `{'enableSharding':'admin'}`, 72, "the database 'admin'"},
		{"an unknown shard", "admin", `{'enableSharding':'x','primaryShard':'nope'}`, 70, "Shard nope does not exist"},
		{"a collation", "admin", `{'shardCollection':'db.c','key':{'a':1},'collation':{'locale':'de'}}`, 2, "must be {locale: 'simple'}"},
		{"chunks of a range", "admin", `{'shardCollection':'db.c','key':{'a':1},'numInitialChunks':2}`, 72, "not hashed"},
		{"it is sharded", "admin", `{'shardCollection':'db.c','key':{'a':1},'collation':{'locale':'simple'}}`, 0, ""},
		{"a unique index", "db", `{'createIndexes':'c','indexes':[{'key':{'u':1},'name':'u','unique':true}]}`, 67, "with shard key pattern { a: 1 }"},
		{"a unique index with the key", "db", `{'createIndexes':'c','indexes':[{'key':{'a':1,'u':1},'name':'au','unique':true}]}`, 0, ""},
		{"one index less", "db", `{'dropIndexes':'c','index':'a_1'}`, 0, ""},
		{"the last index", "db", `{'dropIndexes':'c','index':['au']}`, 368, "Cannot drop the only compatible index"},
		{"by its key", "db", `{'dropIndexes':'c','index':{'a':1,'u':1}}`, 368, "Cannot drop the only compatible index"},
		{"a capped one", "db", `{'convertToCapped':'c','size':4096}`, 20, "sharded collection"},
		{"a time series", "admin", `{'shardCollection':'db.t','key':{'m':1},'timeseries':{'timeField':'t','metaField':'m'}}`, 0, ""},
		{"it is one", "db", `{'listCollections':1,'filter':{'name':'t'}}`, 0, "cursor firstBatch 0 type='timeseries'"},
		{"a database's numbers by shard", "db", `{'dbStats':1}`, 0, "db='db'"},
		{"a small database", "small", `{'create':'c'}`, 0, ""},
		{"the sizes of a database by shard", "admin", `{'listDatabases':1,'filter':{'name':'small'}}`, 0, "databases 0 shards={'shard0':8192}"},
		{"the database admin is on the config servers", "admin", `{'listDatabases':1,'filter':{'name':'admin'}}`, 0, ""},
		{"names of databases have no shards", "admin", `{'listDatabases':1,'filter':{'name':'small'},'nameOnly':true}`, 0, "databases=[{'name':'small'}]"},
	})
}

// A router counts the shards that statements went to: one if the query has the shard key, all if it does not.
func TestTargetsAreCounted(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	c.mustRun("admin", `{'shardCollection':'db.c','key':{'a':1,'b.c':1}}`)
	for _, command := range []string{
		`{'insert':'c','documents':[{'a':1},{'a':2}]}`, `{'insert':'other','documents':[{'a':1}]}`,
		`{'find':'c','filter':{'a':1,'b.c':{'$eq':2}}}`, `{'find':'c','filter':{'$and':[{'a':1},{'b.c':2}]}}`,
		`{'find':'c','filter':{'a':1}}`, `{'find':'c'}`, `{'find':'c','filter':{'a':{'$gt':1},'b.c':1}}`, `{'find':'other'}`,
		`{'update':'c','updates':[{'q':{'a':1,'b.c':1},'u':{'$set':{'x':1}}},{'q':{},'u':{'$set':{'x':1}},'multi':true}]}`,
		`{'delete':'c','deletes':[{'q':{'x':3},'limit':0}]}`,
		`{'aggregate':'c','cursor':{},'pipeline':[{'$match':{'a':1,'b.c':2}}]}`, `{'aggregate':'c','cursor':{},'pipeline':[]}`,
	} {
		c.mustRun("db", command)
	}
	counted := c.runAdmin("serverStatus", 1)
	for name, want := range map[string][4]int64{
		"insert": {0, 0, 2, 1}, "find": {3, 0, 2, 1}, "update": {1, 0, 1, 0}, "delete": {1, 0, 0, 0}, "aggregate": {1, 0, 1, 0},
	} {
		for i, kind := range [...]string{"allShards", "manyShards", "oneShard", "unsharded"} {
			got, ok := counted.Lookup("shardingStatistics", "numHostsTargeted", name, kind).AsInt64OK()
			if !ok || got != want[i] {
				t.Errorf("%s to %s: %d, want %d", name, kind, got, want[i])
			}
		}
	}
	set := connectRaw(t, mongotest.Start(t), 0)
	if v := set.runAdmin("serverStatus", 1).Lookup("shardingStatistics"); !v.IsZero() {
		t.Errorf("a server without shards counts %s", v)
	}
}

// split with find divides the chunk of a document in the middle of its keys.
func TestSplitInTheMiddle(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	c.mustRun("admin", `{'enableSharding':'db'}`, `{'shardCollection':'db.c','key':{'k':1}}`, `{'shardCollection':'db.h','key':{'k':'hashed'}}`)
	c.mustRun("db", `{'insert':'c','documents':[{'k':1},{'k':2},{'k':3},{'k':4},{'k':4},{'k':5}]}`, `{'insert':'h','documents':[{'k':1},{'k':2},{'k':3}]}`)
	runCases(t, c, []wireCase{
		{"whole", "admin", `{'split':'db.c','find':{'k':1}}`, 0, ""},
		{"the middle is a bound", "config", `{'count':'chunks','query':{'min.k':3}}`, 0, "n=1"},
		{"the upper half", "admin", `{'split':'db.c','find':{'k':100}}`, 0, ""},
		{"is divided", "config", `{'count':'chunks','query':{'min.k':4}}`, 0, "n=1"},
		{"one key", "admin", `{'split':'db.c','find':{'k':3}}`, errcode.CannotSplit, "indivisible"},
		{"its version", "admin", `{'getShardVersion':'db.c'}`, 0, "version={'$timestamp':{'t':1,'i':0}}"},
		{"no version", "admin", `{'getShardVersion':'db.x'}`, errcode.NamespaceNotSharded, "not sharded"},
		{"no document", "admin", `{'split':'db.c'}`, errcode.CannotSplit, "indivisible"},
		{"a hashed key", "admin", `{'split':'db.h','find':{'k':2}}`, 0, ""},
		{"has two more chunks", "config", `{'count':'chunks','query':{'min.k':{'$type':'long'}}}`, 0, ""},
	})
}

// Nothing moves between shards, so a read never sees a document twice, even while chunks are split and moved.
func TestReadsAreFreeOfOrphans(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2))
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 1)
	c.mustRun("admin", `{'shardCollection':'db.c','key':{'_id':1}}`)
	docs := bson.A{}
	for i := range 100 {
		docs = append(docs, bson.Doc("_id", i))
	}
	c.run(bson.Doc("insert", "c", "documents", docs, "$db", "db"))
	reply := c.run(bson.Doc("find", "c", "batchSize", 10, "$db", "db"))
	id, _ := reply.Lookup("cursor", "id").AsInt64OK()
	seen := 10
	for i := 10; id != 0; i += 10 {
		other.run(bson.Doc("split", "db.c", "middle", bson.Doc("_id", i), "$db", "admin"))
		other.run(bson.Doc("moveChunk", "db.c", "find", bson.Doc("_id", i), "to", "shard0", "$db", "admin"))
		reply = c.run(bson.Doc("getMore", id, "collection", "c", "batchSize", 10, "$db", "db"))
		batch, _ := reply.Lookup("cursor", "nextBatch").ArrayOK()
		seen += batch.Len()
		id, _ = reply.Lookup("cursor", "id").AsInt64OK()
	}
	chunks, _ := c.run(bson.Doc("count", "chunks", "$db", "config")).Lookup("n").AsInt64OK()
	if seen != 100 || chunks != 11 {
		t.Errorf("%d documents of 100, in %d chunks", seen, chunks)
	}
}

// mongosh runs these commands to choose a shard key, and to find a collection.
func TestAnalysisOfShardKeys(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(1), mongotest.Version("8.0"))
	c := connectRaw(t, d, 0)
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1,'n':1,'s':'b'},{'_id':2,'n':2,'s':'a'},{'_id':3,'n':3,'s':'b'}]}`,
		`{'createIndexes':'c','indexes':[{'key':{'n':1,'s':1},'name':'ns','unique':true},{'key':{'s':1},'name':'s'}]}`, `{'create':'empty'}`)
	catalog := func(options, of, show string) string {
		return `{'aggregate':1,'cursor':{},'pipeline':[{'$listClusterCatalog':{` + options + `}},{'$match':{'ns':'` + of + `'}},{'$project':{` + show + `}}]}`
	}
	runCases(t, c, []wireCase{
		{"documents", "admin", `{'analyzeShardKey':'db.c','key':{'n':1}}`, 0, "keyCharacteristics numDocsTotal=3"},
		{"an increasing key", "admin", `{'analyzeShardKey':'db.c','key':{'n':1}}`, 0,
			"keyCharacteristics monotonicity={'recordIdCorrelationCoefficient':1.0,'type':'monotonic'}"},
		{"a repeated key", "admin", `{'analyzeShardKey':'db.c','key':{'s':1}}`, 0,
			"keyCharacteristics mostCommonValues=[{'value':{'s':'b'},'frequency':2},{'value':{'s':'a'},'frequency':1}]"},
		{"values of a repeated key", "admin", `{'analyzeShardKey':'db.c','key':{'s':1}}`, 0, "keyCharacteristics numDistinctValues=2"},
		{"a unique key", "admin", `{'analyzeShardKey':'db.c','key':{'n':1,'s':1},'readWriteDistribution':false}`, 0, "keyCharacteristics isUnique=true"},
		{"the beginning of a unique key", "admin", `{'analyzeShardKey':'db.c','key':{'n':1}}`, 0, "keyCharacteristics isUnique=false"},
		{"a sample", "admin", `{'analyzeShardKey':'db.c','key':{'n':1},'sampleSize':2}`, 0, "keyCharacteristics numDocsSampled=2"},
		{"a part", "admin", `{'analyzeShardKey':'db.c','key':{'n':1},'sampleRate':0.3}`, 0, "keyCharacteristics numDocsSampled=1"},
		{"sample and part", "admin", `{'analyzeShardKey':'db.c','key':{'n':1},'sampleRate':0.3,'sampleSize':2}`, 72, "both"},
		{"reads", "admin", `{'analyzeShardKey':'db.c','key':{'x':1}}`, 0,
			"readDistribution={'sampleSize':{'total':0,'find':0,'aggregate':0,'count':0,'distinct':0}}"},
		{"writes", "admin", `{'analyzeShardKey':'db.c','key':{'n':1},'keyCharacteristics':false}`, 0,
			"writeDistribution={'sampleSize':{'total':0,'update':0,'delete':0,'findAndModify':0}}"},
		{"a key without an index", "admin", `{'analyzeShardKey':'db.c','key':{'x':1},'readWriteDistribution':false}`, 20, "supporting index"},
		{"nothing", "admin", `{'analyzeShardKey':'db.c','key':{'n':1},'readWriteDistribution':false,'keyCharacteristics':false}`, 72, "both"},
		{"an empty collection", "admin", `{'analyzeShardKey':'db.empty','key':{'_id':1}}`, 20, "empty collection"},
		{"no collection", "admin", `{'analyzeShardKey':'db.none','key':{'_id':1}}`, 26, "does not exist"},
		{"no key", "admin", `{'analyzeShardKey':'db.c'}`, 40414, "key"},
		{"another database", "db", `{'analyzeShardKey':'db.c','key':{'n':1}}`, 13, "admin"},
		{"sampling", "admin", `{'configureQueryAnalyzer':'db.c','mode':'full','samplesPerSecond':1}`, 0, "newConfiguration={'mode':'full','samplesPerSecond':1.0}"},
		{"sampling before", "admin", `{'configureQueryAnalyzer':'db.c','mode':'off'}`, 0, "oldConfiguration={'mode':'full','samplesPerSecond':1.0}"},
		{"no sampling", "admin", `{'configureQueryAnalyzer':'db.c','mode':'off'}`, 0, "newConfiguration={'mode':'off'}"},
		{"sampling at no rate", "admin", `{'configureQueryAnalyzer':'db.c','mode':'full'}`, 72, "samplesPerSecond"},
		{"sampling in a way of its own", "admin", `{'configureQueryAnalyzer':'db.c','mode':'x'}`, 2, "mode"},
		{"sharding", "admin", `{'shardCollection':'db.c','key':{'n':1}}`, 0, ""},
		{"the catalog", "db", catalog(`'shards':true`, "db.c", `'_id':0,'sharded':1,'shardKey':1,'shards':1,'type':1`), 0,
			"cursor firstBatch=[{'type':'collection','sharded':true,'shardKey':{'n':1},'shards':['shard0']}]"},
		{"the catalog's balancer", "admin", catalog(`'balancingConfiguration':true`, "db.c", `'_id':0,'balancingEnabled':1,'chunkSize':1,'shards':1`), 0,
			"cursor firstBatch=[{'balancingEnabled':true,'chunkSize':128}]"},
		{"the catalog of an unsharded collection", "db", catalog(`'shards':true`, "db.empty", `'_id':0,'sharded':1,'shards':1`), 0,
			"cursor firstBatch=[{'sharded':false,'shards':['shard0']}]"},
		{"the catalog with a mistake", "db", catalog(`'x':1`, "db.c", `'_id':1`), 40415, "x"},
		{"the catalog of a collection", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$listClusterCatalog':{}}]}`, 73, "aggregate: 1"},
	})
	alone := connectRaw(t, mongotest.Start(t), 0)
	alone.mustRun("db", `{'create':'c'}`)
	runCases(t, alone, []wireCase{{"standalone", "admin", `{'analyzeShardKey':'db.c','key':{'n':1}}`, 20, "standalone"}})
}
