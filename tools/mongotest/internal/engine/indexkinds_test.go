package engine_test

import (
	"strings"
	"testing"
)

// checkSameAnswers compares what queries find with an index and without it.
func checkSameAnswers(t *testing.T, s *server, index string, filters ...string) {
	t.Helper()
	find := func() (out []string) {
		for _, f := range filters {
			out = append(out, s.run(t, `{find:'c',filter:`+f+`,sort:{_id:1}}`).Lookup("cursor", "firstBatch").String())
		}
		return out
	}
	plain := find()
	s.run(t, `{createIndexes:'c',indexes:[`+index+`]}`)
	for i, got := range find() {
		if got != plain[i] {
			t.Errorf("%s: got %s, want %s", filters[i], got, plain[i])
		}
	}
}

func TestHashedIndexes(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:2},{_id:2,a:1.0,b:3},{_id:3,a:1.5},{_id:4,a:'abc',b:1},{_id:5},{_id:6,a:{x:1}},{_id:7,a:null}]}`)
	checkSameAnswers(t, s, `{key:{a:'hashed',b:1},name:'h'}`, `{a:1}`, `{a:{$in:[1,'abc',{x:1}]}}`, `{a:1,b:{$gt:2}}`, `{a:{$gt:1}}`, `{a:null}`, `{a:{$exists:false}}`)
	plan := []string{"queryPlanner", "winningPlan"}
	s.want(t, `{explain:{find:'c',filter:{a:'abc'}}}`, `{a:['[8478485326885698097, 8478485326885698097]'],b:['[MinKey, MaxKey]']}`, append(plan, "inputStage", "indexBounds")...)
	s.want(t, `{explain:{find:'c',filter:{a:'abc'}}}`, `{a:{$eq:'abc'}}`, append(plan, "filter")...)
	s.want(t, `{explain:{find:'c',filter:{a:{$gt:1}}}}`, `'COLLSCAN'`, append(plan, "stage")...)
	s.want(t, `{explain:{find:'c',filter:{a:'abc'}},verbosity:'executionStats'}`, `1`, "executionStats", "totalDocsExamined")
	s.want(t, `{explain:{find:'c',sort:{a:1}}}`, `'SORT'`, append(plan, "stage")...)
	s.wantWriteFailure(t, `{insert:'c',documents:[{a:[1,2]}]}`, 16766, "hashed indexes do not currently support array values")
	s.run(t, `{update:'c',updates:[{q:{a:'abc'},u:{$set:{a:'abd'}}}]}`)
	s.wantFound(t, `{find:'c',filter:{a:'abd'}}`, `[{_id:4,a:'abd',b:1}]`)
	s.wantFound(t, `{find:'c',filter:{a:'abc'}}`, `[]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$match:{_id:5}},{$project:{h:{$toHashedIndexKey:'abc'},m:{$toHashedIndexKey:'$none'}}}]}`,
		`[{_id:5,h:{$numberLong:'8478485326885698097'},m:{$numberLong:'2338878944348059895'}}]`)
}

func TestWildcardIndexes(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:{b:1,c:'x'},d:5},{_id:2,a:{b:[1,2,{e:3}]},d:1},{_id:3,a:[{b:1},{b:7}]},{_id:4,a:{}},{_id:5,a:[],d:[]},
		{_id:6,a:null,d:7},{_id:7,a:[[1]],d:{z:1}},{_id:8,d:3.5}]}`)
	filters := []string{`{'a.b':1}`, `{'a.b':{$gt:1}}`, `{'a.b':{$gte:1,$lt:3}}`, `{'a.b.e':3}`, `{d:{$in:[1,7]}}`, `{d:{$gt:1,$lt:6}}`, `{a:{}}`,
		`{a:{b:1,c:'x'}}`, `{a:[]}`, `{a:null}`, `{'a.0.b':1}`, `{'a.c':'x',d:5}`, `{d:{z:1}}`, `{a:[1]}`, `{a:{$exists:true}}`}
	checkSameAnswers(t, s, `{key:{'$**':1},name:'w'}`, filters...)
	plan := []string{"queryPlanner", "winningPlan"}
	s.want(t, `{explain:{find:'c',filter:{'a.b':1}}}`, `{$_path:1,'a.b':1}`, append(plan, "inputStage", "keyPattern")...)
	s.want(t, `{explain:{find:'c',filter:{'a.b':1}}}`, `{$_path:['[\"a.b\", \"a.b\"]'],'a.b':['[1, 1]']}`, append(plan, "inputStage", "indexBounds")...)
	s.want(t, `{explain:{find:'c',filter:{_id:{$gt:7}}}}`, `'_id_'`, append(plan, "inputStage", "indexName")...)
	for _, c := range []struct{ name, index, filter, want string }{
		{"below a root", `{key:{'a.$**':1},name:'w'}`, `{'a.b':1}`, "w"},
		{"not below a root", `{key:{'a.$**':1},name:'w'}`, `{d:1}`, ""},
		{"of named paths", `{key:{'$**':1},name:'w',wildcardProjection:{d:1,'a.c':1}}`, `{'a.c':'x'}`, "w"},
		{"of no other path", `{key:{'$**':1},name:'w',wildcardProjection:{d:1,'a.c':1}}`, `{'a.b':1}`, ""},
		{"of all but named paths", `{key:{'$**':1},name:'w',wildcardProjection:{a:0}}`, `{d:1}`, "w"},
		{"of a path that is left out", `{key:{'$**':1},name:'w',wildcardProjection:{a:0}}`, `{'a.b':1}`, ""},
		{"with a field before", `{key:{d:1,'$**':1},name:'w',wildcardProjection:{a:1}}`, `{d:5,'a.b':1}`, "w"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.run(t, `{dropIndexes:'c',index:'*'}`)
			checkSameAnswers(t, s, c.index, filters...)
			got := s.run(t, `{explain:{find:'c',filter:`+c.filter+`}}`).String()
			if used := strings.Contains(got, `"indexName":"w"`); used != (c.want != "") {
				t.Errorf("explain is %s", got)
			}
		})
	}
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{'$**':1},name:'w',wildcardProjection:{}}]}`, 9, "The 'wildcardProjection' field can't be an empty object")
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{'a.$**':1},name:'w',wildcardProjection:{a:1}}]}`, 9, "is only allowed when 'key' is")
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{a:1,'$**':1},name:'w'}]}`, 67, "needs a 'wildcardProjection'")
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{'a.$**':1,'b.$**':1},name:'w'}]}`, 7246201, "one wildcard field only")
	s.wantFailure(t, `{createIndexes:'x',indexes:[{key:{'a.b.c':1,'a.b.$**':1},name:'w'}]}`, 7246204, "'a.b.c'")
	s.run(t, `{createIndexes:'x',indexes:[{key:{'a.bc':1,'a.b.$**':1,d:1},name:'w'}]}`)
}

