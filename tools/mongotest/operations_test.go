package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestParametersAreSet(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
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
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(3)), 0)
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
	other := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, other, []wireCase{{"standalone", "admin", `{'getDefaultRWConcern':1}`, 51300, "'getDefaultRWConcern' is not supported on standalone nodes."}})
}

func TestDefaultWriteConcernIsApplied(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	d.Lag(1, 1000)
	c.runAdmin("setDefaultRWConcern", 1, "defaultWriteConcern", bson.Doc("w", 3, "wtimeout", 1))
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
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1), bson.Doc("_id", 2)}, "$db", "db"))
	c.run(bson.Doc("create", "v", "viewOn", "c", "pipeline", bson.A{}, "$db", "db"))
	runCases(t, c, []wireCase{
		{"hostInfo", "admin", `{'hostInfo':1}`, 0, "os name='mongotest'"},
		{"getCmdLineOpts", "admin", `{'getCmdLineOpts':1}`, 0, "parsed replication replSet='rs0'"},
		{"listCommands", "admin", `{'listCommands':1}`, 0, "commands find apiVersions=['1']"},
		{"no isdbgrid", "admin", `{'isdbgrid':1}`, 59, "no such command: 'isdbgrid'"},
		{"top", "admin", `{'top':1}`, 0, "totals db.c insert count=1"},
		{"the same feature version", "admin", `{'setFeatureCompatibilityVersion':'8.0','confirm':true}`, 0, ""},
		{"the one before, unconfirmed", "admin", `{'setFeatureCompatibilityVersion':'7.0'}`, 7369100, "re-run this command with 'confirm: true'"},
		{"the one before", "admin", `{'setFeatureCompatibilityVersion':'7.0','confirm':true}`, 0, ""},
		{"it is shown", "admin", `{'getParameter':1,'featureCompatibilityVersion':1}`, 0, "featureCompatibilityVersion version='7.0'"},
		{"another feature version", "admin", `{'setFeatureCompatibilityVersion':'1.0'}`, 4926900, "Invalid feature compatibility version value '1.0'"},
		{"cluster parameters", "admin", `{'getClusterParameter':'*'}`, 0, "clusterParameters 0 _id='auditConfig'"},
		{"a cluster parameter", "admin", `{'getClusterParameter':'defaultMaxTimeMS'}`, 0, "clusterParameters=[{'_id':'defaultMaxTimeMS','readOperations':0}]"},
		{"an unknown one", "admin", `{'getClusterParameter':'nope'}`, 4, "Unknown server parameter: nope"},
		{"no cluster parameter", "admin", `{'getClusterParameter':[]}`, 2, "Must supply at least one cluster server parameter name"},
		{"it is set", "admin", `{'setClusterParameter':{'changeStreamOptions':{'preAndPostImages':{'expireAfterSeconds':100}}}}`, 0, ""},
		{"it is kept", "admin", `{'getClusterParameter':['changeStreamOptions']}`, 0, "clusterParameters 0 preAndPostImages={'expireAfterSeconds':100}"},
		{"a field that it lacks", "admin", `{'setClusterParameter':{'defaultMaxTimeMS':{'x':1}}}`, 40415, "BSON field 'defaultMaxTimeMS.x' is an unknown field."},
		{"help", "db", `{'find':'c','help':true}`, 0, "help='help for: find no help defined'"},
		{"verbosity", "admin", `{'setParameter':1,'logComponentVerbosity':{'query':{'verbosity':2},'storage':{'journal':{'verbosity':1}}}}`, 0, "was query={'verbosity':-1}"},
		{"it is kept too", "admin", `{'getParameter':1,'logComponentVerbosity':1}`, 0, "logComponentVerbosity storage journal verbosity=1"},
		{"an unknown component", "admin", `{'setParameter':1,'logComponentVerbosity':{'nope':1}}`, 2, "Invalid component name nope"},
		{"rotateCertificates", "admin", `{'rotateCertificates':1}`, 96, "TLS is not enabled"},
		{"an index filter", "db", `{'planCacheSetFilter':'c','query':{'a':1},'indexes':['_id_']}`, 0, ""},
		{"its list", "db", `{'planCacheListFilters':'c'}`, 0, "filters=[{'query':{'a':1},'sort':{},'projection':{},'indexes':['_id_']}]"},
		{"without indexes", "db", `{'planCacheSetFilter':'c','query':{'a':1}}`, 2, "required field indexes missing"},
		{"another shape goes", "db", `{'planCacheClearFilters':'c','query':{'b':1}}`, 0, ""},
		{"this one stays", "db", `{'planCacheListFilters':'c'}`, 0, "filters 0 query={'a':1}"},
		{"all go", "db", `{'planCacheClearFilters':'c'}`, 0, ""},
		{"none is left", "db", `{'planCacheListFilters':'c'}`, 0, "filters=[]"},
		{"latency", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$collStats':{'latencyStats':{}}}]}`, 0, "cursor firstBatch 0 latencyStats writes ops=1"},
		{"no cluster", "admin", `{'aggregate':1,'cursor':{},'pipeline':[{'$shardedDataDistribution':{}}]}`, 6789100, "can only be run on a sharded cluster"},
		{"capped to nothing", "db", `{'convertToCapped':'c','size':0}`, 72, "Capped collection size must be greater than zero"},
		{"capped copy of nothing", "db", `{'cloneCollectionAsCapped':'x','toCollection':'y','size':4096}`, 26, "source collection db.x does not exist"},
		{"a capped copy", "db", `{'cloneCollectionAsCapped':'c','toCollection':'k','size':4096}`, 0, ""},
		{"a copy that exists", "db", `{'cloneCollectionAsCapped':'c','toCollection':'k','size':4096}`, 48, "destination collection db.k already exists"},
		{"its documents", "db", `{'count':'k'}`, 0, "n=2"},
		{"converted", "db", `{'convertToCapped':'k','size':100}`, 0, ""},
		{"what it is then", "db", `{'listCollections':1,'filter':{'name':'k'}}`, 0, "cursor firstBatch 0 options={'capped':true,'size':256}"},
		{"dropped again", "db", `{'drop':'k'}`, 0, ""}, {"validate", "db", `{'validate':'c'}`, 0, "keysPerIndex={'_id_':2}"},
		{"validate a view", "db", `{'validate':'v'}`, 166, "Cannot validate a view"},
		{"validate nothing", "db", `{'validate':'x'}`, 26, "Collection 'db.x' does not exist to validate."},
		{"reIndex", "db", `{'reIndex':'c'}`, 20, "reIndex is only allowed on a standalone mongod instance"},
		{"compact", "db", `{'compact':'c'}`, 0, "bytesFreed=0"},
		{"dataSize", "admin", `{'dataSize':'db.c'}`, 0, "numObjects=2"},
		{"dbHash", "db", `{'dbHash':1}`, 0, "capped=[]"},
		{"fsync", "admin", `{'fsync':1}`, 0, "numFiles=1"},
		{"fsyncUnlock", "admin", `{'fsyncUnlock':1}`, 20, "fsyncUnlock called when not locked"},
		{"profile's level", "db", `{'profile':-1}`, 0, "was=0"},
		{"profile", "db", `{'profile':2,'sampleRate':0.5}`, 0, "was=0"},
		{"what is profiled", "db", `{'count':'c','query':{'_id':1}}`, 0, "n=1"},
		{"a failure is", "db", `{'find':'c','filter':{'$nope':1}}`, 2, "unknown top level operator: $nope"},
		{"profile's new level", "db", `{'profile':0}`, 0, "was=2"},
		{"what was seen", "db", `{'find':'system.profile','projection':{'_id':0,'op':1,'ns':1,'command.count':1}}`, 0, "cursor firstBatch 0={'op':'command','ns':'db.c','command':{'count':'c'}}"},
		{"what failed", "db", `{'find':'system.profile','filter':{'errCode':2}}`, 0, "cursor firstBatch 0 errName='BadValue'"},
		{"the oplog", "local", `{'count':'oplog.rs','query':{'ns':{'$regex':'profile'}}}`, 0, "n=0"},
		{"profile with a strange rate", "db", `{'profile':0,'sampleRate':2}`, 2, "'sampleRate' must be between 0.0 and 1.0 inclusive"},
		{"replSetInitiate", "admin", `{'replSetInitiate':{}}`, 23, "already initialized"},
		{"replSetReconfig", "admin", `{'replSetReconfig':{}}`, 103, "New and old configurations differ in replica set name"},
		{"an old version", "admin", `{'replSetReconfig':{'_id':'rs0','version':1,'members':[{'_id':0,'host':'` + c.nc.RemoteAddr().String() + `'}]}}`, 103, "must be greater than old, but 1 is not greater than 1"},
		{"nobody", "admin", `{'replSetReconfig':{'_id':'rs0','version':2,'members':[]}}`, 93, "must contain at least one member"},
		{"a stranger", "admin", `{'replSetReconfig':{'_id':'rs0','version':2,'members':[{'_id':0,'host':'nowhere.invalid:1'}]}}`, 74, "Quorum check failed"},
		{"a new configuration", "admin", `{'replSetReconfig':{'_id':'rs0','version':7,'members':[{'_id':0,'host':'` + c.nc.RemoteAddr().String() + `','priority':2,'tags':{'a':'b'}}]}}`, 0, ""},
		{"its version", "admin", `{'replSetGetConfig':1}`, 0, "config version=7"},
		{"a setting of the server", "admin", `{'replSetGetConfig':1}`, 0, "config settings electionTimeoutMillis=10000"},
		{"a setting that is wrong", "admin", `{'replSetReconfig':{'_id':'rs0','version':8,'members':[{'_id':0,'host':'` + c.nc.RemoteAddr().String() + `'}],'settings':{'heartbeatTimeoutSecs':0}}}`, 2, "heartbeatTimeoutSecs"},
		{"another set's id", "admin", `{'replSetReconfig':{'_id':'rs0','version':8,'members':[{'_id':0,'host':'` + c.nc.RemoteAddr().String() + `'}],'settings':{'replicaSetId':{'$oid':'000000000000000000000000'}}}}`, 103, "replica set ID"},
		{"a setting of ours", "admin", `{'replSetReconfig':{'_id':'rs0','version':8,'members':[{'_id':0,'host':'` + c.nc.RemoteAddr().String() + `'}],'settings':{'heartbeatTimeoutSecs':11}}}`, 0, ""},
		{"stays", "admin", `{'replSetGetConfig':1}`, 0, "config settings heartbeatTimeoutSecs=11"},
		{"replSetSyncFrom", "admin", `{'replSetSyncFrom':'nowhere.invalid:1'}`, 95, "primaries don't sync"},
		{"replSetMaintenance", "admin", `{'replSetMaintenance':true}`, 95, "primaries can't modify maintenance mode"},
		{"replSetResizeOplog", "admin", `{'replSetResizeOplog':1,'size':{'$numberDouble':'990'}}`, 0, ""},
		{"a small oplog", "admin", `{'replSetResizeOplog':1,'size':10}`, 51024, "value must be >= 990"},
		{"opcounters", "db", `{'serverStatus':1}`, 0, "opcounters insert=2"},
	})
	c.run(bson.Doc("insert", "c2", "documents", bson.A{bson.Doc("_id", 2), bson.Doc("_id", 1)}, "$db", "db"))
	hashes := c.run(bson.Doc("dbHash", 1, "$db", "db"))
	if a, b := hashes.Lookup("collections", "c"), hashes.Lookup("collections", "c2"); a.String() != b.String() {
		t.Errorf("the same documents in another order: %s", hashes)
	}
}

