package engine_test

import "testing"

// Query Optimization, "Covered Query": the index has all fields of the query and all that are returned.
func TestExplainNamesTheProjection(t *testing.T) {
	s := newStock(t)
	s.run(t, `{insert:'u',documents:[{_id:1,type:'food',item:'a',size:{h:1}},{_id:2,type:'food',item:'b'},{_id:3,type:'toy'}]}`)
	s.run(t, `{createIndexes:'u',indexes:[{key:{type:1,item:1},name:'ti'},{key:{tags:1},name:'tags'}]}`)
	s.run(t, `{insert:'m',documents:[{_id:1,tags:['x','y']}]}`)
	s.run(t, `{createIndexes:'m',indexes:[{key:{tags:1},name:'tags'}]}`)
	for _, tt := range []struct{ name, find, stage, input, docs string }{
		{"covered", `{find:'u',filter:{type:'food'},projection:{item:1,_id:0}}`, `'PROJECTION_COVERED'`, `'IXSCAN'`, `0`},
		{"_id is not in the index", `{find:'u',filter:{type:'food'},projection:{item:1}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"a field is not in the index", `{find:'u',filter:{type:'food'},projection:{x:1,_id:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"the filter needs the document", `{find:'u',filter:{type:'food',x:null},projection:{item:1,_id:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"a null may be a missing field", `{find:'u',filter:{type:'toy',item:null},projection:{item:1,_id:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `1`},
		{"arrays", `{find:'m',filter:{tags:'x'},projection:{tags:1,_id:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `1`},
		{"exclusion", `{find:'u',filter:{type:'food'},projection:{item:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"exclusion beside _id", `{find:'u',filter:{type:'food'},projection:{item:0,_id:1}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"exclusion of _id", `{find:'u',filter:{type:'food'},projection:{_id:0}}`, `'PROJECTION_SIMPLE'`, `'FETCH'`, `2`},
		{"a dotted field", `{find:'u',filter:{type:'food'},projection:{'size.h':1,_id:0}}`, `'PROJECTION_DEFAULT'`, `'FETCH'`, `2`},
		{"an expression", `{find:'u',filter:{type:'food'},projection:{x:{$toUpper:'$item'}}}`, `'PROJECTION_DEFAULT'`, `'FETCH'`, `2`},
		{"a scan", `{find:'u',projection:{item:1}}`, `'PROJECTION_SIMPLE'`, `'COLLSCAN'`, `3`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			explain := `{explain:` + tt.find + `}`
			s.want(t, explain, tt.stage, "queryPlanner", "winningPlan", "stage")
			s.want(t, explain, tt.input, "queryPlanner", "winningPlan", "inputStage", "stage")
			s.want(t, explain, tt.docs, "executionStats", "totalDocsExamined")
		})
	}
}
