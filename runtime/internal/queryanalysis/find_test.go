package queryanalysis

import (
	"strings"
	"testing"
)

func filters(collection string) func(filter string) string {
	return func(filter string) string { return `{'find':'` + collection + `','filter':` + filter + `}` }
}

const (
	invalidOperator = "Invalid match expression operator on encrypted field"
	unsupported     = "Unsupported match expression operator for encryption"
	randomized      = "Cannot query on fields encrypted with the randomized encryption"
)

func TestFindDeterministic(t *testing.T) {
	f := filters("c")
	run(t, []row{
		{"equality", f(`{'det':'x'}`), f(`{'det':{'$eq':'DET(x)'}}`), ""},
		{"$eq", f(`{'det':{'$eq':'x'}}`), f(`{'det':{'$eq':'DET(x)'}}`), ""},
		{"$ne", f(`{'det':{'$ne':'x'}}`), f(`{'det':{'$not':{'$eq':'DET(x)'}}}`), ""},
		{"$in", f(`{'det':{'$in':['x','y']}}`), f(`{'det':{'$in':['DET(x)','DET(y)']}}`), ""},
		{"$nin", f(`{'det':{'$nin':['x']}}`), f(`{'det':{'$not':{'$in':['DET(x)']}}}`), ""},
		{"$not", f(`{'det':{'$not':{'$eq':'x'}}}`), f(`{'det':{'$not':{'$eq':'DET(x)'}}}`), ""},
		{"$not $in", f(`{'det':{'$not':{'$in':['x']}}}`), f(`{'det':{'$not':{'$in':['DET(x)']}}}`), ""},
		{"two fields", f(`{'det':'x','a':1}`), f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'a':{'$eq':1}}]}`), ""},
		{"two operators", f(`{'det':{'$ne':'x','$exists':true}}`),
			f(`{'$and':[{'det':{'$not':{'$eq':'DET(x)'}}},{'det':{'$exists':true}}]}`), ""},
		{"$and", f(`{'$and':[{'det':'x'},{'a':1,'b':2}]}`),
			f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'$and':[{'a':{'$eq':1}},{'b':{'$eq':2}}]}]}`), ""},
		{"$or", f(`{'$or':[{'det':'x'},{'a':1}]}`), f(`{'$or':[{'det':{'$eq':'DET(x)'}},{'a':{'$eq':1}}]}`), ""},
		{"$nor", f(`{'$nor':[{'det':'x'}]}`), f(`{'$nor':[{'det':{'$eq':'DET(x)'}}]}`), ""},
		{"comment", f(`{'det':'x','$comment':'c'}`), f(`{'det':{'$eq':'DET(x)'},'$comment':'c'}`), ""},
		{"comment and more", f(`{'$comment':'c','det':'x','a':1}`),
			f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'a':{'$eq':1}}],'$comment':'c'}`), ""},
		{"plain regex next to an encrypted field", f(`{'det':'x','a':{'$regex':'p','$options':'i'}}`),
			f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'a':{'$regex':'p','$options':'i'}}]}`), ""},
		{"plain regex literal", f(`{'det':'x','a':{'$regularExpression':{'pattern':'p','options':'i'}}}`),
			f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'a':{'$regex':'p','$options':'i'}}]}`), ""},
		{"DBRef", f(`{'det':'x','a':{'$ref':'r','$id':1}}`),
			f(`{'$and':[{'det':{'$eq':'DET(x)'}},{'a':{'$eq':{'$ref':'r','$id':1}}}]}`), ""},
		{"dotted", f(`{'doc.det':'x'}`), f(`{'doc.det':{'$eq':'DET(x)'}}`), ""},
		{"inside a document", f(`{'doc':{'det':'x','a':1}}`), f(`{'doc':{'$eq':{'det':'DET(x)','a':1}}}`), ""},
		{"inside $eq", f(`{'doc':{'$eq':{'det':'x'}}}`), f(`{'doc':{'$eq':{'det':'DET(x)'}}}`), ""},
		{"inside $in", f(`{'doc':{'$in':[{'det':'x'},5]}}`), f(`{'doc':{'$in':[{'det':'DET(x)'},5]}}`), ""},
		{"other document", f(`{'a':{'det':'x'}}`), "", ""},
		{"scalar above", f(`{'doc':5}`), "", ""},
		{"$gt scalar above", f(`{'doc':{'$gt':5}}`), "", ""},
		{"$gt document above", f(`{'doc':{'$gt':{'det':'x'}}}`), "", "does not support documents"},
		{"array above", f(`{'doc':[{'det':'x'}]}`), "", "does not support documents"},
		{"$all above", f(`{'doc':{'$all':[{'det':'x'}]}}`), "", "does not support documents"},
		{"$elemMatch above", f(`{'doc':{'$elemMatch':{'det':'x'}}}`), "", "does not support documents"},
		{"operator inside a literal", f(`{'doc':{'a':1,'$eq':{'det':'x'}}}`), "", "operator"},
		{"random inside a literal", f(`{'doc':{'rand':'x'}}`), "", randomized},
		{"$regex with a document above", f(`{'doc':{'$regex':{'det':'x'}}}`), "", "does not support documents"},
		{"$exists with a document", f(`{'doc':{'$exists':{'det':'x'}}}`), "", "needs a boolean"},
		{"an operator in the path", f(`{'doc.$.det':'x'}`), "", "has the operator"},
		{"an index at the end", f(`{'doc.0':{'det':'x'}}`), "", "may be an index"},
		{"an index", f(`{'doc.0.det':'x'}`), "", "may be an index"},
		{"below", f(`{'det.x':'y'}`), "", "below the encrypted field"},
		{"dotted name in a literal", f(`{'doc':{'det.x':1}}`), "", "dots"},
		{"null", f(`{'det':null}`), "", "Illegal equality to null predicate for encrypted field"},
		{"null in $in", f(`{'det':{'$in':['x',null]}}`), "", "Illegal equality to null inside $in against an encrypted field"},
		{"regex", f(`{'det':{'$regularExpression':{'pattern':'p','options':''}}}`), "", "regex"},
		{"regex in $in", f(`{'det':{'$in':[{'$regularExpression':{'pattern':'p','options':''}}]}}`), "", "regex"},
		{"wrong type", f(`{'det':5}`), "", "Cannot encrypt element of type: int"},
		{"document", f(`{'det':{'a':1}}`), "", "element of type: object"},
		{"array", f(`{'det':['x']}`), "", "element of type: array"},
		{"nothing encrypted", f(`{'a':1,'b':{'$gt':2,'$lt':3}}`), "", ""},
		{"collation", `{'find':'c','filter':{'det':'x'},'collation':{'locale':'de'}}`, "", "collation"},
		{"collation, no text", `{'find':'c','filter':{'other':5},'collation':{'locale':'de'}}`,
			`{'find':'c','filter':{'other':{'$eq':'DET(5)'}},'collation':{'locale':'de'}}`, ""},
		{"simple collation", `{'find':'c','filter':{'det':'x'},'collation':{'locale':'simple'}}`,
			`{'find':'c','filter':{'det':{'$eq':'DET(x)'}},'collation':{'locale':'simple'}}`, ""},
		{"collation elsewhere", `{'find':'c','filter':{'a':'x'},'collation':{'locale':'de'}}`, "", ""},
	})
}

// TestFindOperators tries each operator on each kind of path.
func TestFindOperators(t *testing.T) {
	var rows []row
	operators := map[string]string{
		"$gt": `5`, "$gte": `5`, "$lt": `5`, "$lte": `5`, "$type": `'string'`, "$size": `1`, "$mod": `[2,1]`, "$regex": `'p'`,
		"$all": `['x']`, "$elemMatch": `{'a':1}`, "$bitsAllClear": `1`, "$bitsAllSet": `1`, "$bitsAnyClear": `1`,
		"$bitsAnySet": `1`, "$geoWithin": `{'$center':[[1,2],3]}`, "$geoIntersects": `{'$geometry':{}}`, "$near": `[1,2]`,
		"$nearSphere": `[1,2]`,
	}
	paths := []struct{ collection, path string }{{"c", "det"}, {"c", "rand"}, {"c", "doc.det"}, {"q", "eq"}, {"q", "text"}, {"q", "doc.eq"}}
	for op, operand := range operators {
		plain := filters("c")(`{'a':{'` + op + `':` + operand + `}}`)
		rows = append(rows, row{op + " on a plain field", plain, "", ""})
		for _, p := range paths {
			rows = append(rows, row{op + " on " + p.path, filters(p.collection)(`{'` + p.path + `':{'` + op + `':` + operand + `}}`), "", invalidOperator})
		}
		if op != "$gt" && op != "$gte" && op != "$lt" && op != "$lte" {
			rows = append(rows,
				row{op + " on a range", filters("q")(`{'int':{'` + op + `':` + operand + `}}`), "", invalidOperator},
				row{op + " on an unindexed field", filters("q")(`{'none':{'` + op + `':` + operand + `}}`), "", invalidOperator})
		}
	}
	for _, p := range append(paths, struct{ collection, path string }{"q", "int"}, struct{ collection, path string }{"q", "none"}) {
		f := filters(p.collection)
		rows = append(rows,
			row{"$exists on " + p.path, f(`{'` + p.path + `':{'$exists':false}}`), "", ""},
			row{"null on " + p.path, f(`{'` + p.path + `':null}`), "", "encrypt"},
			row{"unknown on " + p.path, f(`{'` + p.path + `':{'$sieve':1}}`), "", unsupported})
	}
	run(t, rows)
}

func TestFindRefused(t *testing.T) {
	f := filters("c")
	run(t, []row{
		{"random equality", f(`{'rand':'x'}`), "", randomized},
		{"random $in", f(`{'rand':{'$in':['x']}}`), "", randomized},
		{"random $ne", f(`{'rand':{'$ne':'x'}}`), "", randomized},
		{"random below $or", f(`{'$or':[{'a':1},{'rand':'x'}]}`), "", randomized},
		{"$text", f(`{'$text':{'$search':'x'}}`), "", unsupported},
		{"$where", f(`{'$where':'x'}`), "", unsupported},
		{"$jsonSchema", f(`{'$jsonSchema':{}}`), "", unsupported},
		{"$where inside $or", f(`{'$or':[{'$where':'x'}]}`), "", unsupported},
		{"$where inside $elemMatch", f(`{'a':{'$elemMatch':{'$where':'x'}}}`), "", unsupported},
		{"$expr inside $elemMatch", f(`{'a':{'$elemMatch':{'$expr':{'$eq':['$det','x']}}}}`), "", unsupported},
		{"$expr on a path", f(`{'a':{'$expr':{'$eq':['$det','x']}}}`), "", unsupported},
		{"$and on a path", f(`{'a':{'$and':[{'det':'x'}]}}`), "", unsupported},
		{"unknown at the top", f(`{'$sieve':1}`), "", unsupported},
		{"$and of a value that is not an array", f(`{'$and':{'det':'x'}}`), "", "array"},
		{"sort", `{'find':'c','filter':{},'sort':{'det':1}}`, "", "sort"},
		{"sort above", `{'find':'c','filter':{},'sort':{'doc':1}}`, "", "sort"},
		{"sort elsewhere", `{'find':'c','filter':{},'sort':{'a':1,'b':-1}}`, "", ""},
		{"min", `{'find':'c','filter':{},'min':{'det':'x'}}`, "", "bounds"},
		{"max", `{'find':'c','filter':{},'max':{'doc.det':'x'}}`, "", "bounds"},
		{"max above", `{'find':'c','filter':{},'max':{'doc':{'det':'x'}}}`, "", "bounds"},
		{"min elsewhere", `{'find':'c','filter':{},'min':{'a':1}}`, "", ""},
		{"projection", `{'find':'c','filter':{},'projection':{'det':1,'a':1,'_id':0}}`, "", ""},
		{"projection computes", `{'find':'c','filter':{},'projection':{'b':{'$concat':['$det','x']}}}`, "", "cannot compute"},
		{"projection compares", `{'find':'c','filter':{},'projection':{'b':{'$eq':['$det','x']}}}`, "", "Comparison to encrypted"},
		{"projection compares inside", `{'find':'c','filter':{},'projection':{'b':{'c':{'$eq':['x','$det']}}}}`, "", "Comparison to encrypted"},
		{"projection $elemMatch", `{'find':'c','filter':{},'projection':{'doc':{'$elemMatch':{'det':'x'}}}}`, "", invalidOperator},
		{"projection $elemMatch elsewhere", `{'find':'c','filter':{},'projection':{'a':{'$elemMatch':{'det':'x'}}}}`, "", ""},
		{"projection $slice", `{'find':'c','filter':{},'projection':{'a':{'$slice':2}}}`, "", ""},
		{"projection $slice computes", `{'find':'c','filter':{},'projection':{'a':{'$slice':{'$eq':['$det','x']}}}}`, "", "Comparison to encrypted"},
		{"projection $meta", `{'find':'c','filter':{},'projection':{'a':{'$meta':'textScore'}}}`, "", ""},
		{"projection below", `{'find':'c','filter':{},'projection':{'det.x':1}}`, "", "below"},
		{"let compares", `{'find':'c','filter':{'$expr':{'$eq':['$det','$$v']}},'let':{'v':'x'}}`, "", "only with literals"},
		{"let computes a comparison", `{'find':'c','filter':{},'let':{'v':{'$eq':['$det','x']}}}`, "", "Comparison to encrypted"},
		{"let of CURRENT", `{'find':'c','filter':{},'let':{'CURRENT':{'a':1}}}`, "", "cannot be bound"},
		{"projection $elemMatch with $expr", `{'find':'c','filter':{},'projection':{'a':{'$elemMatch':{'$expr':{'$eq':['$det','x']}}}}}`, "", unsupported},
		{"let elsewhere", `{'find':'c','filter':{'$expr':{'$eq':['$a','$$v']}},'let':{'v':'x'}}`, "", ""},
		{"unknown argument", `{'find':'c','filter':{},'sieve':{'det':'x'}}`, "", "sieve"},
		{"encryptionInformation", `{'find':'c','filter':{},'encryptionInformation':{}}`, "", "encryptionInformation"},
		{"unknown collection", `{'find':'z','filter':{}}`, "", "not known"},
	})
}

func TestFindQueryable(t *testing.T) {
	f := filters("q")
	whole := func(edges, id string) string {
		return `findRange(edgesInfo:` + edges + ` trimFactor:1 indexMin:0 indexMax:200 payloadId:` + id
	}
	stub := func(id string) string { return `findRange(payloadId:` + id }
	const inf = `{$numberDouble:Infinity}`
	one := whole(`lowerBound:5 lbIncluded:true upperBound:5 ubIncluded:true`, "0") + ` firstOperator:2 secondOperator:4)`
	pair := `{'$and':[{'int':{'$gte':'` + one + `'}},{'int':{'$lte':'` + stub("0") + ` firstOperator:2 secondOperator:4)'}}]}`
	above := whole(`lowerBound:5 lbIncluded:false upperBound:`+inf+` ubIncluded:true`, "0") + ` firstOperator:1)`
	below := whole(`lowerBound:{$numberDouble:-Infinity} lbIncluded:true upperBound:5 ubIncluded:false`, "0") + ` firstOperator:3)`
	within := whole(`lowerBound:1 lbIncluded:false upperBound:9 ubIncluded:true`, "0") + ` firstOperator:1 secondOperator:4)`
	withinStub := stub("0") + ` firstOperator:1 secondOperator:4)`
	five := whole(`lowerBound:5 lbIncluded:false upperBound:9 ubIncluded:true`, "1") + ` firstOperator:1 secondOperator:4)`
	fiveStub := stub("1") + ` firstOperator:1 secondOperator:4)`
	run(t, []row{
		{"equality", f(`{'eq':'x'}`), f(`{'eq':{'$eq':'findEquality(x)'}}`), ""},
		{"$ne", f(`{'eq':{'$ne':'x'}}`), f(`{'eq':{'$not':{'$eq':'findEquality(x)'}}}`), ""},
		{"$in", f(`{'eq':{'$in':['x','y']}}`), f(`{'eq':{'$in':['findEquality(x)','findEquality(y)']}}`), ""},
		{"$nin", f(`{'eq':{'$nin':['x']}}`), f(`{'eq':{'$not':{'$in':['findEquality(x)']}}}`), ""},
		{"inside", f(`{'doc.eq':'x'}`), f(`{'doc.eq':{'$eq':'findEquality(x)'}}`), ""},
		{"inside a literal", f(`{'doc':{'eq':'x'}}`), "", "cannot be compared"},
		{"normal form without placeholders", f(`{'_id':1}`), f(`{'_id':{'$eq':1}}`), ""},
		{"unindexed", f(`{'none':'x'}`), "", "encrypt"},
		{"text equality", f(`{'text':'x'}`), "", invalidOperator},
		{"range $gt", f(`{'int':{'$gt':5}}`), f(`{'int':{'$gt':'` + above + `'}}`), ""},
		{"range $lt", f(`{'int':{'$lt':5}}`), f(`{'int':{'$lt':'` + below + `'}}`), ""},
		{"range equality", f(`{'int':5}`), f(pair), ""},
		{"range $in", f(`{'int':{'$in':[5]}}`), f(`{'$or':[` + pair + `]}`), ""},
		{"range $ne", f(`{'int':{'$ne':5}}`), f(`{'$nor':[` + pair + `]}`), ""},
		{"range $nin", f(`{'int':{'$nin':[5]}}`), f(`{'$nor':[` + pair + `]}`), ""},
		{"range $not $eq", f(`{'int':{'$not':{'$eq':5}}}`), f(`{'$nor':[` + pair + `]}`), ""},
		{"range $in of an empty array", f(`{'int':{'$in':[]}}`), f(`{'int':{'$in':[]}}`), ""},
		{"range both ends", f(`{'int':{'$gt':1,'$lte':9}}`),
			f(`{'$and':[{'int':{'$gt':'` + within + `'}},{'int':{'$lte':'` + withinStub + `'}}]}`), ""},
		{"range both ends, separated", f(`{'$and':[{'int':{'$gt':1}},{'a':1},{'int':{'$lte':9}}]}`),
			f(`{'$and':[{'int':{'$gt':'` + within + `'}},{'a':{'$eq':1}},{'int':{'$lte':'` + withinStub + `'}}]}`), ""},
		{"range both ends in $not", f(`{'int':{'$not':{'$gt':1,'$lte':9}}}`),
			f(`{'int':{'$not':{'$gt':'` + within + `','$lte':'` + withinStub + `'}}}`), ""},
		{"range of $expr", f(`{'$expr':{'$and':[{'$gt':['$int',1]},{'$eq':['$a',1]},{'$lte':['$int',9]}]}}`),
			f(`{'$expr':{'$and':[{'$gt':['$int','` + within + `']},{'$eq':['$a',1]},{'$lte':['$int','` + withinStub + `']}]}}`), ""},
		{"range of $expr, the path on the right", f(`{'$expr':{'$and':[{'$lt':[1,'$int']},{'$gte':[{'$literal':9},'$int']}]}}`),
			f(`{'$expr':{'$and':[{'$lt':['` + within + `','$int']},{'$gte':['` + withinStub + `','$int']}]}}`), ""},
		{"range of $expr below another $and", f(`{'$expr':{'$and':[{'$gt':['$int',1]},{'$and':[{'$lte':['$int',9]}]}]}}`),
			f(`{'$expr':{'$and':[{'$gt':['$int','` + within + `']},{'$and':[{'$lte':['$int','` + withinStub + `']}]}]}}`), ""},
		{"no range of $expr across $or", f(`{'$expr':{'$and':[{'$gt':['$int',5]},{'$or':[{'$lt':['$int',5]}]}]}}`),
			f(`{'$expr':{'$and':[{'$gt':['$int','` + above + `']},{'$or':[{'$lt':['$int','` + strings.Replace(below, "payloadId:0", "payloadId:1", 1) + `']}]}]}}`), ""},
		{"no range of $expr across an array", f(`{'$expr':{'$and':[[{'$gt':['$int',5]}],{'$gt':['$int',5]},{'$lte':['$int',9]}]}}`),
			f(`{'$expr':{'$and':[[{'$gt':['$int','` + above + `']}],{'$gt':['$int','` + five + `']},{'$lte':['$int','` + fiveStub + `']}]}}`), ""},
		{"no range of $expr without $and", f(`{'$expr':{'$gt':['$int',5]}}`), f(`{'$expr':{'$gt':['$int','` + above + `']}}`), ""},
		{"range, wrong type", f(`{'int':{'$gt':5.5}}`), "", "field type is not supported"},
		{"range of dates, wrong type", f(`{'int':{'$gt':5.5}}`), "", "value type is a date"},
		{"range, null", f(`{'int':{'$gt':null}}`), "", "null"},
		{"range, document", f(`{'int':{'$gt':{'a':1}}}`), "", "one value"},
		{"collation", `{'find':'q','filter':{'eq':'x'},'collation':{'locale':'de'}}`, "", "collation"},
	})
}
