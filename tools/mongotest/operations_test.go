package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestParametersAreSet(t *testing.T) {
	c := raw(t, mongotest.Start(t), 0)
	runCases(t, c, []wireCase{
		{"one", "admin", `{'setParameter':1,'notablescan':true}`, 0, "was=false"},
		{"it is shown", "admin", `{'getParameter':1,'notablescan':1}`, 0, "notablescan=true"},
		{"a number", "admin", `{'setParameter':1,'cursorTimeoutMillis':{'$numberDouble':'5000'}}`, 0, "was=600000"},
		{"a number as text", "admin", `{'setParameter':1,'cursorTimeoutMillis':'x'}`, 2, "expected a number, found string"},
		{"none", "admin", `{'setParameter':1}`, 72, "no option found to set"},
		{"an unknown one", "admin", `{'setParameter':1,'nope':1}`, 72, "attempted to set unrecognized parameter [nope]"},
		{"one of the start", "admin", `{'setParameter':1,'enableTestCommands':false}`, 20, "not allowed to change [enableTestCommands] at runtime"},
		{"requireApiVersion", "admin", `{'setParameter':1,'requireApiVersion':true}`, 0, ""},
		{"it has its effect", "admin", `{'ping':1}`, errcode.Location498870, "The apiVersion parameter is required"},
	})
}

func TestDefaultConcerns(t *testing.T) {
	c := raw(t, mongotest.Start(t, mongotest.ReplicaSet(3)), 0)
	runCases(t, c, []wireCase{
		{"implicit write concern", "admin", `{'getDefaultRWConcern':1}`, 0, "defaultWriteConcern w='majority'"},
		{"implicit source", "admin", `{'getDefaultRWConcern':1}`, 0, "defaultReadConcernSource='implicit'"},
		{"nothing to set", "admin", `{'setDefaultRWConcern':1}`, 2, "At least one of the"},
		{"unacknowledged", "admin", `{'setDefaultRWConcern':1,'defaultWriteConcern':{'w':0}}`, 2, "Unacknowledged write concern is not suitable"},
		{"snapshot", "admin", `{'setDefaultRWConcern':1,'defaultReadConcern':{'level':'snapshot'}}`, 2, "level: 'snapshot' is not suitable"},
		{"both", "admin", `{'setDefaultRWConcern':1,'defaultReadConcern':{'level':'majority'},'defaultWriteConcern':{'w':3,'wtimeout':1}}`, 0, "defaultWriteConcern w=3"},
		{"they stay", "admin", `{'getDefaultRWConcern':1}`, 0, "defaultReadConcern level='majority'"},
		{"global source", "admin", `{'getDefaultRWConcern':1}`, 0, "defaultWriteConcernSource='global'"},
		{"a write concern cannot be unset", "admin", `{'setDefaultRWConcern':1,'defaultWriteConcern':{}}`, 20, "cannot be unset"},
		{"a read concern can", "admin", `{'setDefaultRWConcern':1,'defaultReadConcern':{}}`, 0, "defaultReadConcern level='local'"},
	})
	other := raw(t, mongotest.Start(t), 0)
	runCases(t, other, []wireCase{{"standalone", "admin", `{'getDefaultRWConcern':1}`, 51300, "'getDefaultRWConcern' is not supported on standalone nodes."}})
}

func TestDefaultWriteConcernIsApplied(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := raw(t, d, 0)
	d.Lag(1, 1000)
	c.admin("setDefaultRWConcern", 1, "defaultWriteConcern", bson.Doc("w", 3, "wtimeout", 1))
	insert := bson.Doc("insert", "c", "documents", bson.A{bson.D{}}, "$db", "db")
	reply := c.run(insert)
	for path, want := range map[string]string{"code": "64", "errInfo": ""} {
		if got := reply.Lookup("writeConcernError", path); got.IsZero() || want != "" && got.String() != want {
			t.Errorf("%s: got %s in %s", path, got, reply)
		}
	}
	if source, _ := reply.Lookup("writeConcernError", "errInfo", "writeConcern", "provenance").StringOK(); source != "customDefault" {
		t.Errorf("the source is %q", source)
	}
	if reply := c.run(append(insert, bson.E{Key: "writeConcern", Value: bson.Doc("w", 1)})); !reply.Lookup("writeConcernError").IsZero() {
		t.Errorf("a write concern of its own: %s", reply)
	}
}

