package mongotest_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// mongorestore sends these commands in rarer cases.
func TestRestoreOfRareThings(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	const zero = `{'$timestamp':{'t':0,'i':0}}`
	runCases(t, c, []wireCase{
		{"system.views before any view", "db", `{'create':'system.views'}`, 0, ""},
		{"a view", "db", `{'create':'v','viewOn':'x','pipeline':[]}`, 0, ""},
		{"system.views", "db", `{'create':'system.views'}`, 0, ""},
		{"another system collection", "db", `{'create':'system.other'}`, errcode.InvalidNamespace, "Invalid system namespace"},
		{"a literal timestamp", "db", `{'update':'l','updates':[{'q':{'_id':1},'u':[{'$replaceRoot':{'newRoot':{'$literal':{'_id':1,'t':` + zero + `}}}}],'upsert':true}]}`, 0, "n=1"},
		{"stays zero", "db", `{'find':'l','filter':{'_id':1}}`, 0, "cursor firstBatch 0 t=" + zero},
		{"an insert that keeps it", "db", `{'insert':'l','documents':[{'_id':2,'t':` + zero + `}],'bypassEmptyTsReplacement':true}`, 0, "n=1"},
		{"keeps it", "db", `{'find':'l','filter':{'_id':2}}`, 0, "cursor firstBatch 0 t=" + zero},
		{"a replacement that keeps it", "db", `{'update':'l','updates':[{'q':{'_id':3},'u':{'t':` + zero + `},'upsert':true}],'bypassEmptyTsReplacement':true}`, 0, "n=1"},
		{"keeps it too", "db", `{'find':'l','filter':{'t':` + zero + `},'skip':2}`, 0, "cursor firstBatch 0 _id=3"},
		{"a replacement that does not", "db", `{'update':'l','updates':[{'q':{'_id':4},'u':{'t':` + zero + `},'upsert':true}]}`, 0, "n=1"},
		{"gets a time", "db", `{'count':'l','query':{'t':{'$gt':` + zero + `}}}`, 0, "n=1"},
		{"a time series", "db", `{'create':'ts','timeseries':{'timeField':'t'}}`, 0, ""},
		{"mixed schemas", "db", `{'collMod':'ts','timeseriesBucketsMayHaveMixedSchemaData':true}`, 0, ""},
		{"mixed schemas of no number", "db", `{'collMod':'ts','timeseriesBucketsMayHaveMixedSchemaData':'x'}`, errcode.TypeMismatch, ""},
		{"mixed schemas of another collection", "db", `{'collMod':'l','timeseriesBucketsMayHaveMixedSchemaData':true}`, errcode.InvalidOptions, "only supported on a time-series collection"},
		{"two buckets", "db", `{'insert':'system.buckets.ts','documents':[` + bucketOf("000000000000000000000000") + `,` + bucketOf("000000000000000000000001") + `]}`, 0, "n=2"},
		{"their measurements", "db", `{'count':'ts'}`, 0, "n=4"},
		{"indexes of the sessions", "config", `{'listIndexes':'system.sessions'}`, 0, "cursor firstBatch 1 name='lsidTTLIndex'"},
		{"made again", "config", `{'createIndexes':'system.sessions','indexes':[{'key':{'lastUse':1},'name':'lsidTTLIndex','expireAfterSeconds':1800}]}`, 0, "numIndexesAfter=2"},
	})
}

// The last releases of 5.0, 6.0 and 7.0 can keep empty timestamps too; 4.4 does not know the field.
func TestEmptyTimestampsOfOldServers(t *testing.T) {
	const zero = `{'t':{'$timestamp':{'t':0,'i':0}}}`
	for version, codes := range map[string][2]errcode.Code{
		"4.4": {errcode.Location40415, errcode.Code(51177)}, "5.0": {}, "7.0": {},
	} {
		code := codes[0]
		c := connectRaw(t, mongotest.Start(t, mongotest.Version(version)), 0)
		runCases(t, c, []wireCase{
			{version + " insert", "db", `{'insert':'c','documents':[` + zero + `],'bypassEmptyTsReplacement':true}`, code, ""},
			{version + " update", "db", `{'update':'c','updates':[{'q':{},'u':` + zero + `,'upsert':true}],'bypassEmptyTsReplacement':true}`, code, ""},
			{version + " findAndModify", "db", `{'findAndModify':'c','query':{},'update':` + zero + `,'upsert':true,'bypassEmptyTsReplacement':true}`, codes[1], ""},
		})
		if code == 0 {
			runCases(t, c, []wireCase{{version + " kept", "db", `{'count':'c','query':` + zero + `}`, 0, "n=1"}})
		}
	}
}

