package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// $lookup finds its documents by an index, with a field and with a pipeline. Each form has 200 documents that look for one of
// 50,000; without the index that takes seconds.
func TestLookupUsesIndexes(t *testing.T) {
	s := newServer(t)
	for from := 0; from < 50_000; from += 10_000 {
		var docs strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&docs, `,{_id:%d,n:%d}`, from+i, from+i)
		}
		s.run(t, `{insert:'many',documents:[`+docs.String()[1:]+`]}`)
	}
	var docs strings.Builder
	for i := range 200 {
		fmt.Fprintf(&docs, `,{_id:%d,x:%d}`, i, i*7)
	}
	s.run(t, `{insert:'few',documents:[`+docs.String()[1:]+`]}`)
	s.run(t, `{createIndexes:'many',indexes:[{key:{n:1},name:'n'}]}`)
	for name, lookup := range map[string]string{
		"a field":                 `localField:'x',foreignField:'n'`,
		"a pipeline":              `let:{x:'$x'},pipeline:[{$match:{$expr:{$eq:['$n','$$x']}}}]`,
		"a range in a pipeline":   `let:{x:'$x'},pipeline:[{$match:{$expr:{$and:[{$gte:['$n','$$x']},{$lt:['$n',{$add:['$$x',1]}]}]}}}]`,
		"a field with a pipeline": `localField:'x',foreignField:'n',pipeline:[{$project:{n:1}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			before := countAccesses(t, s)
			s.wantFound(t, `{aggregate:'few',cursor:{},pipeline:[{$lookup:{from:'many',as:'o',`+lookup+`}},{$match:{'o.0.n':{$exists:true},'o.1':{$exists:false}}},{$count:'n'}]}`, `[{n:200}]`)
			if n := countAccesses(t, s) - before; n < 200 {
				t.Errorf("the index was used %d times", n)
			}
		})
	}
}

// countAccesses returns how often the index n of the collection many was used.
func countAccesses(t *testing.T, s *server) int64 {
	t.Helper()
	n, _ := s.run(t, `{aggregate:'many',cursor:{},pipeline:[{$indexStats:{}},{$match:{name:'n'}}]}`).Lookup("cursor", "firstBatch", "0", "accesses", "ops").AsInt64OK()
	return n
}
