package engine_test

import "testing"

func TestExplainShowsBounds(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1,b:-1},name:'ab'},{key:{tags:1},name:'tags'},{key:{n:1},name:'n',sparse:true}]}`)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:1,tags:['x','y'],n:1},{_id:2,a:2,b:2,tags:'z'},{_id:3,a:3,b:'three'}]}`)
	for _, tt := range []struct{ name, filter, bounds, filterLeft, docs string }{
		{"one value", `{a:1}`, `{a:['[1, 1]'],b:['[MaxKey, MinKey]']}`, ``, `1`},
		{"value and range", `{a:2,b:{$gt:1}}`, `{a:['[2, 2]'],b:['[inf.0, 1)']}`, ``, `1`},
		{"range with both ends", `{a:{$gte:1,$lt:3}}`, `{a:['[1, 3)'],b:['[MaxKey, MinKey]']}`, ``, `2`},
		{"list", `{a:{$in:[3,1,3]}}`, `{a:['[1, 1]','[3, 3]'],b:['[MaxKey, MinKey]']}`, ``, `2`},
		{"text", `{a:3,b:{$gte:'t'}}`, `{a:['[3, 3]'],b:['({}, \"t\"]']}`, ``, `1`},
		{"another field", `{a:1,x:null}`, `{a:['[1, 1]'],b:['[MaxKey, MinKey]']}`, `{x:{$eq:null}}`, `1`},
		{"one of two operators", `{a:{$gt:1,$exists:true}}`, `{a:['(1, inf.0]'],b:['[MaxKey, MinKey]']}`, `{a:{$exists:true}}`, `2`},
		{"range over arrays", `{tags:{$gt:'x',$lt:'z'}}`, `{tags:['[\"\", \"z\")']}`, `{tags:{$gt:'x'}}`, `1`},
		{"$expr", `{$expr:{$eq:['$a',{$add:[1,1]}]}}`, `{a:['[2, 2]'],b:['[MaxKey, MinKey]']}`, `{$expr:{$eq:['$a',{$add:[1,1]}]}}`, `1`},
		{"$expr the other way round", `{$expr:{$and:[{$lt:[2,'$a']},{$ne:['$b',1]}]}}`, `{a:['(2, MaxKey]'],b:['[MaxKey, MinKey]']}`, `{$expr:{$and:[{$lt:[2,'$a']},{$ne:['$b',1]}]}}`, `1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			explain := `{explain:{find:'c',filter:` + tt.filter + `}}`
			s.want(t, explain, tt.bounds, "queryPlanner", "winningPlan", "inputStage", "indexBounds")
			if v := s.run(t, explain).Lookup("queryPlanner", "winningPlan", "filter"); tt.filterLeft != "" {
				s.want(t, explain, tt.filterLeft, "queryPlanner", "winningPlan", "filter")
			} else if !v.IsZero() {
				t.Errorf("%s is still tested", v)
			}
			s.want(t, explain, tt.docs, "executionStats", "totalDocsExamined")
		})
	}
	for _, tt := range []struct{ name, filter string }{
		{"arrays are compared as a whole", `{$expr:{$eq:['$tags','x']}}`}, {"a sparse index lacks what is missing", `{$expr:{$lt:['$n',5]}}`},
		{"both sides are fields", `{$expr:{$eq:['$a','$b']}}`}, {"a condition that need not hold", `{$expr:{$or:[{$eq:['$a',1]},{$eq:['$x',1]}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.want(t, `{explain:{find:'c',filter:`+tt.filter+`}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
		})
	}
}
