package engine_test

import (
	"strings"
	"testing"
)

// Each case checks what explain says about a plan's use of its index.
func TestPlans(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:2,m:[1,2]},{_id:2,a:2,b:1,m:[3]},{_id:3,a:3,b:2}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1,b:-1},name:'ab'},{key:{m:1},name:'m'},{key:{b:1},name:'b'}]}`)
	const bounds, fetch = "queryPlanner winningPlan inputStage indexBounds", "queryPlanner winningPlan"
	for _, c := range []struct{ name, find, path, want string }{
		{"$expr has bounds", `filter:{$expr:{$gt:['$a',1]}}`, bounds, `{a:['(1, MaxKey]'],b:['[MaxKey, MinKey]']}`},
		{"$expr is still tested", `filter:{$expr:{$eq:['$a',1]}}`, fetch + " filter", `{$expr:{$eq:['$a',1]}}`},
		{"two fields have bounds", `filter:{a:{$in:[3,1]},b:{$lt:5}}`, bounds, `{a:['[1, 1]','[3, 3]'],b:['(5, -inf.0]']}`},
		{"only what no bound says is tested", `filter:{a:{$gt:1,$lte:3},c:2}`, fetch + " filter", `{c:{$eq:2}}`},
		{"a whole filter is bounds", `filter:{a:{$gt:1,$lte:3}}`, fetch + " inputStage stage", `'IXSCAN'`},
		{"a sort by the index", `sort:{a:-1,b:1}`, fetch + " inputStage direction", `'backward'`},
		{"a sort against the index", `sort:{a:1,b:1}`, fetch + " stage", `'SORT'`},
		{"a sort behind a fixed field", `filter:{a:1},sort:{b:1}`, fetch + " stage", `'FETCH'`},
		{"a covered query", `filter:{a:1},projection:{_id:0,a:1,b:1}`, fetch + " stage", `'PROJECTION_COVERED'`},
		{"a query that is not covered", `filter:{a:1},projection:{a:1,b:1}`, fetch + " stage", `'PROJECTION_SIMPLE'`},
		{"an index over arrays", `filter:{m:3}`, fetch + " inputStage isMultiKey", `true`},
		{"one end over arrays", `filter:{m:{$gt:1,$lt:3}}`, bounds, `{m:['[-inf.0, 3)']}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.want(t, `{explain:{find:'c',`+c.find+`}}`, c.want, strings.Fields(c.path)...)
		})
	}
	s.want(t, `{explain:{find:'c',filter:{a:2}},verbosity:'executionStats'}`, `1`, "executionStats", "totalKeysExamined")
	s.want(t, `{explain:{find:'c',filter:{a:2},projection:{_id:0,a:1}},verbosity:'executionStats'}`, `0`, "executionStats", "totalDocsExamined")
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{$push:{m:{$each:[],$sort:1}}}}]}`, `0`, "nModified")
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{$push:{m:{$each:[],$sort:-1}}}}]}`, `1`, "nModified")
}

// A count reads keys alone where they say enough, and nothing without a query.
func TestPlansOfCounts(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:2},{_id:2,a:2,b:1},{_id:3,a:3,b:2}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1,b:-1},name:'ab'}]}`)
	const scan = "queryPlanner winningPlan inputStage"
	for _, c := range []struct{ name, count, path, want string }{
		{"all documents", ``, "queryPlanner winningPlan stage", `'RECORD_STORE_FAST_COUNT'`},
		{"all documents are not examined", ``, "executionStats totalDocsExamined", `0`},
		{"some documents with a limit", `,limit:1`, scan + " stage", `'LIMIT'`},
		{"one value", `,query:{a:1}`, scan + " stage", `'COUNT_SCAN'`},
		{"its keys", `,query:{a:1,b:{$lt:5}}`, scan + " indexBounds", `{startKey:{a:1,b:5},startKeyInclusive:false,endKey:{a:1,b:{$numberDouble:'-Infinity'}},endKeyInclusive:true}`},
		{"documents are not examined", `,query:{a:{$gte:2}}`, "executionStats totalDocsExamined", `0`},
		{"keys are", `,query:{a:{$gte:2}}`, "executionStats totalKeysExamined", `2`},
		{"two ranges", `,query:{a:{$in:[1,3]}}`, scan + " stage", `'FETCH'`},
		{"a condition on the document", `,query:{a:1,x:1}`, scan + " stage", `'FETCH'`},
		{"null", `,query:{a:null}`, scan + " stage", `'FETCH'`},
		{"no index", `,query:{x:1}`, scan + " stage", `'COLLSCAN'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.want(t, `{explain:{count:'c'`+c.count+`}}`, c.want, strings.Fields(c.path)...)
		})
	}
}

// $queryStats has no documents, and checks what it is asked for.
func TestQueryStats(t *testing.T) {
	s := newServer(t)
	on := func(db, spec string) string {
		return `{aggregate:1,cursor:{},pipeline:[{$queryStats:` + spec + `}],$db:'` + db + `'}`
	}
	s.wantFound(t, on("admin", `{}`), `[]`)
	s.wantFound(t, on("admin", `{transformIdentifiers:{algorithm:'hmac-sha-256',hmacKey:{$binary:{base64:'',subType:'08'}}}}`), `[]`)
	s.wantFailure(t, on("db", `{}`), 73, "must be run against the 'admin' database")
	s.wantFailure(t, on("admin", `1`), 9, "must be an object")
	s.wantFailure(t, on("admin", `{x:1}`), 40415, "unknown field")
	s.wantFailure(t, on("admin", `{transformIdentifiers:{algorithm:'md5'}}`), 2, "not a valid value")
	s.wantFailure(t, on("admin", `{transformIdentifiers:{}}`), 40414, "missing")
}