func TestShardingIsSeenFromOutside(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
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
		{"a split", "admin", `{'split':'db.d','middle':{'_id':5}}`, 0, ""},
		{"two chunks", "config", `{'count':'chunks'}`, 0, "n=4"},
		{"the same split", "admin", `{'split':'db.d','middle':{'_id':5}}`, 87, "is a boundary key of existing chunk"},
		{"a split of nothing", "admin", `{'split':'db.nope','middle':{'_id':5}}`, 118, "Collection db.nope is not sharded"},
		{"a split in the middle", "admin", `{'split':'db.d','find':{'_id':5}}`, 87, "unable to find median in chunk"},
		{"a move", "admin", `{'moveChunk':'db.d','find':{'_id':1},'to':'shard0'}`, 0, ""},
		{"a move to nowhere", "admin", `{'moveRange':'db.d','min':{'_id':1},'toShard':'x'}`, 70, "Shard x does not exist"},
		{"a zone", "admin", `{'addShardToZone':'shard0','zone':'z'}`, 0, ""},
		{"the shard's zones", "config", `{'find':'shards'}`, 0, "cursor firstBatch 0 tags=['z']"},
		{"its range", "admin", `{'updateZoneKeyRange':'db.d','min':{'_id':1},'max':{'_id':5},'zone':'z'}`, 0, ""},
		{"an overlapping range", "admin", `{'updateZoneKeyRange':'db.d','min':{'_id':4},'max':{'_id':6},'zone':'z'}`, 178, "is overlapping with existing"},
		{"an unknown zone", "admin", `{'updateZoneKeyRange':'db.d','min':{'_id':4},'max':{'_id':6},'zone':'y'}`, 177, "zone y does not exist"},
		{"tags", "config", `{'find':'tags'}`, 0, "cursor firstBatch 0 tag='z'"},
		{"a zone in use", "admin", `{'removeShardFromZone':'shard0','zone':'z'}`, 163, "has ranges"},
		{"no range", "admin", `{'updateZoneKeyRange':'db.d','min':{'_id':1},'max':{'_id':5},'zone':null}`, 0, ""},
		{"no zone", "admin", `{'removeShardFromZone':'shard0','zone':'z'}`, 0, ""},
		{"another shard", "admin", `{'addShard':'s/nowhere.invalid:1'}`, 133, "for set s"},
		{"the last shard", "admin", `{'removeShard':'shard0'}`, 20, "would remove the last shard"},
		{"balancerStop", "admin", `{'balancerStop':1}`, 0, ""},
		{"it is off", "admin", `{'balancerStatus':1}`, 0, "mode='off'"},
		{"its setting", "config", `{'find':'settings'}`, 0, "cursor firstBatch 0={'_id':'balancer','mode':'off','stopped':true}"},
		{"balancerCollectionStatus", "admin", `{'balancerCollectionStatus':'db.d'}`, 0, "balancerCompliant=true"},
		{"reshardCollection", "admin", `{'reshardCollection':'db.d','key':{'x':1}}`, 0, ""},
		{"another key then", "config", `{'find':'collections','filter':{'_id':'db.d'}}`, 0, "cursor firstBatch 0 key={'x':1}"},
		{"nothing to commit", "admin", `{'commitReshardCollection':'db.d'}`, 330, "Could not find in-progress resharding operation to commit"},
		{"distribution", "admin", `{'aggregate':1,'cursor':{},'pipeline':[{'$shardedDataDistribution':{}},{'$match':{'ns':'db.d'}}]}`, 0, "cursor firstBatch 0 shards 0 numOrphanedDocs=0"},
		{"unshardCollection", "admin", `{'unshardCollection':'db.d'}`, 0, ""},
		{"moveCollection", "admin", `{'moveCollection':'db.d','toShard':'shard0'}`, 0, ""},
		{"moveCollection of nothing", "admin", `{'moveCollection':'db.nope','toShard':'shard0'}`, 26, "ns does not exist"},
	})
}

