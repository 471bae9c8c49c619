package mongotest_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest"
)

// toolCommands lists the commands that the database tools send, each with its database in front.
var toolCommands = map[string][]string{
	"mongodump": {
		`admin {'hello':1}`, `admin {'buildInfo':1}`, `admin {'listDatabases':1,'nameOnly':true}`,
		`db {'listCollections':1,'filter':{},'nameOnly':false,'cursor':{}}`, `db {'listIndexes':'c','cursor':{}}`, `db {'count':'c','query':{}}`,
		`db {'collStats':'c'}`, `db {'find':'c','filter':{},'noCursorTimeout':true,'hint':{'_id':1}}`,
		`db {'aggregate':'c','pipeline':[{'$collStats':{'storageStats':{}}}],'cursor':{}}`, `admin {'count':'system.users','query':{}}`,
		`admin {'find':'system.version','filter':{'_id':'authSchema'},'limit':1}`,
	},
	"mongodump --oplog": {
		`local {'find':'oplog.rs','filter':{},'sort':{'$natural':-1},'limit':1}`, `local {'find':'oplog.rs','filter':{},'sort':{'$natural':1},'limit':1}`,
		`local {'find':'oplog.rs','filter':{'ts':{'$gte':{'$timestamp':{'t':1,'i':1}}}},'oplogReplay':true,'noCursorTimeout':true}`,
		`local {'find':'system.replset','filter':{},'limit':1}`,
	},
	"mongorestore": {
		`restored {'listCollections':1,'filter':{'name':'c'},'cursor':{}}`, `restored {'create':'c','idIndex':{'v':2,'key':{'_id':1},'name':'_id_'}}`,
		`restored {'insert':'c','documents':[{'_id':1,'a':1},{'_id':2,'a':2}],'ordered':false,'bypassDocumentValidation':true,'writeConcern':{'w':'majority'}}`,
		`restored {'createIndexes':'c','indexes':[{'v':2,'key':{'a':1},'name':'a_1'}],'ignoreUnknownIndexOptions':true}`,
		`restored {'collMod':'c','validator':{}}`, `restored {'drop':'c'}`, `admin {'getParameter':1,'featureCompatibilityVersion':1}`,
	},
	"mongoexport": {
		`db {'listCollections':1,'filter':{'name':'c'},'cursor':{}}`, `db {'count':'c','query':{'a':{'$gt':0}}}`,
		`db {'find':'c','filter':{'a':{'$gt':0}},'projection':{'a':1},'sort':{'_id':1},'noCursorTimeout':true}`,
	},
	"mongoimport": {
		`imported {'insert':'c','documents':[{'_id':1}],'ordered':false}`,
		`imported {'update':'c','updates':[{'q':{'_id':1},'u':{'_id':1,'b':1},'upsert':true},{'q':{'_id':2},'u':{'$set':{'b':2}},'upsert':true}],'ordered':false}`,
		`imported {'delete':'c','deletes':[{'q':{'_id':1},'limit':1}],'ordered':false}`, `imported {'drop':'c'}`,
	},
	"mongofiles": {
		`db {'find':'fs.files','filter':{},'projection':{'_id':1},'limit':1}`, `db {'listIndexes':'c','cursor':{}}`,
		`db {'createIndexes':'fs.files','indexes':[{'key':{'filename':1,'uploadDate':1},'name':'filename_1_uploadDate_1'}]}`,
		`db {'createIndexes':'fs.chunks','indexes':[{'key':{'files_id':1,'n':1},'name':'files_id_1_n_1','unique':true}]}`,
		`db {'insert':'fs.chunks','documents':[{'_id':1,'files_id':1,'n':0,'data':{'$binary':{'base64':'AAAA','subType':'00'}}}]}`,
		`db {'insert':'fs.files','documents':[{'_id':1,'length':3,'chunkSize':261120,'filename':'f'}]}`,
		`db {'find':'fs.chunks','filter':{'files_id':1},'sort':{'n':1}}`, `db {'delete':'fs.chunks','deletes':[{'q':{'files_id':1},'limit':0}]}`,
	},
	"mongostat": {`admin {'serverStatus':1,'recordStats':0}`, `admin {'hello':1}`},
	"mongotop":  {`admin {'top':1}`, `admin {'serverStatus':1}`},
}

// Tests cannot install the database tools from any registry, so this test tries the commands that they send.
func TestDatabaseTools(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{
		"standalone": mongotest.Standalone(), "replica set": mongotest.ReplicaSet(3), "sharded": mongotest.Sharded(1),
	} {
		d := mongotest.Start(t, shape)
		c := connectRaw(t, d, 0)
		c.runInDB(`{insert:'c',documents:[{_id:1,a:1},{_id:2,a:2}]}`)
		for tool, commands := range toolCommands {
			if tool == "mongodump --oplog" && name != "replica set" || tool == "mongotop" && name == "sharded" {
				continue // the tool refuses these stages too
			}
			t.Run(name+"/"+tool, func(t *testing.T) {
				for _, text := range commands {
					db, command, _ := strings.Cut(text, " ")
					if db == "admin" && name == "sharded" && tool == "mongorestore" {
						continue // a router has no featureCompatibilityVersion
					}
					runCases(t, c, []wireCase{{command, db, command, 0, ""}})
				}
			})
		}
	}
}

// mongostat reads these fields of serverStatus.
func TestFieldsThatMongostatReads(t *testing.T) {
	for name, shape := range map[string]mongotest.Option{"replica set": mongotest.ReplicaSet(1), "standalone": mongotest.Standalone()} {
		reply := connectRaw(t, mongotest.Start(t, shape), 0).runAdmin("serverStatus", 1)
		for _, path := range [][]string{
			{"opcounters", "insert"}, {"opcounters", "getmore"}, {"connections", "current"}, {"network", "bytesIn"}, {"network", "bytesOut"},
			{"mem", "resident"}, {"mem", "virtual"}, {"globalLock", "activeClients", "readers"}, {"globalLock", "currentQueue", "writers"},
			{"wiredTiger", "cache", "bytes currently in the cache"}, {"wiredTiger", "cache", "maximum bytes configured"},
			{"wiredTiger", "cache", "tracked dirty bytes in the cache"}, {"wiredTiger", "concurrentTransactions", "read", "out"},
			{"wiredTiger", "transaction", "transaction checkpoints"}, {"extra_info", "page_faults"}, {"locks", "Global"}, {"uptimeMillis"},
			{"storageEngine", "name"}, {"process"}, {"metrics", "document", "inserted"},
		} {
			if reply.Lookup(path...).IsZero() {
				t.Errorf("%s: %v is missing", name, path)
			}
		}
	}
}
