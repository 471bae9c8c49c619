package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// mistake is a command that fails, with its code and a part of its text. wire 0 is that of 8.0.
type mistake struct {
	name, command string
	code          errcode.Code
	text          string
	wire          int32
}

// newStock makes the collections that the tables of mistakes use.
func newStock(t testing.TB) *server {
	t.Helper()
	s := newServer(t)
	for _, command := range []string{
		`{insert:'c',documents:[{_id:1,a:1,s:'x',l:[1,2]},{_id:2,a:2,s:'y'},{_id:3,a:3}]}`,
		`{createIndexes:'c',indexes:[{key:{a:1},name:'a_1'},{key:{s:1},name:'s_1',sparse:true}]}`,
		`{create:'capped',capped:true,size:4096,max:3}`, `{insert:'capped',documents:[{_id:1,x:1}]}`,
		`{create:'v',viewOn:'c',pipeline:[{$match:{a:{$gt:1}}}]}`, `{create:'w',viewOn:'v'}`,
		`{create:'folded',collation:{locale:'en',strength:2}}`, `{create:'fv',viewOn:'folded',collation:{locale:'en',strength:2}}`,
		`{createIndexes:'folded',indexes:[{key:{h:1},name:'h',hidden:true},{key:{m:1},name:'m'},{key:{m:1},name:'m_simple',collation:{locale:'simple'}}]}`,
		`{create:'times',timeseries:{timeField:'t',metaField:'m'}}`,
		`{create:'clustered',clusteredIndex:{key:{_id:1},unique:true}}`,
	} {
		s.run(t, command)
	}
	return s
}

func check(t *testing.T, list []mistake) {
	t.Helper()
	newStock(t).check(t, list)
}

func (s *server) check(t *testing.T, list []mistake) {
	t.Helper()
	for _, m := range list {
		t.Run(m.name, func(t *testing.T) {
			if s.wire = m.wire; m.wire == 0 {
				s.wire = 25
			}
			reply, err := s.try(t, m.command)
			if err == nil {
				if d, ok := reply.Lookup("writeErrors", "0").DocumentOK(); ok {
					n, _ := d.Lookup("code").Int32OK()
					text, _ := d.Lookup("errmsg").StringOK()
					err = status.Errorf(errcode.Code(n), "%s", text)
				}
			}
			e := status.From(err)
			switch {
			case e == nil:
				t.Errorf("%s: no error but %s", m.command, reply)
			case e.Code != m.code || !strings.Contains(e.Message, m.text):
				t.Errorf("%s\n got %d %s\nwant %d %s", m.command, e.Code, e.Message, m.code, m.text)
			}
		})
	}
}