func TestPlansOfBranches(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:2,c:1},{_id:2,a:1,b:3},{_id:3,a:2,b:2},{_id:4,a:[1,9],b:[2,3]},{_id:5,c:8}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'},{key:{b:1},name:'b'}]}`)
	plan := []string{"queryPlanner", "winningPlan"}
	either := `{explain:{find:'c',filter:{$or:[{a:1},{b:2}]}}}`
	s.want(t, either, `'SUBPLAN'`, append(plan, "stage")...)
	s.want(t, either, `'OR'`, append(plan, "inputStage", "inputStage", "stage")...)
	s.want(t, either, `'b'`, append(plan, "inputStage", "inputStage", "inputStages", "1", "indexName")...)
	s.want(t, `{explain:{find:'c',filter:{$or:[{a:1},{c:8}]}}}`, `'COLLSCAN'`, append(plan, "stage")...)
	s.wantFound(t, `{find:'c',filter:{$or:[{a:1},{b:2}]},projection:{_id:1}}`, `[{_id:1},{_id:2},{_id:4},{_id:3}]`)
	s.wantFound(t, `{find:'c',filter:{c:1,$or:[{a:1},{b:2}]},projection:{_id:1}}`, `[{_id:1}]`)
	s.wantFound(t, `{find:'c',filter:{$or:[{a:1},{b:2}]},projection:{_id:1},sort:{_id:-1}}`, `[{_id:4},{_id:3},{_id:2},{_id:1}]`)
}