// Each case is a command or stage that reports figures about a collection, or a mistake that it refuses.
func TestNumbersOfACollection(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1, "list", bson.A{1, 2, 3}), bson.Doc("_id", 2), bson.Doc("_id", 3)}, "$db", "db"))
	c.run(parseDocument(t, `{'createIndexes':'c','indexes':[{'key':{'list':1},'name':'list'}],'$db':'db'}`))
	stage := func(spec string) string {
		return `{'aggregate':'c','cursor':{},'pipeline':[{'$collStats':` + spec + `},{'$set':{'histogram':{'$size':'$latencyStats.writes.histogram'}}}]}`
	}
	runCases(t, c, []wireCase{
		{"keys of an array", "db", `{'validate':'c'}`, 0, "keysPerIndex={'_id_':3,'list':5}"},
		{"validate in the background and in full", "db", `{'validate':'c','background':true,'full':true}`, 72, "both { background: true } and { full: true }"},
		{"validate and repair", "db", `{'validate':'c','repair':true}`, 72, "can only be used in standalone mode"},
		{"a range", "admin", `{'dataSize':'db.c','keyPattern':{'_id':1},'min':{'_id':2},'max':{'_id':3}}`, 0, "numObjects=1"},
		{"its size", "admin", `{'dataSize':'db.c','min':{'_id':2},'max':{'_id':3}}`, 0, "size=14"},
		{"half a range", "admin", `{'dataSize':'db.c','min':{'_id':2}}`, 2, "only one of min or max specified"},
		{"a range without an index", "admin", `{'dataSize':'db.c','min':{'a':2},'max':{'a':3}}`, 96, "couldn't find valid index"},
		{"a histogram", "db", stage(`{'latencyStats':{'histograms':true}}`), 0, "cursor firstBatch 0 histogram=1"},
		{"latencyStats of a number", "db", stage(`{'latencyStats':1}`), 14, "$collStats.latencyStats"},
		{"no histogram", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$collStats':{'latencyStats':{}}}]}`, 0, "cursor firstBatch 0 latencyStats transactions={'latency':0,'ops':0}"},
		{"free storage", "db", `{'dbStats':1,'freeStorage':1}`, 0, "indexFreeStorageSize=0.0"},
		{"kinds of collections", "db", `{'serverStatus':1}`, 0, "catalogStats collections=1"},
		{"details of all parameters", "admin", `{'getParameter':{'showDetails':true,'allParameters':true}}`, 0, "quiet={'value':false,'settableAtRuntime':true,'settableAtStartup':true}"},
		{"explain names its database", "db", `{'explain':{'find':'c'}}`, 0, "command={'find':'c','$db':'db'}"},
	})
}