func TestMistakesOfArguments(t *testing.T) {
	check(t, []mistake{
		{"unknown field", `{find:'c',foo:1}`, 40415, "BSON field 'find.foo' is an unknown field.", 0},
		{"unknown field of a find of 7.0", `{find:'c',foo:1}`, 40415, "BSON field 'FindCommandRequest.foo' is an unknown field.", 21},
		{"unknown field of a find of 4.4", `{find:'c',foo:1}`, 9, "Unrecognized field 'foo'", 9},
		{"unknown field of an insert", `{insert:'c',documents:[{}],foo:1}`, 40415, "BSON field 'insert.foo' is an unknown field.", 0},
		{"unknown field of a statement", `{update:'c',updates:[{q:{},u:{},foo:1}]}`, 40415, "BSON field 'update.updates.foo' is an unknown field.", 0},
		{"unknown field of a create of 4.4", `{create:'n',foo:1}`, 72, "The field 'foo' is not a valid collection option.", 9},
		{"unknown field of a collMod of 4.4", `{collMod:'c',foo:1}`, 72, "unknown option to collMod: foo", 9},
		{"unknown field of createIndexes of 4.4", `{createIndexes:'c',indexes:[{key:{z:1},name:'z'}],foo:1}`, 2, "Invalid field specified for createIndexes command: foo", 9},
		{"duplicate field", `{count:'c',query:{},query:{}}`, 40413, "BSON field 'count.query' is a duplicate field", 0},
		{"missing field", `{distinct:'c'}`, 40414, "BSON field 'distinct.key' is missing but a required field", 0},
		{"missing batch", `{insert:'c'}`, 40414, "BSON field 'insert.documents' is missing but a required field", 0},
		{"missing limit", `{delete:'c',deletes:[{q:{}}]}`, 40414, "BSON field 'delete.deletes.limit' is missing but a required field", 0},
		{"missing update", `{update:'c',updates:[{q:{}}]}`, 40414, "BSON field 'update.updates.u' is missing but a required field", 0},
		{"filter of another type", `{find:'c',filter:'x'}`, 14, "Expected field filterto be of type object", 0},
		{"filter of another type in 4.4", `{find:'c',filter:'x'}`, 9, "'filter' field must be of BSON type object.", 9},
		{"query of another type", `{count:'c',query:'x'}`, 14, "BSON field 'count.query' is the wrong type 'string', expected type 'object'", 0},
		{"number of another type", `{find:'c',limit:'x'}`, 14, "BSON field 'find.limit' is the wrong type 'string', expected types '[long, int, decimal, double']", 0},
		{"boolean of another type", `{find:'c',tailable:'x'}`, 14, "expected types '[bool, long, int, decimal, double']", 0},
		{"bool that is a number", `{insert:'c',documents:[{}],ordered:1}`, 14, "BSON field 'insert.ordered' is the wrong type 'int', expected type 'bool'", 0},
		{"multi that is a number", `{update:'c',updates:[{q:{},u:{},multi:1}]}`, 14, "BSON field 'update.updates.multi' is the wrong type 'int', expected type 'bool'", 0},
		{"batch of another type", `{insert:'c',documents:{}}`, 14, "BSON field 'insert.documents' is the wrong type 'object', expected type 'array'", 0},
		{"element of another type", `{insert:'c',documents:[{},1]}`, 14, "BSON field 'insert.documents.1' is the wrong type 'int', expected type 'object'", 0},
		{"hint of another type", `{find:'c',hint:1}`, 9, "Hint must be a string or an object", 0},
		{"hint of a statement of another type", `{delete:'c',deletes:[{q:{},limit:0,hint:1}]}`, 9, "Hint must be a string or an object", 0},
		{"update of another type", `{update:'c',updates:[{q:{},u:1}]}`, 9, "Update argument must be either an object or an array", 0},
		{"findAndModify with an update of another type", `{findAndModify:'c',update:1}`, 9, "Update argument must be either an object or an array", 0},
		{"pipeline of another type", `{aggregate:'c',pipeline:{},cursor:{}}`, 14, "A pipeline must be an array of objects", 0},
		{"stage of another type", `{aggregate:'c',pipeline:[1],cursor:{}}`, 14, "Each element of the 'pipeline' array must be an object", 0},
		{"negative limit", `{find:'c',limit:-1}`, 51024, "BSON field 'limit' value must be >= 0, actual value '-1'", 0},
		{"negative limit of 4.4", `{find:'c',limit:-1}`, 2, "Limit value must be non-negative, but received: -1", 9},
		{"negative skip", `{count:'c',skip:-3}`, 51024, "BSON field 'skip' value must be >= 0, actual value '-3'", 0},
		{"negative batchSize", `{aggregate:'c',pipeline:[],cursor:{batchSize:-1}}`, 51024, "BSON field 'batchSize' value must be >= 0, actual value '-1'", 0},
		{"negative batchSize of a list", `{listCollections:1,cursor:{batchSize:-1}}`, 51024, "BSON field 'batchSize' value must be >= 0", 0},
		{"unknown field of cursor", `{aggregate:'c',pipeline:[],cursor:{foo:1}}`, 40415, "BSON field 'cursor.foo' is an unknown field.", 0},
		{"negative time limit", `{find:'c',maxTimeMS:-1}`, 2, "-1 value for maxTimeMS is out of range [0, 2147483647]", 0},
		{"negative time limit of a read by _id", `{find:'c',filter:{_id:1},maxTimeMS:-1}`, 2, "value for maxTimeMS is out of range", 0},
		{"time limit of another type", `{find:'c',maxTimeMS:'x'}`, 2, "maxTimeMS must be a number", 0},
		{"time limit with a fraction", `{find:'c',maxTimeMS:1.5}`, 2, "maxTimeMS has non-integral value", 0},
		{"let in 4.4", `{find:'c',let:{}}`, 9, "Unrecognized field 'let'", 9},
		{"comment that is a document in 4.2", `{find:'c',comment:{a:1}}`, 9, "'comment' field must be of BSON type string.", 8},
		{"comment of a write in 4.2", `{insert:'c',documents:[{}],comment:'x'}`, 40415, "BSON field 'insert.comment' is an unknown field.", 8},
		{"hint of a delete in 4.2", `{delete:'c',deletes:[{q:{},limit:1,hint:'_id_'}]}`, 40415, "BSON field 'delete.deletes.hint' is an unknown field.", 8},
		{"hint of findAndModify in 4.2", `{findAndModify:'c',update:{},hint:'_id_'}`, 51177, "BSON field 'hint' is an unknown field.", 8},
		{"allowDiskUse of a find in 4.2", `{find:'c',allowDiskUse:true}`, 9, "Unrecognized field 'allowDiskUse'", 8},
		{"sort of an update in 7.0", `{update:'c',updates:[{q:{},u:{},sort:{a:1}}]}`, 40415, "BSON field 'update.updates.sort' is an unknown field.", 21},
		{"distinct of nothing", `{distinct:'c',key:''}`, 40352, "FieldPath cannot be constructed with empty string", 0},
		{"hint of a distinct in 7.0", `{distinct:'c',key:'a',hint:'a_1'}`, 40415, "BSON field 'distinct.hint' is an unknown field.", 21},
		{"rawData in 8.0", `{find:'c',rawData:true}`, 40415, "BSON field 'find.rawData' is an unknown field.", 25},
		{"collectionUUID in 5.0", `{count:'c',collectionUUID:{$uuid:'00000000-0000-4000-8000-000000000000'}}`, 40415, "is an unknown field", 13},
		{"another collectionUUID", `{count:'c',collectionUUID:{$uuid:'00000000-0000-4000-8000-000000000000'}}`, 361, "Collection UUID does not match that specified", 0},
	})
}

