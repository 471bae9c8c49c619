package queryanalysis

import "testing"

func TestInsert(t *testing.T) {
	insert := func(docs string) string { return `{'insert':'c','documents':[` + docs + `]}` }
	queryable := func(docs string) string { return `{'insert':'q','documents':[` + docs + `]}` }
	run(t, []row{
		{"deterministic", insert(`{'_id':1,'det':'x','a':2}`), insert(`{'_id':1,'det':'DET(x)','a':2}`), ""},
		{"random", insert(`{'rand':'x'}`), insert(`{'rand':'RAND(x)'}`), ""},
		{"several documents", insert(`{'det':'x'},{'a':1},{'rand':'y'}`), insert(`{'det':'DET(x)'},{'a':1},{'rand':'RAND(y)'}`), ""},
		{"nested", insert(`{'doc':{'a':1,'det':'x','b':2}}`), insert(`{'doc':{'a':1,'det':'DET(x)','b':2}}`), ""},
		{"the same name elsewhere", insert(`{'a':{'det':'x'}}`), "", ""},
		{"a scalar above", insert(`{'doc':5}`), "", ""},
		{"null above", insert(`{'doc':null}`), "", ""},
		{"an array above", insert(`{'doc':[{'det':'x'}]}`), "", "array"},
		{"dotted name", insert(`{'doc.det':'x'}`), "", "dots"},
		{"dotted name inside", insert(`{'doc':{'det.x':1}}`), "", "dots"},
		{"dotted plain name", insert(`{'a.b':'x'}`), "", ""},
		{"twice", insert(`{'det':'x','a':1,'det':'y'}`), insert(`{'det':'DET(x)','a':1,'det':'DET(y)'}`), ""},
		{"any type", insert(`{'free':{'a':[1]}}`), insert(`{'free':'RAND(a:[1])'}`), ""},
		{"wrong type", insert(`{'det':5}`), "", "Cannot encrypt element of type: int"},
		{"null", insert(`{'det':null}`), "", "Cannot encrypt element of type: null"},
		{"null, any type", insert(`{'free':null}`), "", "Cannot encrypt element of type: null"},
		{"array", insert(`{'det':['x']}`), "", "Cannot encrypt element of type: array"},
		{"minKey", insert(`{'free':{'$minKey':1}}`), "", "element of type: minKey"},
		{"encrypted already", insert(`{'free':{'$binary':{'base64':'AQID','subType':'06'}}}`), "", "encrypted already"},
		{"encrypted already, elsewhere", insert(`{'a':{'$binary':{'base64':'AQIDAAAA','subType':'00'}}}`), "", ""},
		{"empty timestamp", insert(`{'rand':{'$timestamp':{'t':0,'i':0}}}`), "", "cannot supply Timestamp(0, 0) for an encrypted"},
		{"key by name", insert(`{'point':'x','name':'k'}`), insert(`{'point':'RAND@k(x)','name':'k'}`), ""},
		{"key by name, missing", insert(`{'point':'x'}`), "", "no string"},
		{"key by name, not a string", insert(`{'point':'x','name':5}`), "", "no string"},
		{"nothing to encrypt", insert(`{'a':1}`), "", ""},
		{"unknown argument", `{'insert':'c','documents':[],'sieve':1}`, "", "sieve"},
		{"common arguments", `{'insert':'c','documents':[],'ordered':true,'comment':{'det':'x'},'lsid':{},'writeConcern':{'w':1}}`, "", ""},
		{"plain collection", `{'insert':'p','documents':[{'det':'x'}],'sieve':1}`, "", ""},

		{"equality", queryable(`{'eq':'x'}`), queryable(`{'eq':'insertEquality(x)'}`), ""},
		{"equality inside", queryable(`{'doc':{'eq':'x'}}`), queryable(`{'doc':{'eq':'insertEquality(x)'}}`), ""},
		{"unindexed", queryable(`{'none':'x'}`), queryable(`{'none':'insertUnindexed(x)'}`), ""},
		{"unindexed, any type", queryable(`{'bare':[1]}`), queryable(`{'bare':'insertUnindexed([1])'}`), ""},
		{"range", queryable(`{'int':5}`), queryable(`{'int':'insertRange(v:5 min:0 max:200 trimFactor:1)'}`), ""},
		{"range, wrong type", queryable(`{'int':5.5}`), "", "cannot encrypt element"},
		{"text", queryable(`{'text':'foo'}`),
			queryable(`{'text':'insertText(v:foo casef:true diacf:false prefix:ub:9 lb:2 suffix:ub:9 lb:2)'}`), ""},
		{"equality, wrong type", queryable(`{'eq':5}`), "", "Cannot encrypt element of type: int"},
		{"equality, array above", queryable(`{'doc':[{'eq':'x'}]}`), "", "array"},
	})
}