// Writes wait while fsync holds its lock. Reads do not.
func TestFsyncLocksWrites(t *testing.T) {
	d := mongotest.Start(t)
	c, writer := connectRaw(t, d, 0), connectRaw(t, d, 0)
	checkSame(t, "lockCount", c.runAdmin("fsync", 1, "lock", true).Lookup("lockCount"), "{$numberLong:'1'}")
	checkSame(t, "lockCount", c.runAdmin("fsync", 1, "lock", true).Lookup("lockCount"), "{$numberLong:'2'}")
	checkRefused(t, writer.runInDB(`{insert:'c',documents:[{_id:1}],maxTimeMS:5}`), errcode.MaxTimeMSExpired)
	writer.send(0, parseInDB(t, `{insert:'c',documents:[{_id:1}],comment:'locked out'}`))
	awaitRunning(t, c, "locked out")
	checkSame(t, "documents", c.runInDB(`{count:'c'}`).Lookup("n"), "0")
	checkSame(t, "lockCount", c.runAdmin("fsyncUnlock", 1).Lookup("lockCount"), "{$numberLong:'1'}")
	checkSame(t, "lockCount", c.runAdmin("fsyncUnlock", 1).Lookup("lockCount"), "{$numberLong:'0'}")
	checkSame(t, "n", writer.receive().body.Lookup("n"), "1")
	checkRefused(t, c.runAdmin("fsyncUnlock", 1), errcode.IllegalOperation)
}