func TestMistakesOfNames(t *testing.T) {
	check(t, []mistake{
		{"number", `{find:1}`, 73, "collection name has invalid type int", 0},
		{"empty", `{find:''}`, 73, "Invalid namespace specified 'db.'", 0},
		{"leading dot", `{count:'.c'}`, 73, "Invalid namespace specified 'db..c'", 0},
		{"dollar", `{insert:'a$b',documents:[{}]}`, 73, "Invalid collection name: a$b", 0},
		{"system", `{create:'system.foo'}`, 73, "Invalid system namespace: db.system.foo", 0},
		{"too long", `{create:'` + strings.Repeat("x", 253) + `'}`, 73, "Fully qualified namespace is too long. Namespace: db.xxx", 0},
		{"too long for 4.2", `{create:'` + strings.Repeat("x", 118) + `'}`, 73, "Max: 120", 8},
		{"aggregate on another number", `{aggregate:2,pipeline:[],cursor:{}}`, 9, "Invalid command format: the 'aggregate' field must specify a collection name or 1", 0},
		{"rename to nothing", `{renameCollection:'db.c',to:'db'}`, 73, "Invalid namespace specified 'db.'", 0},
	})
	s := newStock(t)
	_, err := s.request(t, &engine.Request{DB: "DB", Body: parse(t, `{insert:'x',documents:[{}]}`)})
	if e := status.From(err); e == nil || e.Code != errcode.DatabaseDifferCase || e.Message != "db already exists with different case already have: [db] trying to create [DB]" {
		t.Errorf("another case: %v", err)
	}
	for _, command := range []string{`{listDatabases:1}`, `{renameCollection:'db.c',to:'db.d'}`, `{bulkWrite:1,ops:[{insert:0,document:{}}],nsInfo:[{ns:'db.c'}]}`} {
		_, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, command)})
		if e := status.From(err); e == nil || e.Code != errcode.Unauthorized || !strings.Contains(e.Message, "may only be run against the admin database.") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestMistakesOfReads(t *testing.T) {
	check(t, []mistake{
		{"awaitData alone", `{find:'capped',awaitData:true}`, 9, "Cannot set 'awaitData' without also setting 'tailable'", 0},
		{"tailable with sort", `{find:'capped',tailable:true,sort:{a:1}}`, 2, "cannot use tailable option with a sort other than {$natural: 1}", 0},
		{"tailable with singleBatch", `{find:'capped',tailable:true,singleBatch:true}`, 2, "cannot use tailable option with the 'singleBatch' option", 0},
		{"tailable on a plain collection", `{find:'c',tailable:true}`, 2, "tailable cursor requested on non capped collection", 0},
		{"bad $natural sort", `{find:'c',sort:{$natural:2}}`, 2, "$natural sort cannot be set to a value other than -1 or 1.", 0},
		{"bad $natural hint", `{find:'c',hint:{$natural:2}}`, 2, "$natural hint cannot be set to a value other than -1 or 1.", 0},
		{"hint of a hidden index", `{find:'folded',hint:{h:1}}`, 2, "hint provided does not correspond to an existing index", 0},
		{"hint of its name", `{count:'folded',hint:'h'}`, 2, "hint provided does not correspond to an existing index", 0},
		{"hint of two indexes", `{find:'folded',hint:{m:1}}`, 27, "Hint matched multiple indexes, must hint by index name. Matched: m and m_simple", 0},
		{"let of a field", `{find:'c',let:{x:'$a'}}`, 4890500, "Command let Expression tried to access a field", 0},
		{"let of a field within", `{aggregate:'c',cursor:{},pipeline:[],let:{x:{$add:[1,{$getField:'a'}]}}}`, 4890500, "Command let Expression tried to access a field", 0},
		{"let of the document", `{delete:'c',deletes:[{q:{},limit:1}],let:{x:['$$ROOT.a']}}`, 4890500, "Command let Expression tried to access a field", 0},
		{"unknown hint", `{find:'c',hint:'no'}`, 2, "hint provided does not correspond to an existing index", 0},
		{"unknown hint by key", `{count:'c',hint:{z:1}}`, 2, "hint provided does not correspond to an existing index", 0},
		{"min without hint", `{find:'c',min:{a:1}}`, 51173, "When using min()/max() a hint of which index to use must be provided", 0},
		{"min and max of other fields", `{find:'c',min:{a:1},max:{b:1},hint:'a_1'}`, 51176, "min and max must have the same field names", 0},
		{"min of another index", `{find:'c',min:{b:1},hint:'a_1'}`, 51174, "The index chosen is not compatible with min/max", 0},
		{"min behind max", `{find:'c',min:{a:3},max:{a:2},hint:'a_1'}`, 51175, "does not come before", 0},
		{"resume token", `{find:'c',$_requestResumeToken:true}`, 115, "find does not support '$_requestResumeToken' in mongotest", 0},
		{"no cursor", `{aggregate:'c',pipeline:[]}`, 9, "The 'cursor' option is required, except for aggregate with the explain argument", 0},
		{"cursor of another type", `{aggregate:'c',pipeline:[],cursor:1}`, 14, "cursor field must be missing or an object", 0},
		{"aggregate on nothing", `{aggregate:1,pipeline:[{$match:{}}],cursor:{}}`, 73, "{aggregate: 1} is not valid for '$match'; a collection is required.", 0},
		{"limit of a count of another type", `{count:'c',limit:'x'}`, 2, "limit value is not a valid number", 0},
		{"search indexes", `{aggregate:'c',pipeline:[{$listSearchIndexes:{}}],cursor:{}}`, errcode.SearchNotEnabled, "Please connect to Atlas or an AtlasCLI local deployment to enable.", 0},
		{"createSearchIndexes", `{createSearchIndexes:'c',indexes:[]}`, errcode.SearchNotEnabled, "Please connect to Atlas or an AtlasCLI local deployment to enable.", 0},
		{"updateSearchIndex", `{updateSearchIndex:'c',name:'x',definition:{}}`, errcode.SearchNotEnabled, "Please connect to Atlas or an AtlasCLI local deployment to enable.", 0},
		{"dropSearchIndex", `{dropSearchIndex:'c',name:'x'}`, errcode.SearchNotEnabled, "Please connect to Atlas or an AtlasCLI local deployment to enable.", 0},
		{"search indexes of 7.0", `{aggregate:'c',pipeline:[{$listSearchIndexes:{}}],cursor:{}}`, 6047401, "$listSearchIndexes stage is only allowed on MongoDB Atlas", 21},
		{"search indexes of 6.0", `{aggregate:'c',pipeline:[{$listSearchIndexes:{}}],cursor:{}}`, 40324, "Unrecognized pipeline stage name: '$listSearchIndexes'", 17},
		{"createSearchIndexes of 7.0", `{createSearchIndexes:'c',indexes:[]}`, 115, "Search index commands are only supported with Atlas.", 21},
		{"unknown cursor", `{getMore:{$numberLong:'77'},collection:'c'}`, 43, "cursor id 77 not found", 0},
		{"cursor id of another type", `{getMore:1,collection:'c'}`, 14, "BSON field 'getMore.getMore' is the wrong type 'int', expected type 'long'", 0},
		{"getMore without a collection", `{getMore:{$numberLong:'77'}}`, 40414, "BSON field 'getMore.collection' is missing but a required field", 0},
		{"getMore of an empty collection", `{getMore:{$numberLong:'77'},collection:''}`, 73, "Collection names cannot be empty", 0},
		{"killCursors without cursors", `{killCursors:'c'}`, 40414, "BSON field 'killCursors.cursors' is missing but a required field", 0},
		{"killCursors of another type", `{killCursors:'c',cursors:[{$numberLong:'1'},2]}`, 14, "BSON field 'killCursors.cursors.1' is the wrong type 'int', expected type 'long'", 0},
		{"tailable on a view", `{find:'v',tailable:true}`, 168, "Tailable cursors are not supported in aggregation.", 0},
		{"showRecordId on a view", `{find:'v',showRecordId:true}`, 168, "Option showRecordId not supported in aggregation.", 0},
		{"$natural on a view", `{find:'v',sort:{$natural:1}}`, 168, "Sort option $natural not supported in aggregation.", 0},
		{"another collation on a view", `{find:'fv',collation:{locale:'fr'}}`, 167, "Cannot override a view's default collation", 0},
		{"explain of nothing", `{explain:1}`, 14, "BSON field 'explain.explain' is the wrong type 'int', expected type 'object'", 0},
		{"explain of an unknown command", `{explain:{foo:1}}`, 59, "Explain failed due to unknown command: foo", 0},
		{"explain with an unknown verbosity", `{explain:{find:'c'},verbosity:'x'}`, 2, "Enumeration value 'x' for field 'explain.verbosity' is not a valid value.", 0},
		{"explain of a mistake", `{explain:{find:'c',foo:1}}`, 40415, "BSON field 'find.foo' is an unknown field.", 0},
		{"explain of two statements", `{explain:{delete:'c',deletes:[{q:{},limit:0},{q:{},limit:0}]}}`, 16, "explained write batches must be of size 1", 0},
		{"explain of an insert", `{explain:{insert:'c',documents:[{}]}}`, 20, "Cannot explain cmd: insert", 0},
		{"collStats of a view", `{collStats:'v'}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"listIndexes of a view", `{listIndexes:'v'}`, 166, "Namespace db.v is a view, not a collection", 0},
	})
}

func TestMistakesOfWrites(t *testing.T) {
	check(t, []mistake{
		{"empty batch", `{insert:'c',documents:[]}`, 16, "Write batch sizes must be between 1 and 100000. Got 0 operations.", 0},
		{"statement ids that do not go with it", `{insert:'c',documents:[{}],stmtIds:[1,2]}`, 16, "Got 2 statement ids but 1 operations.", 0},
		{"both kinds of statement ids", `{insert:'c',documents:[{}],stmtIds:[1],stmtId:1}`, 72, "May not specify both stmtId and stmtIds", 0},
		{"_id that is an array", `{insert:'c',documents:[{_id:[1]}]}`, 53, "The '_id' value cannot be of type array", 0},
		{"_id that is an array in 4.4", `{insert:'c',documents:[{_id:[1]}]}`, 2, "can't use an array for _id", 9},
		{"two of _id", `{insert:'c',documents:[{_id:8,a:1,_id:9}]}`, 2, "can't have multiple _id fields in one document", 0},
		{"_id with dollars", `{insert:'c',documents:[{_id:{$a:1}}]}`, 52, "_id fields may not contain '$'-prefixed fields", 0},
		{"nested too deep", `{insert:'c',documents:[{a:` + strings.Repeat(`{a:`, 180) + `1` + strings.Repeat(`}`, 180) + `}]}`, 15, "cannot insert document because it exceeds 180 levels of nesting", 0},
		{"duplicate", `{insert:'c',documents:[{_id:1}]}`, 11000, "E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }", 0},
		{"insert into a view", `{insert:'v',documents:[{}]}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"update of a view", `{update:'v',updates:[{q:{},u:{$set:{a:1}}}]}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"delete from a view", `{delete:'v',deletes:[{q:{},limit:0}]}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"findAndModify of a view", `{findAndModify:'v',update:{$set:{a:1}}}`, 166, "Namespace db.v is a view, not a collection", 0},
		{"replacement of many", `{update:'c',updates:[{q:{},u:{z:1},multi:true}]}`, 9, "multi update is not supported for replacement-style update", 0},
		{"sort of many", `{update:'c',updates:[{q:{},u:{$set:{z:1}},multi:true,sort:{a:1}}]}`, 9, "Cannot specify sort with multi=true", 0},
		{"constants without a pipeline", `{update:'c',updates:[{q:{},u:{$set:{z:1}},c:{k:1}}]}`, 51198, "Constant values may only be specified for pipeline updates", 0},
		{"another _id", `{update:'c',updates:[{q:{_id:1},u:{$set:{_id:7}}}]}`, 66, "would modify the immutable field '_id'", 0},
		{"unknown hint", `{update:'c',updates:[{q:{},u:{$set:{z:1}},hint:'no'}]}`, 2, "hint provided does not correspond to an existing index", 0},
		{"limit of two", `{delete:'c',deletes:[{q:{},limit:2}]}`, 9, "The limit field in delete objects must be 0 or 1. Got 2", 0},
		{"limit with a fraction", `{delete:'c',deletes:[{q:{},limit:0.5}]}`, 9, "The limit field in delete objects must be 0 or 1. Got 0.5", 0},
		{"delete from a capped collection in 4.4", `{delete:'capped',deletes:[{q:{},limit:0}]}`, 20, "cannot remove from a capped collection: db.capped", 9},
		{"findAndModify that removes from one", `{findAndModify:'capped',remove:true}`, 20, "cannot remove from a capped collection: db.capped", 9},
		{"growth in a capped collection in 5.0", `{update:'capped',updates:[{q:{},u:{$set:{y:1}}}]}`, 10003, "Cannot change the size of a document in a capped collection: ", 13},
		{"measurement without a time", `{insert:'times',documents:[{m:1}]}`, 2, "'t' must be present and contain a valid BSON UTC datetime value", 0},
		{"neither update nor remove", `{findAndModify:'c'}`, 9, "Either an update or remove=true must be specified", 0},
		{"update and remove", `{findAndModify:'c',update:{},remove:true}`, 9, "Cannot specify both an update and remove=true", 0},
		{"upsert and remove", `{findAndModify:'c',upsert:true,remove:true}`, 9, "Cannot specify both upsert=true and remove=true", 0},
		{"new and remove", `{findAndModify:'c',new:true,remove:true}`, 9, "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document", 0},
		{"arrayFilters and remove", `{findAndModify:'c',arrayFilters:[],remove:true}`, 9, "Cannot specify arrayFilters and remove=true", 0},
		{"bulkWrite of nothing", `{bulkWrite:1,ops:[],nsInfo:[{ns:'db.c'}]}`, 16, "Write batch sizes must be between 1 and 100000. Got 0 operations.", 0},
		{"bulkWrite without namespaces", `{bulkWrite:1,ops:[{insert:0,document:{}}]}`, 40414, "BSON field 'bulkWrite.nsInfo' is missing but a required field", 0},
		{"bulkWrite with a wrong index", `{bulkWrite:1,ops:[{insert:1,document:{}}],nsInfo:[{ns:'db.c'}]}`, 2, "has an invalid nsInfo index.", 0},
		{"bulkWrite with a wrong namespace", `{bulkWrite:1,ops:[{insert:0,document:{}}],nsInfo:[{ns:'db'}]}`, 73, "Invalid namespace specified for bulkWrite: 'db'", 0},
		{"bulkWrite without a filter", `{bulkWrite:1,ops:[{update:0,updateMods:{}}],nsInfo:[{ns:'db.c'}]}`, 40414, "BSON field 'bulkWrite.ops.filter' is missing but a required field", 0},
		{"bulkWrite with a multi that is a number", `{bulkWrite:1,ops:[{delete:0,filter:{},multi:1}],nsInfo:[{ns:'db.c'}]}`, 14, "BSON field 'bulkWrite.ops.multi' is the wrong type 'int', expected type 'bool'", 0},
		{"bulkWrite with an unknown operation", `{bulkWrite:1,ops:[{foo:0}],nsInfo:[{ns:'db.c'}]}`, 40415, "is an unknown field.", 0},
		{"bulkWrite with an unknown namespace field", `{bulkWrite:1,ops:[{insert:0,document:{}}],nsInfo:[{ns:'db.c',foo:1}]}`, 40415, "BSON field 'bulkWrite.nsInfo.foo' is an unknown field.", 0},
	})
	big := append([]byte(nil), strings.Repeat("x", 16<<20)...)
	for wire, code := range map[int32]errcode.Code{25: errcode.BSONObjectTooLarge, 21: errcode.BadValue} {
		s := newStock(t)
		s.wire = wire
		body, start := bson.AppendDocumentStart(nil)
		body = bson.AppendStringElement(body, "insert", "c")
		body, list := bson.AppendArrayElementStart(body, "documents")
		body, doc := bson.AppendDocumentElementStart(body, "0")
		body = bson.AppendStringElement(body, "x", string(big))
		body = bson.AppendDocumentEnd(bson.AppendDocumentEnd(bson.AppendDocumentEnd(body, doc), list), start)
		reply, err := s.request(t, &engine.Request{DB: "db", Body: body})
		got, _ := reply.Lookup("writeErrors", "0", "code").Int32OK()
		text, _ := reply.Lookup("writeErrors", "0", "errmsg").StringOK()
		if want := fmt.Sprintf("object to insert too large. size in bytes: %d, max size: 16777216", 16<<20+13); err != nil || errcode.Code(got) != code || text != want {
			t.Errorf("%d: got %d %s, %v", wire, got, text, err)
		}
	}
}

// Servers of 4.4 take comments of any type, but for distinct and count, which want a text until 4.4.14.
func TestCommentsByVersion(t *testing.T) {
	s := newStock(t)
	for _, command := range []string{`{distinct:'c',key:'a',comment:{x:1}}`, `{count:'c',comment:{x:1}}`} {
		s.wire = 9
		s.wantFailure(t, command, 14, "comment")
		s.wire = 13
		s.run(t, command)
	}
	s.wire = 9
	s.run(t, `{find:'c',comment:{x:1}}`)
}

func TestOutIsNotLinearizable(t *testing.T) {
	s := newStock(t)
	for _, stage := range []string{`{$out:'o'}`, `{$merge:'o'}`} {
		body := parse(t, `{aggregate:'c',pipeline:[`+stage+`],cursor:{}}`)
		_, err := s.request(t, &engine.Request{DB: "db", Body: body, ReadLevel: "linearizable"})
		if !status.Is(err, errcode.InvalidOptions) {
			t.Errorf("%s: %v", stage, err)
		}
	}
}
