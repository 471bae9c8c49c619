package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// TestReadOfOneIDIsLikeAnyOther compares finds that take a short cut with the same finds with a skip of 0, which do
// not.
func TestReadOfOneIDIsLikeAnyOther(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[
		{_id:1,a:1},{_id:{$numberLong:'9007199254740993'}},{_id:2.5},{_id:'text'},{_id:''},{_id:{$oid:'5f5f5f5f5f5f5f5f5f5f5f5f'}},
		{_id:{$binary:{base64:'AAEC',subType:'04'}}},{_id:{$date:'2020-01-01T00:00:00Z'}},{_id:{$numberDouble:'NaN'}},
		{_id:{$numberDecimal:'7.0'}},{_id:{b:1}},{_id:null},{_id:true},{_id:0}]}`)
	s.run(t, `{create:'folded',collation:{locale:'en',strength:2}}`)
	s.run(t, `{insert:'folded',documents:[{_id:'Text'}]}`)
	s.run(t, `{create:'seen',viewOn:'c',pipeline:[{$set:{seen:true}}]}`)
	for _, id := range []string{
		`1`, `1.0`, `{$numberLong:'1'}`, `{$numberDecimal:'1'}`, `{$numberLong:'9007199254740993'}`, `{$numberDouble:'9007199254740992.0'}`,
		`2.5`, `2`, `'text'`, `'Text'`, `''`, `{$oid:'5f5f5f5f5f5f5f5f5f5f5f5f'}`, `{$binary:{base64:'AAEC',subType:'04'}}`,
		`{$binary:{base64:'AAEC',subType:'00'}}`, `{$date:'2020-01-01T00:00:00Z'}`, `{$numberDouble:'NaN'}`, `7`, `{b:1}`, `null`, `true`,
		`{$numberDouble:'-0.0'}`, `{$gt:5}`, `{$regularExpression:{pattern:'t',options:''}}`, `[1]`, `{$unknown:1}`,
	} {
		for _, collection := range []string{"c", "folded", "seen", "missing"} {
			for _, rest := range []string{
				``, `,limit:1`, `,limit:1,singleBatch:true`, `,limit:0`, `,limit:-1`, `,limit:'x'`, `,singleBatch:'x'`, `,batchSize:0`,
				`,collation:{locale:'en',strength:2}`, `,projection:{_id:0}`, `,nothing:1`, `,find:'c'`, `,limit:1.5`, `,comment:'why'`,
				`,maxTimeMS:1000`, `,maxTimeMS:'x'`, `,maxTimeMS:-1`, `,readConcern:{level:'local'}`,
			} {
				command := fmt.Sprintf("{find:'%s',filter:{_id:%s}%s", collection, id, rest)
				got, err := s.try(t, command+"}")
				want, wantErr := s.try(t, command+",skip:0}")
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || rest != ",batchSize:0" && got.String() != want.String() {
					t.Errorf("%s}\n got %v %v\nwant %v %v", command, got, err, want, wantErr)
				}
			}
		}
	}
}

func TestReadOfOneIDAllocatesLittle(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1},{_id:2}]}`)
	body := parse(t, `{find:'c',filter:{_id:2},limit:1,singleBatch:true,lsid:{id:1},$db:'db'}`)
	r := &engine.Request{Name: "find", DB: "db", Body: body, WireVersion: s.wire}
	dst := make([]byte, 0, 1024)
	run := s.commands["find"]
	if n := testing.AllocsPerRun(100, func() {
		if _, err := run(s.Engine, context.Background(), r, dst); err != nil {
			t.Fatal(err)
		}
	}); n > 3 {
		t.Errorf("%v allocations", n)
	}
}
