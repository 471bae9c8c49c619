package engine_test

import (
	"strings"
	"testing"
)

// The server skips from one value of an index to the next if its keys tell the values and the bounds say all of the query.
func TestPlansOfDistinct(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:3,b:2,m:[3,1],x:{y:2},d:1},{_id:2,a:1,b:1,m:[2],x:{y:1},d:2},{_id:3,a:1,b:2,m:[9],x:{y:1},d:2},{_id:4,a:2,b:2,z:1}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1,b:1},name:'ab'},{key:{m:1},name:'m'},{key:{'x.y':1},name:'xy'},{key:{d:-1},name:'d'},{key:{m:1,b:1},name:'mb'},
		{key:{z:1},name:'z',partialFilterExpression:{z:{$exists:true}}},{key:{h:'hashed'},name:'h'},{key:{l:1},name:'l',collation:{locale:'en'}}]}`)
	const covered, scan = "PROJECTION_COVERED DISTINCT_SCAN", "DISTINCT_SCAN"
	for _, c := range []struct{ name, distinct, stages, values string }{
		{"all values", `key:'a'`, covered, `[1,2,3]`},
		{"a range of the field", `key:'a',query:{a:{$gte:2}}`, covered, `[2,3]`},
		{"behind one value", `key:'b',query:{a:1}`, covered, `[1,2]`},
		{"behind a range", `key:'b',query:{a:{$lt:3}}`, covered, `[1,2]`},
		{"not the first field", `key:'b'`, "COLLSCAN", `[2,1]`},
		{"a condition on another field", `key:'a',query:{_id:{$gt:1}}`, "FETCH IXSCAN", `[1,2]`},
		{"a condition that is tested", `key:'a',query:{a:{$mod:[2,1]}}`, "FETCH IXSCAN", `[1,3]`},
		{"elements of arrays", `key:'m'`, covered, `[1,2,3,9]`},
		{"some elements", `key:'m',query:{m:3}`, "FETCH IXSCAN", `[3,1]`},
		{"a field behind arrays", `key:'b',query:{m:{$gt:2}}`, covered, `[2]`},
		{"a path", `key:'x.y'`, "PROJECTION_DEFAULT " + scan, `[1,2]`},
		{"descending", `key:'d'`, covered, `[2,1]`},
		{"_id", `key:'_id',query:{_id:{$gt:2}}`, covered, `[3,4]`},
		{"a partial index", `key:'z'`, "COLLSCAN", `[1]`},
		{"a partial index that suffices", `key:'z',query:{z:{$gt:0}}`, covered, `[1]`},
		{"a hashed index", `key:'h'`, "COLLSCAN", `[]`},
		{"another collation", `key:'l'`, "COLLSCAN", `[]`},
		{"its collation", `key:'l',collation:{locale:'en'}`, "FETCH " + scan, `[]`},
		{"a hint", `key:'a',query:{a:1},hint:'ab'`, covered, `[1]`},
		{"a hint elsewhere", `key:'a',query:{a:1},hint:'m'`, "FETCH IXSCAN", `[1]`},
		{"a hint to scan", `key:'a',query:{a:1},hint:{$natural:1}`, "COLLSCAN", `[1]`},
		{"a query that asks for nothing", `key:'a',query:{$comment:'x'}`, "COLLSCAN", `[3,1,2]`},
		{"an empty condition", `key:'a',query:{$and:[{}]}`, "COLLSCAN", `[3,1,2]`},
		{"no index", `key:'n'`, "COLLSCAN", `[]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := []string{"queryPlanner", "winningPlan"}
			for _, stage := range strings.Fields(c.stages) {
				s.want(t, `{explain:{distinct:'c',`+c.distinct+`}}`, `'`+stage+`'`, append(path, "stage")...)
				path = append(path, "inputStage")
			}
			s.want(t, `{distinct:'c',`+c.distinct+`}`, c.values, "values")
		})
	}
	explain := `{explain:{distinct:'c',key:'a',query:{a:{$gt:1}}},verbosity:'executionStats'}`
	for path, want := range map[string]string{
		"queryPlanner winningPlan transformBy": `{_id:0,a:1}`, "queryPlanner winningPlan inputStage indexName": `'ab'`,
		"queryPlanner winningPlan inputStage indexBounds": `{a:['(1, inf.0]'],b:['[MinKey, MaxKey]']}`,
		"queryPlanner parsedQuery":                        `{a:{$gt:1}}`,
		"executionStats nReturned":                        `2`, "executionStats totalKeysExamined": `2`, "executionStats totalDocsExamined": `0`,
	} {
		s.want(t, explain, want, strings.Fields(path)...)
	}
}