// bucketOf returns a bucket of two measurements.
func bucketOf(id string) string {
	return `{'_id':{'$oid':'` + id + `'},'control':{'version':1,'min':{},'max':{}},'data':{'t':{'0':{'$date':'1970-01-01T00:00:00Z'},` +
		`'1':{'$date':'1970-01-01T00:00:01Z'}},'a':{'0':1,'1':2}}}`
}

func TestSessionsAreRestored(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	uid := sha256.Sum256(nil)
	session := func(ago time.Duration) bson.D {
		return bson.Doc("_id", bson.Doc("id", bson.NewUUID(), "uid", uid[:]), "lastUse", time.Now().Add(-ago))
	}
	reply := c.run(bson.Doc("insert", "system.sessions", "documents", bson.A{session(time.Minute), session(time.Hour)}, "$db", "config"))
	checkSame(t, "inserted", reply.Lookup("n"), "2")
	checkSame(t, "not yet over", c.run(bson.Doc("count", "system.sessions", "$db", "config")).Lookup("n"), "1")
}

// An entry of the oplog may name its collection by UUID, and a create of applyOps gives one.
func TestApplyOpsByUUID(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	const (
		one   = `'ui':{'$uuid':'11111111-1111-4111-8111-111111111111'}`
		two   = `'ui':{'$uuid':'22222222-2222-4222-8222-222222222222'}`
		three = `'ui':{'$uuid':'33333333-3333-4333-8333-333333333333'}`
	)
	create := func(name, ui string) string {
		return `{'op':'c','ns':'db.$cmd',` + ui + `,'o':{'create':'` + name + `','idIndex':{'v':2,'key':{'_id':1},'name':'_id_'}}}`
	}
	runCases(t, c, []wireCase{
		{"create", "admin", `{'applyOps':[` + create("a", one) + `]}`, 0, "applied=1"},
		{"its UUID", "db", `{'listCollections':1,'filter':{'name':'a'}}`, 0, "cursor firstBatch 0 info uuid={'$binary':{'base64':'ERERERERQRGBEREREREREQ==','subType':'04'}}"},
		{"again", "admin", `{'applyOps':[` + create("a", one) + `]}`, 0, "applied=1"},
		{"an insert by UUID", "admin", `{'applyOps':[{'op':'i','ns':'db.other',` + one + `,'o':{'_id':1}}]}`, 0, "applied=1"},
		{"goes to its collection", "db", `{'count':'a'}`, 0, "n=1"},
		{"an unknown UUID", "admin", `{'applyOps':[{'op':'i','ns':'db.a',` + two + `,'o':{'_id':2}}]}`, 0, "applied=1"},
		{"leaves it to the name", "db", `{'count':'a'}`, 0, "n=2"},
		{"an unknown UUID and an unknown name", "admin", `{'applyOps':[{'op':'i','ns':'db.x',` + two + `,'o':{'_id':2}}]}`, errcode.NamespaceNotFound, "missing collection"},
		{"another UUID of the name", "admin", `{'applyOps':[` + create("a", two) + `]}`, 0, "applied=1"},
		{"is another collection", "db", `{'count':'a'}`, 0, "n=0"},
		{"the first makes room", "db", `{'listCollections':1,'filter':{'name':{'$regex':'^tmp.*create$'}}}`, 0, "cursor firstBatch 0 info uuid={'$binary':{'base64':'ERERERERQRGBEREREREREQ==','subType':'04'}}"},
		{"the UUID under a new name", "admin", `{'applyOps':[` + create("b", one) + `]}`, 0, "applied=1"},
		{"moves", "db", `{'count':'b'}`, 0, "n=2"},
		{"a validator", "db", `{'collMod':'a','validator':{'n':1}}`, 0, ""},
		{"counts", "admin", `{'applyOps':[{'op':'i','ns':'db.a','o':{'_id':1}}]}`, errcode.DocumentValidationFailure, "Document failed validation"},
		{"counts for what fits", "admin", `{'applyOps':[{'op':'i','ns':'db.a','o':{'_id':2,'n':1}}]}`, 0, "applied=1"},
		{"is bypassed", "admin", `{'applyOps':[{'op':'i','ns':'db.a','o':{'_id':1}}],'bypassDocumentValidation':true}`, 0, "applied=1"},
		{"an update", "admin", `{'applyOps':[{'op':'u','ns':'db.a','o2':{'_id':2},'o':{'$v':2,'diff':{'u':{'n':2}}}}]}`, errcode.DocumentValidationFailure, "Document failed validation"},
		{"one more", "admin", `{'applyOps':[` + create("c", three) + `]}`, 0, "applied=1"},
	})
}