// A node that receives shutdown ends without an answer, and the others elect another primary.
func TestShutdownEndsTheNode(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	c.send(0, bson.Doc("shutdown", 1, "$db", "admin"))
	if reply, err := c.readMessage(); err == nil {
		t.Errorf("an answer: %v", reply.body)
	}
	awaitOtherPrimary(t, d, 0)
	if err := d.Restart(0); err != nil {
		t.Error(err)
	}
}

// dropDatabase removes a database together with the collections that a server derives from its own.
func TestDropDatabaseWithTimeSeries(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	for _, name := range []string{"a", "z"} { // before and behind system.buckets
		checkRefused(t, c.runInDB(`{create:'`+name+`',timeseries:{timeField:'t'}}`), 0)
		checkRefused(t, c.runInDB(`{insert:'`+name+`',documents:[{t:{$date:'2020-01-01T00:00:00Z'}}]}`), 0)
	}
	checkSame(t, "dropped", c.runInDB(`{dropDatabase:1}`).Lookup("dropped"), `'db'`)
	checkSame(t, "collections", c.runInDB(`{listCollections:1}`).Lookup("cursor", "firstBatch"), `[]`)
}

// A read without a time limit uses the deployment's default.
func TestDefaultMaxTimeIsApplied(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	insertHeavy(t, c)
	checkRefused(t, c.runAdmin("setClusterParameter", bson.Doc("defaultMaxTimeMS", bson.Doc("readOperations", 30))), 0)
	checkRefused(t, c.run(append(endlessCommands()["count"], bson.E{Key: "$db", Value: "db"})), errcode.MaxTimeMSExpired)
}

func TestOptionsThatContradict(t *testing.T) {
	for name, options := range map[string][]mongotest.Option{
		"two shapes":     {mongotest.ReplicaSet(1), mongotest.Sharded(1)},
		"an old version": {mongotest.Version("3.6")},
		"no TLS":         {mongotest.TLS(nil)},
		"no nodes":       {mongotest.Sharded(0)},
		"a hectic heart": {mongotest.Heartbeat(time.Millisecond)},
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
	runCases(t, connectRaw(t, mongotest.Start(t), 0), []wireCase{{"ping", "", `{'ping':1}`, 73, "Invalid database name: ''"}})
}
