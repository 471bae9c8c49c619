package engine_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Each case is a filter, and what explain shows of its plan: the bounds, and what the keys and the documents are tested for.
func TestConditionsBoundIndexes(t *testing.T) {
	for _, tt := range []struct{ name, index, filter, bounds, keys, docs string }{
		{"null", `{key:{a:1}}`, `{a:null}`, `{a:['[null, null]']}`, ``, `{a:{$eq:null}}`},
		{"null in a list", `{key:{a:1}}`, `{a:{$in:[2,null]}}`, `{a:['[null, null]','[2, 2]']}`, ``, `{a:{$in:[null,2]}}`},
		{"no less than null", `{key:{a:1}}`, `{a:{$gte:null}}`, `{a:['[null, null]']}`, ``, `{a:{$gte:null}}`},
		{"other than null", `{key:{a:1},sparse:true}`, `{a:{$ne:null}}`, `{a:['[MinKey, null)','(null, MaxKey]']}`, ``, `{a:{$not:{$eq:null}}}`},
		{"a field exists", `{key:{a:1}}`, `{a:{$exists:true}}`, `{a:['[MinKey, MaxKey]']}`, ``, `{a:{$exists:true}}`},
		{"a field exists in a sparse index", `{key:{a:1},sparse:true}`, `{a:{$exists:true}}`, `{a:['[MinKey, MaxKey]']}`, ``, ``},
		{"a field does not exist", `{key:{a:1}}`, `{a:{$exists:false}}`, `{a:['[null, null]']}`, ``, `{a:{$not:{$exists:true}}}`},
		{"other than a value", `{key:{a:-1}}`, `{a:{$ne:3}}`, `{a:['[MaxKey, 3)','(3, MinKey]']}`, ``, ``},
		{"other than a list", `{key:{a:1}}`, `{a:{$nin:[3,1]}}`, `{a:['[MinKey, 1)','(1, 3)','(3, MaxKey]']}`, ``, ``},
		{"not above", `{key:{a:1}}`, `{a:{$not:{$gt:3}}}`, `{a:['[MinKey, 3]','(inf.0, MaxKey]']}`, ``, ``},
		{"a prefix", `{key:{a:1}}`, `{a:/^ab/}`, `{a:['["ab", "ac")','[/^ab/, /^ab/]']}`, ``, ``},
		{"a prefix and more", `{key:{a:1}}`, `{a:/^ab+c/}`, `{a:['["ab", "ac")','[/^ab+c/, /^ab+c/]']}`, `{a:{$regex:'^ab+c'}}`, ``},
		{"a pattern anywhere", `{key:{a:1}}`, `{a:{$regex:'b',$options:'i'}}`, `{a:['["", {})','[/b/i, /b/i]']}`, `{a:{$regex:'b',$options:'i'}}`, ``},
		{"an array", `{key:{a:1}}`, `{a:[1,2]}`, `{a:['[1, 1]','[[ 1, 2 ], [ 1, 2 ]]']}`, ``, `{a:{$eq:[1,2]}}`},
		{"the second field too", `{key:{a:1,b:1}}`, `{a:{$gt:1},b:2}`, `{a:['(1, inf.0]'],b:['[2, 2]']}`, ``, ``},
		{"the third field", `{key:{a:1,b:1,c:1}}`, `{a:1,c:2}`, `{a:['[1, 1]'],b:['[MinKey, MaxKey]'],c:['[2, 2]']}`, ``, ``},
		{"both ends of one element", `{key:{m:1}}`, `{m:{$elemMatch:{$gt:1,$lt:3}}}`, `{m:['(1, 3)']}`, ``, `{m:{$elemMatch:{$gt:1,$lt:3}}}`},
		{"two fields below an array", `{key:{'m.x':1,'m.y':1}}`, `{'m.x':1,'m.y':2}`, `{'m.x':['[1, 1]'],'m.y':['[MinKey, MaxKey]']}`, ``, `{'m.y':{$eq:2}}`},
		{"two fields of one element", `{key:{'m.x':1,'m.y':1}}`, `{m:{$elemMatch:{x:1,y:2}}}`, `{'m.x':['[1, 1]'],'m.y':['[2, 2]']}`, ``, `{m:{$elemMatch:{x:1,y:2}}}`},
		{"a partial index of fields that exist", `{key:{a:1},partialFilterExpression:{a:{$exists:true}}}`, `{a:{$gt:1}}`, `{a:['(1, inf.0]']}`, ``, ``},
		{"a condition twice", `{key:{a:1}}`, `{$and:[{a:{$gt:1}},{a:{$gt:2}}]}`, `{a:['(2, inf.0]']}`, ``, ``},
		{"conditions that exclude each other", `{key:{a:1}}`, `{a:{$gt:5,$lt:1}}`, `{a:[]}`, ``, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.run(t, `{createIndexes:'c',indexes:[`+strings.Replace(tt.index, `{`, `{name:'i',`, 1)+`]}`)
			s.run(t, `{insert:'c',documents:[{_id:1,a:1,m:[1,{x:1,y:2}]}]}`)
			filter := tt.filter
			for _, re := range []string{"^ab+c", "^ab"} {
				filter = strings.Replace(filter, `/`+re+`/`, `{$regularExpression:{pattern:'`+re+`',options:''}}`, 1)
			}
			fetch := s.run(t, `{explain:{find:'c',filter:`+filter+`}}`).Lookup("queryPlanner", "winningPlan")
			for _, want := range []struct {
				what string
				path []string
			}{{tt.bounds, []string{"inputStage", "indexBounds"}}, {tt.keys, []string{"inputStage", "filter"}}, {tt.docs, []string{"filter"}}} {
				got := bson.Raw(fetch.Value).Lookup(want.path...)
				if want.what == "" && got.IsZero() {
					continue
				}
				if wanted := parse(t, `{v:`+strings.ReplaceAll(strings.ReplaceAll(want.what, `"`, `\"`), `'`, `"`)+`}`).Lookup("v"); got.String() != wanted.String() {
					t.Errorf("%v is %s, want %s in %s", want.path, got, wanted, fetch)
				}
			}
		})
	}
}

