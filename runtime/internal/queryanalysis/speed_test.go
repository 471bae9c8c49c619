package queryanalysis

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// twentyFields is an insert of 20 fields, four of them encrypted.
func twentyFields(t testing.TB) bson.Raw {
	return parse(t, `{'insert':'c','documents':[{'_id':1,'a0':'text','a1':1,'a2':2.5,'a3':true,'det':'123-45-6789','a4':'text',
		'a5':{'b':1,'c':[1,2,3]},'a6':'text','same':'some','a7':7,'a8':8,'a9':9,'rand':'secret','b0':'text','b1':'text',
		'b2':'text','b3':[1,2,3],'other':5,'b4':'text'}]}`)
}

func analyzeInsert(t testing.TB, cmd bson.Raw, all Schemas) {
	target, err := Inspect("db", cmd)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Analyze(target, cmd, all); err != nil || !r.Marked {
		t.Fatal(err)
	}
}

// TestInsertAllocates checks the budget of an insert: the result, the list of collections and the state of the
// analysis.
func TestInsertAllocates(t *testing.T) {
	cmd, all := twentyFields(t), schemas(t)
	if n := testing.AllocsPerRun(100, func() { analyzeInsert(t, cmd, all) }); n > 4 {
		t.Errorf("%v allocations, want at most 4", n)
	}
}

func BenchmarkInsert(b *testing.B) {
	cmd, all := twentyFields(b), schemas(b)
	b.ReportAllocs()
	for b.Loop() {
		analyzeInsert(b, cmd, all)
	}
}

func BenchmarkFind(b *testing.B) {
	all := schemas(b)
	cmd := parse(b, `{'find':'c','filter':{'det':'123-45-6789','a':{'$gt':5}},'limit':1}`)
	target, err := Inspect("db", cmd)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Analyze(target, cmd, all); err != nil || !r.Marked {
			b.Fatal(err)
		}
	}
}