func TestCommandsOfOperators(t *testing.T) {
	c := raw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1), bson.Doc("_id", 2)}, "$db", "db"))
	c.run(bson.Doc("create", "v", "viewOn", "c", "pipeline", bson.A{}, "$db", "db"))
	runCases(t, c, []wireCase{
		{"hostInfo", "admin", `{'hostInfo':1}`, 0, "os name='mongotest'"},
		{"getCmdLineOpts", "admin", `{'getCmdLineOpts':1}`, 0, "parsed replication replSet='rs0'"},
		{"listCommands", "admin", `{'listCommands':1}`, 0, "commands find apiVersions=['1']"},
		{"no isdbgrid", "admin", `{'isdbgrid':1}`, 59, "no such command: 'isdbgrid'"},
		{"top", "admin", `{'top':1}`, 0, "totals db.c total={'time':0,'count':0}"},
		{"the same feature version", "admin", `{'setFeatureCompatibilityVersion':'8.0'}`, 0, ""},
		{"another feature version", "admin", `{'setFeatureCompatibilityVersion':'1.0'}`, 4926900, "Invalid feature compatibility version value '1.0'"},
		{"cluster parameters", "admin", `{'getClusterParameter':'*'}`, 0, "clusterParameters=[]"},
		{"validate", "db", `{'validate':'c'}`, 0, "keysPerIndex={'_id_':2}"},
		{"validate a view", "db", `{'validate':'v'}`, 166, "Cannot validate a view"},
		{"validate nothing", "db", `{'validate':'x'}`, 26, "Collection 'db.x' does not exist to validate."},
		{"reIndex", "db", `{'reIndex':'c'}`, 20, "reIndex is only allowed on a standalone mongod instance"},
		{"compact", "db", `{'compact':'c'}`, 0, "bytesFreed=0"},
		{"dataSize", "admin", `{'dataSize':'db.c'}`, 0, "numObjects=2"},
		{"dbHash", "db", `{'dbHash':1}`, 0, "capped=[]"},
		{"fsync", "admin", `{'fsync':1}`, 0, "numFiles=1"},
		{"fsyncUnlock", "admin", `{'fsyncUnlock':1}`, 20, "fsyncUnlock called when not locked"},
		{"profile's level", "db", `{'profile':-1}`, 0, "was=0"},
		{"profile", "db", `{'profile':1}`, 115, "profile does not collect anything in mongotest"},
		{"replSetInitiate", "admin", `{'replSetInitiate':{}}`, 23, "already initialized"},
		{"replSetReconfig", "admin", `{'replSetReconfig':{}}`, 115, "replSetReconfig is not supported in mongotest"},
		{"opcounters", "db", `{'serverStatus':1}`, 0, "opcounters insert=2"},
	})
	c.run(bson.Doc("insert", "c2", "documents", bson.A{bson.Doc("_id", 2), bson.Doc("_id", 1)}, "$db", "db"))
	hashes := c.run(bson.Doc("dbHash", 1, "$db", "db"))
	if a, b := hashes.Lookup("collections", "c"), hashes.Lookup("collections", "c2"); a.String() != b.String() {
		t.Errorf("the same documents in another order: %s", hashes)
	}
}