// A plan reads the whole collection where no index has every document.
func TestConditionsThatNeedAScan(t *testing.T) {
	for _, tt := range []struct{ name, index, filter string }{
		{"null in a sparse index", `{key:{a:1},sparse:true}`, `{a:null}`},
		{"a missing field in a sparse index", `{key:{a:1},sparse:true}`, `{a:{$exists:false}}`},
		{"other values in a sparse index", `{key:{a:1},sparse:true}`, `{a:{$ne:3}}`},
		{"null in a partial index", `{key:{a:1},partialFilterExpression:{a:{$exists:true}}}`, `{a:{$in:[1,null]}}`},
		{"other than null in an index over arrays", `{key:{m:1}}`, `{m:{$ne:null}}`},
		{"other than an array", `{key:{a:1}}`, `{a:{$ne:[1]}}`},
		{"a pattern with a collation", `{key:{a:1},collation:{locale:'en'}}`, `{a:{$regex:'^a'}}`},
		{"text with another collation", `{key:{a:1},collation:{locale:'en'}}`, `{a:{$ne:'x'}}`},
		{"the second field alone", `{key:{a:1,b:1}}`, `{b:null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.run(t, `{createIndexes:'c',indexes:[`+strings.Replace(tt.index, `{`, `{name:'i',`, 1)+`]}`)
			s.run(t, `{insert:'c',documents:[{_id:1,a:1,m:[1,2]}]}`)
			s.want(t, `{explain:{find:'c',filter:`+tt.filter+`}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
		})
	}
}

// Before version 8.0, null equals undefined, and an index has undefined for an empty array.
func TestNullBoundsBeforeVersion8(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{name:'i',key:{a:1}}]}`)
	s.wire = wire.Server70
	reply := s.run(t, `{explain:{find:'c',filter:{a:null}}}`)
	got := reply.Lookup("queryPlanner", "winningPlan", "inputStage", "indexBounds", "a").String()
	if want := `["[undefined, undefined]","[null, null]"]`; got != want {
		t.Errorf("bounds %s, want %s", got, want)
	}
}
