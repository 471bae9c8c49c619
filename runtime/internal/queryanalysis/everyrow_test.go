package queryanalysis

import "testing"

// TestExpressionsThatCompute runs operators that no other test needs. None of them may read an encrypted field.
func TestExpressionsThatCompute(t *testing.T) {
	p := pipelines("c")
	var rows []row
	for _, name := range []string{
		"$asin", "$asinh", "$atan", "$atanh", "$cosh", "$dayOfMonth", "$minute", "$second", "$sinh", "$tan", "$tanh", "$toUUID",
	} {
		rows = append(rows,
			row{name + " of a plain field", p(`{'$project':{'b':{'` + name + `':'$a'}}}`), "", ""},
			row{name + " of an encrypted field", p(`{'$project':{'b':{'` + name + `':'$det'}}}`), "", "cannot compute"})
	}
	run(t, rows)
}

// TestSystemVariables reads variables that hold no part of a document.
func TestSystemVariables(t *testing.T) {
	p := pipelines("c")
	var rows []row
	for _, name := range []string{"NOW", "CLUSTER_TIME", "REMOVE", "USER_ROLES", "SEARCH_META"} {
		rows = append(rows, row{name, p(`{'$addFields':{'b':'$$` + name + `'}}`), "", ""})
	}
	for _, name := range []string{"DESCEND", "PRUNE", "KEEP"} {
		rows = append(rows, row{name, p(`{'$redact':{'$cond':['$a','$$` + name + `','$$KEEP']}}`), "", "not supported"})
	}
	run(t, rows)
}

// TestRareArguments passes arguments and statements that few programs use.
func TestRareArguments(t *testing.T) {
	run(t, []row{
		{"bypassEmptyTsReplacement", `{'insert':'c','documents':[{'_id':1,'a':2}],'bypassEmptyTsReplacement':true}`, "", ""},
		{"ops.insert", `{'bulkWrite':1,'ops':[{'insert':0,'document':{'_id':1,'a':'x'}}],'nsInfo':[{'ns':'db.p'}]}`, "", ""},
		{"ops.update", `{'bulkWrite':1,'ops':[{'update':0,'filter':{'a':1},'updateMods':{'$set':{'b':1}}}],'nsInfo':[{'ns':'db.p'}]}`, "", ""},
		{"ops.delete", `{'bulkWrite':1,'ops':[{'delete':0,'filter':{'a':1}}],'nsInfo':[{'ns':'db.p'}]}`, "", ""},
		{"$uniqueDocs", `{'find':'c','filter':{'a':{'$within':{'$center':[[0,0],1],'$uniqueDocs':true}}}}`, "", ""},
	})
}

// TestCommandsThatNameNoCollection checks the commands that hold no values of a collection.
func TestCommandsThatNameNoCollection(t *testing.T) {
	for name, want := range map[string]Class{
		"killAllSessionsByPattern": Bypassed, "createSearchIndex": Bypassed, "listSearchIndexes": Bypassed,
	} {
		target, err := Inspect("db", parse(t, `{'`+name+`':'c'}`))
		if err != nil || target.Class != want {
			t.Errorf("%s: %v, %v", name, target.Class, err)
		}
	}
}