func TestShardingIsSeenFromOutside(t *testing.T) {
	c := raw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	c.run(bson.Doc("insert", "full", "documents", bson.A{bson.Doc("a", 1)}, "$db", "db"))
	c.run(bson.Doc("createIndexes", "unique", "indexes", bson.A{bson.Doc("key", bson.Doc("b", 1), "name", "b_1", "unique", true)}, "$db", "db"))
	runCases(t, c, []wireCase{
		{"enableSharding", "admin", `{'enableSharding':'db'}`, 0, ""},
		{"enableSharding a collection", "admin", `{'enableSharding':'db.c'}`, 73, "invalid db name specified: db.c"},
		{"databases", "config", `{'find':'databases'}`, 0, "cursor firstBatch 0 _id='db'"},
		{"no key", "admin", `{'shardCollection':'db.c'}`, 40414, "BSON field 'shardCollection.key' is missing"},
		{"an empty key", "admin", `{'shardCollection':'db.c','key':{}}`, 2, "Shard key is empty"},
		{"a descending key", "admin", `{'shardCollection':'db.c','key':{'a':-1}}`, 2, "Failed to parse field a"},
		{"a hashed unique key", "admin", `{'shardCollection':'db.c','key':{'a':'hashed'},'unique':true}`, 72, "hashed shard keys cannot be declared unique."},
		{"no collection", "admin", `{'shardCollection':'db','key':{'a':1}}`, 73, "Invalid namespace specified 'db'"},
		{"no index", "admin", `{'shardCollection':'db.full','key':{'a':1}}`, 72, "Please create an index that starts with the proposed shard key"},
		{"another unique index", "admin", `{'shardCollection':'db.unique','key':{'a':1}}`, 72, "Uniqueness can't be maintained unless shard key is a prefix"},
		{"a new collection", "admin", `{'shardCollection':'db.c','key':{'a':1,'b':1},'unique':true}`, 0, "collectionsharded='db.c'"},
		{"its index", "db", `{'listIndexes':'c'}`, 0, "cursor firstBatch 1 name='a_1_b_1'"},
		{"the same again", "admin", `{'shardCollection':'db.c','key':{'a':1,'b':1},'unique':true}`, 0, "collectionsharded='db.c'"},
		{"another key", "admin", `{'shardCollection':'db.c','key':{'a':1}}`, 23, "sharding already enabled for collection db.c"},
		{"collections", "config", `{'find':'collections'}`, 0, "cursor firstBatch 0 key={'a':1,'b':1}"},
		{"chunks", "config", `{'find':'chunks'}`, 0, "cursor firstBatch 0 shard='shard0'"},
		{"shards", "config", `{'find':'shards'}`, 0, "cursor firstBatch 0 _id='shard0'"},
		{"version", "config", `{'find':'version'}`, 0, "cursor firstBatch 0 _id=1"},
		{"by _id", "admin", `{'shardCollection':'db.d','key':{'_id':1}}`, 0, "collectionsharded='db.d'"},
		{"by hash", "admin", `{'shardCollection':'db.e','key':{'_id':'hashed'}}`, 0, "collectionsharded='db.e'"},
		{"listShards", "admin", `{'listShards':1}`, 0, "shards 0 state=1"},
		{"getShardMap", "admin", `{'getShardMap':1}`, 0, "hosts shard0-0.mongotest.invalid:27018='shard0'"},
		{"balancerStatus", "admin", `{'balancerStatus':1}`, 0, "mode='full'"},
		{"the metadata of a database", "db", `{'checkMetadataConsistency':1}`, 0, "cursor ns='db.$cmd.aggregate'"},
		{"the metadata of a collection", "db", `{'checkMetadataConsistency':'c'}`, 0, "cursor ns='db.c'"},
		{"isdbgrid", "admin", `{'isdbgrid':1}`, 0, "isdbgrid=1"},
	})
}

func TestOptionsThatContradict(t *testing.T) {
	for name, options := range map[string][]mongotest.Option{
		"two shapes":     {mongotest.ReplicaSet(1), mongotest.Sharded(1)},
		"an old version": {mongotest.Version("3.6")},
		"no TLS":         {mongotest.TLS(nil)},
		"no nodes":       {mongotest.Sharded(0)},
	} {
		t.Run(name, func(t *testing.T) {
			if d, err := mongotest.New(options...); err == nil {
				d.Close()
				t.Error("it starts")
			}
		})
	}
}

func TestEmptyDatabaseIsRefused(t *testing.T) {
	runCases(t, raw(t, mongotest.Start(t), 0), []wireCase{{"ping", "", `{'ping':1}`, 73, "Invalid database name: ''"}})
}
