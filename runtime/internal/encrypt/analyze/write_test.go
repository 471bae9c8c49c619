package analyze

import "testing"

func updates(collection string) func(u string) string {
	return func(u string) string {
		return `{'update':'` + collection + `','updates':[{'q':{},'u':` + u + `}]}`
	}
}

func TestUpdate(t *testing.T) {
	u, q := updates("c"), updates("q")
	rows := []row{
		{"$set", u(`{'$set':{'det':'x','a':1}}`), u(`{'$set':{'det':'DET(x)','a':1}}`), ""},
		{"$set random", u(`{'$set':{'rand':'x'}}`), u(`{'$set':{'rand':'RAND(x)'}}`), ""},
		{"$set inside", u(`{'$set':{'doc.det':'x'}}`), u(`{'$set':{'doc.det':'DET(x)'}}`), ""},
		{"$set above", u(`{'$set':{'doc':{'det':'x','a':1}}}`), u(`{'$set':{'doc':{'det':'DET(x)','a':1}}}`), ""},
		{"$set above, scalar", u(`{'$set':{'doc':5}}`), "", ""},
		{"$set above, array", u(`{'$set':{'doc':[{'det':'x'}]}}`), "", "array"},
		{"$set below", u(`{'$set':{'det.x':1}}`), "", "below"},
		{"$set at an index", u(`{'$set':{'doc.0.det':'x'}}`), "", "may be an index"},
		{"$set array", u(`{'$set':{'det':['x']}}`), "", "Cannot encrypt element of type"},
		{"$set null", u(`{'$set':{'det':null}}`), "", "Cannot encrypt element of type: null"},
		{"$set key by name", u(`{'$set':{'point':'x'}}`), "", "A non-static (JSONPointer) keyId is not supported"},
		{"$set positional", u(`{'$set':{'det.$':'x'}}`), "", "Cannot encrypt fields below '$' positional update operator"},
		{"$set positional above", u(`{'$set':{'doc.$.det':'x'}}`), "", "Cannot encrypt fields below '$' positional update operator"},
		{"$set all positions", u(`{'$set':{'det.$[]':'x'}}`), "", "Array update operations not allowed on encrypted values"},
		{"$set filtered positions", u(`{'$set':{'det.$[i].x':'x'}}`), "", "Array update operations not allowed on encrypted values"},
		{"$set positions elsewhere", u(`{'$set':{'a.$':1,'b.$[].c':2,'d.$[i]':3}}`), "", ""},
		{"$unset", u(`{'$unset':{'det':'','doc':1}}`), "", ""},
		{"$unset below", u(`{'$unset':{'det.x':''}}`), "", "below"},
		{"$rename alike", u(`{'$rename':{'det':'same'}}`), "", ""},
		{"$rename elsewhere", u(`{'$rename':{'a':'b'}}`), "", ""},
		{"$rename to plain", u(`{'$rename':{'det':'a'}}`), "", "must have the same metadata"},
		{"$rename from plain", u(`{'$rename':{'a':'det'}}`), "", "must have the same metadata"},
		{"$rename to another", u(`{'$rename':{'det':'other'}}`), "", "must have the same metadata"},
		{"$rename document", u(`{'$rename':{'doc':'a'}}`), "", "must have the same metadata"},
		{"$rename into", u(`{'$rename':{'a':'doc'}}`), "", "must have the same metadata"},
		{"unknown operator", u(`{'$sieve':{'a':1}}`), "", "not known to be safe"},
		{"no operator behind one", u(`{'$set':{'a':1},'det':'x'}`), "", "not known to be safe"},
		{"replacement", u(`{'det':'x','doc':{'rand':'y'}}`), u(`{'det':'DET(x)','doc':{'rand':'RAND(y)'}}`), ""},
		{"replacement, key by name", u(`{'point':'x','name':'k'}`), u(`{'point':'RAND@k(x)','name':'k'}`), ""},
		{"replacement with operators", u(`{'a':1,'$set':{'det':'x'}}`), "", "cannot hold operators"},
		{"pipeline", `{'update':'c','updates':[{'q':{},'u':[{'$set':{'det':'x'}}]}]}`, "", "pipeline"},
		{"filter", `{'update':'c','updates':[{'q':{'det':'x'},'u':{'$set':{'a':1}}},{'q':{'a':1},'u':{'$set':{'det':'y'}},'multi':true}]}`,
			`{'update':'c','updates':[{'q':{'det':{'$eq':'DET(x)'}},'u':{'$set':{'a':1}}},{'q':{'a':{'$eq':1}},'u':{'$set':{'det':'DET(y)'}},'multi':true}]}`, ""},
		{"array filters", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a.$[i]':1}},'arrayFilters':[{'i.det':'x'}]}]}`, "", ""},
		{"array filters with $where", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a.$[i]':1}},'arrayFilters':[{'$where':'x'}]}]}`, "", unsupported},
		{"array filters with $expr", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a.$[i]':1}},'arrayFilters':[{'$expr':{'$eq':['$det','x']}}]}]}`, "", unsupported},
		{"collation of a statement", `{'update':'c','updates':[{'q':{'det':'x'},'u':{'$set':{'a':1}},'collation':{'locale':'de'}}]}`, "", "collation"},
		{"sort of a statement", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a':1}},'sort':{'det':1}}]}`, "", "sort"},
		{"unknown argument of a statement", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a':1}},'sieve':1}]}`, "", "sieve"},
		{"timestamp, no upsert", `{'update':'c','updates':[{'q':{},'u':{'rand':{'$timestamp':{'t':0,'i':0}}}}]}`, "", "element of type: timestamp"},
		{"timestamp, upsert", `{'update':'c','updates':[{'q':{},'u':{'rand':{'$timestamp':{'t':0,'i':0}}},'upsert':true}]}`, "", "cannot supply Timestamp(0, 0)"},

		{"QE $set", q(`{'$set':{'eq':'x','int':5,'none':'y','doc.eq':'z'}}`),
			q(`{'$set':{'eq':'insertEquality(x)','int':'insertRange(v:5 min:0 max:200 trimFactor:1)','none':'insertUnindexed(y)','doc.eq':'insertEquality(z)'}}`), ""},
		{"QE $set above", q(`{'$set':{'doc':{'eq':'x'}}}`), q(`{'$set':{'doc':{'eq':'insertEquality(x)'}}}`), ""},
		{"QE $unset", q(`{'$unset':{'eq':''}}`), "", ""},
		{"QE $rename", q(`{'$rename':{'eq':'none'}}`), "", "must have the same metadata"},
		{"QE replacement", q(`{'eq':'x'}`), q(`{'eq':'insertEquality(x)'}`), ""},
		{"QE multi", `{'update':'q','updates':[{'q':{},'u':{'$set':{'a':1}},'multi':true}]}`, "", "several documents"},
		{"QE no multi", `{'update':'q','updates':[{'q':{},'u':{'$set':{'a':1}},'multi':false}]}`, "", ""},
		{"QE two statements", `{'update':'q','updates':[{'q':{},'u':{'$set':{'a':1}}},{'q':{},'u':{'$set':{'a':1}}}]}`, "", "one statement"},
		{"QE filter", `{'update':'q','updates':[{'q':{'eq':'x'},'u':{'$set':{'a':1}}}]}`,
			`{'update':'q','updates':[{'q':{'eq':{'$eq':'findEquality(x)'}},'u':{'$set':{'a':1}}}]}`, ""},
	}
	operators := map[string]string{
		"$setOnInsert": "$setOnInsert not allowed", "$inc": "$inc and $mul not allowed", "$mul": "$inc and $mul not allowed",
		"$max": "$max and $min not allowed", "$min": "$max and $min not allowed", "$currentDate": "$currentDate not allowed",
		"$addToSet": "$addToSet not allowed", "$pop": "$pop not allowed", "$pull": "$pull not allowed",
		"$pullAll": "$pullAll not allowed", "$push": "$push not allowed", "$bit": "$bit not allowed",
	}
	for op, text := range operators {
		rows = append(rows, row{op + " elsewhere", u(`{'` + op + `':{'a':1}}`), "", ""})
		for _, path := range []string{"det", "rand", "doc", "doc.det", "free"} {
			rows = append(rows, row{op + " on " + path, u(`{'` + op + `':{'` + path + `':{'det':'x'}}}`), "", text + " on encrypted values"})
		}
		for _, path := range []string{"eq", "int", "text", "none", "doc", "doc.eq"} {
			rows = append(rows, row{op + " on " + path + ", QE", q(`{'` + op + `':{'` + path + `':1}}`), "", text + " on encrypted values"})
		}
	}
	run(t, rows)
}

func TestOtherCommands(t *testing.T) {
	run(t, []row{
		{"delete", `{'delete':'c','deletes':[{'q':{'det':'x'},'limit':0},{'q':{},'limit':1}]}`,
			`{'delete':'c','deletes':[{'q':{'det':{'$eq':'DET(x)'}},'limit':0},{'q':{},'limit':1}]}`, ""},
		{"delete with collation", `{'delete':'c','deletes':[{'q':{'det':'x'},'limit':1,'collation':{'locale':'de'}}]}`, "", "collation"},
		{"QE delete", `{'delete':'q','deletes':[{'q':{'eq':'x'},'limit':1}]}`, `{'delete':'q','deletes':[{'q':{'eq':{'$eq':'findEquality(x)'}},'limit':1}]}`, ""},
		{"QE delete of several", `{'delete':'q','deletes':[{'q':{},'limit':0}]}`, "", "several documents"},
		{"QE two deletes", `{'delete':'q','deletes':[{'q':{},'limit':1},{'q':{},'limit':1}]}`, "", "one statement"},
		{"count", `{'count':'c','query':{'det':'x'}}`, `{'count':'c','query':{'det':{'$eq':'DET(x)'}}}`, ""},
		{"count without filter", `{'count':'c'}`, "", ""},
		{"distinct", `{'distinct':'c','key':'det','query':{'det':'x'}}`, `{'distinct':'c','key':'det','query':{'det':{'$eq':'DET(x)'}}}`, ""},
		{"distinct plain", `{'distinct':'c','key':'a','query':{'det':'x'}}`, `{'distinct':'c','key':'a','query':{'det':{'$eq':'DET(x)'}}}`, ""},
		{"distinct random", `{'distinct':'c','key':'rand'}`, "", "deterministically"},
		{"distinct above", `{'distinct':'c','key':'doc'}`, "", "no distinct values"},
		{"distinct, key by name", `{'distinct':'c','key':'point'}`, "", "The distinct key is not allowed to be marked for encryption with a non-UUID keyId"},
		{"QE distinct", `{'distinct':'q','key':'eq'}`, "", "deterministically"},
		{"findAndModify", `{'findAndModify':'c','query':{'det':'x'},'update':{'$set':{'rand':'y'}},'new':true,'fields':{'a':1}}`,
			`{'findAndModify':'c','query':{'det':{'$eq':'DET(x)'}},'update':{'$set':{'rand':'RAND(y)'}},'new':true,'fields':{'a':1}}`, ""},
		{"findandmodify removes", `{'findandmodify':'c','query':{'det':'x'},'remove':true}`, `{'findandmodify':'c','query':{'det':{'$eq':'DET(x)'}},'remove':true}`, ""},
		{"findAndModify with a pipeline", `{'findAndModify':'c','query':{},'update':[{'$set':{'det':'x'}}]}`, "", "pipeline"},
		{"findAndModify sorts", `{'findAndModify':'c','query':{},'sort':{'det':1},'remove':true}`, "", "sort"},
		{"findAndModify compares in fields", `{'findAndModify':'c','query':{},'remove':true,'fields':{'a':{'$eq':['$det','x']}}}`, "", "Comparison to encrypted"},
		{"QE findAndModify", `{'findAndModify':'q','query':{'eq':'x'},'update':{'$set':{'eq':'y'}},'new':false}`,
			`{'findAndModify':'q','query':{'eq':{'$eq':'findEquality(x)'}},'update':{'$set':{'eq':'insertEquality(y)'}},'new':false}`, ""},
		{"QE findAndModify new", `{'findAndModify':'q','query':{},'update':{'$set':{'eq':'y'}},'new':true}`, "", "after the change"},
		{"QE findAndModify fields", `{'findAndModify':'q','query':{},'update':{'$set':{'eq':'y'}},'fields':{'a':1}}`, "", "fields"},
		{"explain", `{'explain':{'find':'c','filter':{'det':'x'}},'verbosity':'v'}`, `{'explain':{'find':'c','filter':{'det':{'$eq':'DET(x)'}}},'verbosity':'v'}`, ""},
		{"explain of a delete", `{'explain':{'delete':'c','deletes':[{'q':{'det':'x'},'limit':1}]}}`,
			`{'explain':{'delete':'c','deletes':[{'q':{'det':{'$eq':'DET(x)'}},'limit':1}]}}`, ""},
		{"explain of explain", `{'explain':{'explain':{'find':'c'}}}`, "", "not supported"},
		{"explain of ping", `{'explain':{'ping':1}}`, "", "not supported"},
		{"explain refuses", `{'explain':{'find':'c','filter':{'rand':'x'}}}`, "", randomized},
		{"create", `{'create':'c','validator':{'a':'x'}}`, "", ""},
		{"create, validator", `{'create':'c','validator':{'det':'x'}}`, "", "Comparison to encrypted fields not supported"},
		{"create, validator with $in", `{'create':'c','validator':{'det':{'$in':['x']}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, validator with $gt", `{'create':'c','validator':{'det':{'$gt':'x'}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, validator inside", `{'create':'c','validator':{'doc':{'det':'x'}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, validator with $expr", `{'create':'c','validator':{'$expr':{'$eq':['$det','x']}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, validator exists", `{'create':'c','validator':{'det':{'$exists':true}}}`, "", ""},
		{"create, schema", `{'create':'c','validator':{'$jsonSchema':{'bsonType':'object','properties':{'det':{'encrypt':{}},'a':{'enum':['x']}}}}}`, "", ""},
		{"create, schema with values", `{'create':'c','validator':{'$jsonSchema':{'properties':{'det':{'enum':['x']}}}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, schema with values above", `{'create':'c','validator':{'$jsonSchema':{'enum':[{'det':'x'}]}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, schema with values in anyOf", `{'create':'c','validator':{'$jsonSchema':{'anyOf':[{'properties':{'det':{'enum':['x']}}}]}}}`, "", "Comparison to encrypted fields not supported"},
		{"create, schema with a pattern", `{'create':'c','validator':{'$jsonSchema':{'patternProperties':{'d.*':{'enum':['x']}}}}}`, "", "Comparison to encrypted fields not supported"},
		{"create a view", `{'create':'p','viewOn':'c','pipeline':[{'$match':{'a':'x'}}]}`, "", ""},
		{"create a view that compares", `{'create':'p','viewOn':'c','pipeline':[{'$match':{'det':'x'}}]}`, "", "Comparison to encrypted fields not supported"},
		{"collMod", `{'collMod':'c','validator':{'det':'x'}}`, "", "Comparison to encrypted fields not supported"},
		{"collMod, index", `{'collMod':'c','index':{'name':'i','hidden':true}}`, "", ""},
		{"QE create", `{'create':'q','validator':{'eq':'x'}}`, "", "Comparison to encrypted fields not supported"},
		{"QE create elsewhere", `{'create':'q','validator':{'a':'x'},'encryptedFields':{'fields':[]}}`, "", ""},
		{"createIndexes", `{'createIndexes':'c','indexes':[{'name':'i','key':{'det':1},'partialFilterExpression':{'a':'x'}}]}`, "", ""},
		{"createIndexes, filter", `{'createIndexes':'c','indexes':[{'name':'i','key':{'a':1},'partialFilterExpression':{'det':'x'}}]}`, "", "Comparison to encrypted fields not supported"},
		{"bulkWrite", `{'bulkWrite':1,'ops':[{'insert':0,'document':{'det':'x'}},{'update':0,'filter':{'det':'y'},'updateMods':{'$set':{'rand':'z'}}},{'delete':0,'filter':{'det':'w'}}],'nsInfo':[{'ns':'db.c'}]}`,
			`{'bulkWrite':1,'ops':[{'insert':0,'document':{'det':'DET(x)'}},{'update':0,'filter':{'det':{'$eq':'DET(y)'}},'updateMods':{'$set':{'rand':'RAND(z)'}}},{'delete':0,'filter':{'det':{'$eq':'DET(w)'}}}],'nsInfo':[{'ns':'db.c'}]}`, ""},
		{"bulkWrite, unknown op", `{'bulkWrite':1,'ops':[{'sieve':0,'document':{'det':'x'}}],'nsInfo':[{'ns':'db.c'}]}`, "", "not supported"},
		{"bulkWrite, two namespaces", `{'bulkWrite':1,'ops':[],'nsInfo':[{'ns':'db.c'},{'ns':'db.d'}]}`, "", "expected one namespace in `bulkWrite`, but found more than one. Only one namespace is supported."},
		{"bulkWrite, no namespace", `{'bulkWrite':1,'ops':[]}`, "", "namespaces"},
		{"QE bulkWrite of inserts", `{'bulkWrite':1,'ops':[{'insert':0,'document':{'eq':'x'}},{'insert':0,'document':{'eq':'y'}}],'nsInfo':[{'ns':'db.q'}]}`,
			`{'bulkWrite':1,'ops':[{'insert':0,'document':{'eq':'insertEquality(x)'}},{'insert':0,'document':{'eq':'insertEquality(y)'}}],'nsInfo':[{'ns':'db.q'}]}`, ""},
		{"QE bulkWrite of one update", `{'bulkWrite':1,'ops':[{'update':0,'filter':{'eq':'x'},'updateMods':{'eq':'y'},'multi':false}],'nsInfo':[{'ns':'db.q'}]}`,
			`{'bulkWrite':1,'ops':[{'update':0,'filter':{'eq':{'$eq':'findEquality(x)'}},'updateMods':{'eq':'insertEquality(y)'},'multi':false}],'nsInfo':[{'ns':'db.q'}]}`, ""},
		{"QE bulkWrite of two updates", `{'bulkWrite':1,'ops':[{'insert':0,'document':{'eq':'x'}},{'update':0,'filter':{},'updateMods':{'$set':{'a':1}}}],'nsInfo':[{'ns':'db.q'}]}`, "", "Only insert is supported in BulkWrite with multiple operations and Queryable Encryption"},
		{"getMore", `{'getMore':5,'collection':'c'}`, "", ""},
		{"mapreduce", `{'mapreduce':'c'}`, "", "command not supported for auto encryption: mapreduce"},
		{"a statement is no command", `{'updates':'c'}`, "", "command not supported for auto encryption: updates"},
		{"aggregate of a database", `{'aggregate':1,'pipeline':[]}`, "", "non-collection command not supported for auto encryption: aggregate"},
		{"empty", `{}`, "", "empty"},
	})
}

// The server ignores these values, or puts them in the place of an encrypted field: they would leave in plain text.
func TestConstantsThatWouldLeave(t *testing.T) {
	unset := func(v string) string { return `{'update':'c','updates':[{'q':{},'u':{'$unset':{'det':` + v + `}}}]}` }
	stage := func(s string) string { return `{'aggregate':'c','pipeline':[` + s + `]}` }
	const constant = "a constant cannot take the place of an encrypted field"
	run(t, []row{
		{"$unset", unset(`''`), "", ""},
		{"$unset 1", unset(`1`), "", ""},
		{"$unset true", unset(`true`), "", ""},
		{"$unset with a value", unset(`'secret'`), "", "means nothing"},
		{"$unset with a document", unset(`{'a':'secret'}`), "", "means nothing"},
		{"$unset of a plain field", `{'update':'c','updates':[{'q':{},'u':{'$unset':{'plain':'x'}}}]}`, "", ""},
		{"$set of a constant", stage(`{'$set':{'det':'secret'}}`), "", constant},
		{"$set of a number", stage(`{'$set':{'other':5}}`), "", constant},
		{"$set of a decimal", stage(`{'$set':{'other':{'$numberDecimal':'5'}}}`), "", constant},
		{"$set of a list of numbers", stage(`{'$set':{'other':[5]}}`), "", constant},
		{"$set of a literal number", stage(`{'$set':{'other':{'$literal':5}}}`), "", constant},
		{"$set of a literal that looks like a path", stage(`{'$set':{'det':{'$literal':'$secret'}}}`), "", constant},
		{"$project of a literal number", stage(`{'$project':{'other':{'$literal':5}}}`), "", constant},
		{"$set of a literal null", stage(`{'$set':{'other':{'$literal':null}}}`), "", ""},
		{"$set of a number in place of null", stage(`{'$set':{'other':{'$ifNull':['$other',5]}}}`), "", constant},
		{"$set of a number on a condition", stage(`{'$set':{'other':{'$cond':{'if':{'$gt':['$plain',1]},'then':5,'else':'$other'}}}}`), "", constant},
		{"$set of a field on a condition", stage(`{'$set':{'other':{'$cond':{'if':{'$gt':['$plain',1]},'then':'$other','else':null}}}}`), "", ""},
		{"$set with a number as argument", stage(`{'$set':{'other':{'$arrayElemAt':['$plain',0]}}}`), "", ""},
		{"$set inside", stage(`{'$set':{'doc':{'det':'secret'}}}`), "", constant},
		{"$set of a literal", stage(`{'$addFields':{'doc.rand':{'$literal':'secret'}}}`), "", constant},
		{"$project of a constant", stage(`{'$project':{'det':'secret'}}`), "", constant},
		{"$set with a constant inside", stage(`{'$set':{'det':{'$ifNull':['$det','secret']}}}`), "", constant},
		{"$set of another field", stage(`{'$set':{'det':'$plain'}}`), "", ""},
		{"$set to nothing", stage(`{'$set':{'det':'$$REMOVE'}}`), "", ""},
		{"$set of a plain field", stage(`{'$set':{'plain':'x'}}`), "", ""},
		{"$set where the field is gone", stage(`{'$unset':'det'},{'$set':{'det':'x'}}`), "", ""},
	})
}
