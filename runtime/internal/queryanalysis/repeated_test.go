package queryanalysis

import "testing"

// Where two arguments have one name, the server may take either, so the analysis of one of them does not tell what leaves.
func TestRepeatedArguments(t *testing.T) {
	const twice = "appears twice"
	stage := func(s string) string { return `{'aggregate':'p','pipeline':[` + s + `]}` }
	filter := func(s string) string { return `{'find':'c','filter':` + s + `}` }
	run(t, []row{
		{"the collection", `{'find':'p','find':'c','filter':{'det':'x'}}`, "", twice},
		{"the filter", `{'find':'c','filter':{},'filter':{'a':'x'}}`, "", twice},
		{"the view", `{'create':'v','viewOn':'p','viewOn':'c','pipeline':[{'$match':{'det':'x'}}]}`, "", twice},
		{"of a statement", `{'update':'c','updates':[{'q':{},'u':{'$set':{'a':1}},'upsert':false,'upsert':true}]}`, "", twice},
		{"a statement with a name", `{'update':'c','updates':[{'updates':{'det':'x'},'q':{},'u':{'$set':{'a':1}}}]}`, "", "updates"},
		{"of explain", `{'explain':{'find':'p','find':'c','filter':{'det':'x'}}}`, "", twice},
		{"of a namespace", `{'bulkWrite':1,'ops':[{'insert':0,'document':{'det':'x'}}],'nsInfo':[{'ns':'db.p','ns':'db.c'}]}`, "", twice},
		{"of an index", `{'createIndexes':'c','indexes':[{'key':{'a':1},'partialFilterExpression':{},'partialFilterExpression':{'det':'x'}}]}`, "", twice},
		{"$lookup", stage(`{'$lookup':{'from':'p','from':'c','pipeline':[{'$match':{'det':'x'}}],'as':'j'}}`), "", twice},
		{"$lookup inside", stage(`{'$facet':{'f':[{'$lookup':{'from':'p','from':'c','pipeline':[{'$match':{'det':'x'}}],'as':'j'}}]}}`), "", twice},
		{"$unionWith", stage(`{'$unionWith':{'coll':'p','coll':'c','pipeline':[{'$match':{'det':'x'}}]}}`), "", twice},
		{"$out", stage(`{'$addFields':{'det':'x'}},{'$out':{'db':'db','coll':'p','coll':'c'}}`), "", twice},
		{"$merge", stage(`{'$addFields':{'det':'x'}},{'$merge':{'into':{'db':'db','coll':'p','coll':'c'}}}`), "", twice},
		{"$graphLookup", `{'aggregate':'c','pipeline':[{'$graphLookup':{'from':'c','from':'p','startWith':'$a','connectFromField':'a','connectToField':'b','as':'g'}}]}`, "", twice},
		{"$unwind", `{'aggregate':'c','pipeline':[{'$unwind':{'path':'$a','path':'$b'}}]}`, "", twice},
		{"$filter", filter(`{'$expr':{'$let':{'vars':{'x':'$det'},'in':{'$filter':{'input':'$a','as':'x','as':'y','cond':{'$eq':['$$x','secret']}}}}}}`), "", twice},
		{"$let", filter(`{'$expr':{'$let':{'vars':{},'vars':{'v':'$det'},'in':{'$eq':['$$v','x']}}}}`), "", twice},
		{"a variable", filter(`{'$expr':{'$let':{'vars':{'v':'$a','v':'$det'},'in':{'$eq':['$$v','x']}}}}`), "", twice},
		{"a search", `{'find':'q','filter':{'$expr':{'$encStrStartsWith':{'input':'$text','input':'$a','prefix':'ab'}}}}`, "", twice},
		{"a path of a filter may stand twice", filter(`{'det':'x','det':'y','a':{'$gt':1},'a':{'$lt':2}}`),
			filter(`{'$and':[{'det':{'$eq':'DET(x)'}},{'det':{'$eq':'DET(y)'}},{'a':{'$gt':1}},{'a':{'$lt':2}}]}`), ""},
	})
}

// A field that the schema encrypts in two ways takes no value at all.
func TestFieldEncryptedInTwoWays(t *testing.T) {
	encrypt := func(algorithm string) string {
		return `{'encrypt':{'keyId':[KEY],'bsonType':'string',` + algorithm + `}}`
	}
	s, err := FromJSONSchema(parse(t, `{'bsonType':'object','patternProperties':{'^a':`+encrypt(deterministic)+`,'b$':`+encrypt(random)+`}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		`{'update':'c','updates':[{'q':{},'u':{'$set':{'ab':'x'}}}]}`,
		`{'update':'c','updates':[{'q':{},'u':{'$set':{'ab':['x']}}}]}`,
		`{'update':'c','updates':[{'q':{},'u':{'$set':{'ab':{'c':'x'}}}}]}`,
		`{'update':'c','updates':[{'q':{},'u':{'$rename':{'c':'ab'}}}]}`,
		`{'update':'c','updates':[{'q':{},'u':{'ab':'x'}}]}`,
		`{'insert':'c','documents':[{'ab':'x'}]}`,
		`{'find':'c','filter':{'ab':'x'}}`,
		`{'find':'c','filter':{'$expr':{'$eq':['$ab','x']}}}`,
		`{'aggregate':'c','pipeline':[{'$set':{'ab':{'$ifNull':['$ab',true]}}}]}`,
	} {
		cmd := parse(t, command)
		target, err := Inspect("db", cmd)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := Analyze(target, cmd, Schemas{"c": s}); err == nil {
			t.Errorf("%s became %s", command, show(t, result.Command))
		}
	}
}
