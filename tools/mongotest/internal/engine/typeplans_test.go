package engine_test

import (
	"strings"
	"testing"
)

// Each case checks the bounds of a condition on types or remainders, and which condition is still tested where: IXSCAN on the
// keys, FETCH on the documents.
func TestPlansOfTypesAndRemainders(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,m:[1,'x'],k:1,s:1},{_id:2,a:'x',m:3,k:'x',s:'x'},{_id:3,a:{b:1},k:2},{_id:4,a:null},{_id:5}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'},{key:{m:1},name:'m'},{key:{k:1},name:'k',collation:{locale:'en'}},{key:{s:-1},name:'s',sparse:true}]}`)
	const numbers = `['[nan.0, inf.0]']`
	for _, c := range []struct{ name, filter, bounds, keys, docs, found string }{
		{"numbers", `{a:{$type:'number'}}`, `{a:` + numbers + `}`, ``, ``, `1`},
		{"one kind of number", `{a:{$type:'int'}}`, `{a:` + numbers + `}`, `{a:{$type:[16]}}`, ``, `1`},
		{"texts", `{a:{$type:2}}`, `{a:['[\"\", {})']}`, `{a:{$type:[2]}}`, ``, `2`},
		{"texts and symbols", `{a:{$type:['symbol','string']}}`, `{a:['[\"\", {})']}`, ``, ``, `2`},
		{"documents", `{a:{$type:'object'}}`, `{a:['[{}, [])']}`, ``, ``, `3`},
		{"null", `{a:{$type:'null'}}`, `{a:['[null, null]']}`, ``, `{a:{$type:[10]}}`, `4`},
		{"arrays", `{a:{$type:'array'}}`, `{a:['[MinKey, MaxKey]']}`, ``, `{a:{$type:[4]}}`, ``},
		{"several", `{a:{$type:['number','bool','string']}}`, `{a:['[nan.0, inf.0]','[\"\", {})','[false, true]']}`, `{a:{$type:['number',2,8]}}`, ``, `1 2`},
		{"code", `{a:{$type:['javascript','regex','dbPointer']}}`, `{a:['[//, CodeWScope( , {}))']}`, ``, ``, ``},
		{"the ends", `{a:{$type:['minKey','maxKey']}}`, `{a:['[MinKey, MinKey]','[MaxKey, MaxKey]']}`, ``, ``, ``},
		{"over arrays", `{m:{$type:'string'}}`, `{m:['[\"\", {})']}`, ``, `{m:{$type:[2]}}`, `1`},
		{"numbers over arrays", `{m:{$type:'number'}}`, `{m:` + numbers + `}`, ``, ``, `1 2`},
		{"with a collation", `{k:{$type:'string'}}`, `{k:['[\"\", {})']}`, ``, `{k:{$type:[2]}}`, `2`},
		{"descending", `{s:{$type:'number'}}`, `{s:['[inf.0, nan.0]']}`, ``, ``, `1`},
		{"beside a range", `{a:{$type:'number',$gt:0}}`, `{a:['(0, inf.0]']}`, ``, ``, `1`},
		{"a remainder", `{a:{$mod:[2,1]}}`, `{a:` + numbers + `}`, `{a:{$mod:[2,1]}}`, ``, `1`},
		{"a remainder over arrays", `{m:{$mod:[2,1]}}`, `{m:` + numbers + `}`, ``, `{m:{$mod:[2,1]}}`, `1 2`},
		{"a remainder and a range", `{a:{$mod:[2,1],$lt:5}}`, `{a:['[-inf.0, 5)']}`, `{a:{$mod:[2,1]}}`, ``, `1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			explain := `{explain:{find:'c',filter:` + c.filter + `},verbosity:'queryPlanner'}`
			plan := s.run(t, explain).Lookup("queryPlanner", "winningPlan")
			s.want(t, explain, c.bounds, "queryPlanner", "winningPlan", "inputStage", "indexBounds")
			for path, want := range map[string]string{"filter": c.docs, "inputStage filter": c.keys} {
				if want != "" {
					s.want(t, explain, want, append([]string{"queryPlanner", "winningPlan"}, strings.Fields(path)...)...)
				} else if d, _ := plan.DocumentOK(); !d.Lookup(strings.Fields(path)...).IsZero() {
					t.Errorf("%s is %s", path, d.Lookup(strings.Fields(path)...))
				}
			}
			checkAnswers(t, s, []answer{{c.name, `{find:'c',filter:` + c.filter + `,sort:{_id:1}}`, "ids", c.found}})
		})
	}
	for _, c := range []struct{ name, filter string }{
		{"another type", `{a:{$not:{$type:'string'}}}`}, {"another remainder", `{a:{$not:{$mod:[2,1]}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.want(t, `{explain:{find:'c',filter:`+c.filter+`}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
		})
	}
}

// A condition that a field is there reads the keys of the field and of everything below it.
func TestPlansOfWildcardsBelowAPath(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1},{_id:2,a:{b:1,c:2}},{_id:3,a:{}},{_id:4,ab:1},{_id:5,a:{x:1}},{_id:6,a:null}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{'$**':1},name:'w',wildcardProjection:{'a.x':0}}]}`)
	const below = `{$_path:['[\"a\", \"a\"]','[\"a.\", \"a/\")'],a:['[MinKey, MaxKey]']}`
	for _, c := range []struct{ name, filter, bounds, left, found, keys string }{
		{"a field that is there", `{a:{$exists:true}}`, below, ``, `1 2 3 5 6`, `5`},
		{"a document", `{a:{$type:'object'}}`, below, `{a:{$type:[3]}}`, `2 3 5`, `5`},
		{"an array", `{a:{$type:'array'}}`, below, `{a:{$type:[4]}}`, ``, `5`},
		{"a number", `{a:{$type:'number'}}`, `{$_path:['[\"a\", \"a\"]'],a:['[nan.0, inf.0]']}`, ``, `1`, `1`},
		{"a remainder", `{'a.b':{$mod:[2,1]}}`, `{$_path:['[\"a.b\", \"a.b\"]'],'a.b':['[nan.0, inf.0]']}`, ``, `2`, `1`},
		{"anything but null", `{a:{$ne:null}}`, below, `{a:{$not:{$eq:null}}}`, `1 2 3 5`, `5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			explain := `{explain:{find:'c',filter:` + c.filter + `}}`
			s.want(t, explain, c.bounds, "queryPlanner", "winningPlan", "inputStage", "indexBounds")
			if d, _ := s.run(t, explain).Lookup("queryPlanner", "winningPlan").DocumentOK(); c.left != "" {
				s.want(t, explain, c.left, "queryPlanner", "winningPlan", "filter")
			} else if !d.Lookup("filter").IsZero() {
				t.Errorf("%s is still tested", d.Lookup("filter"))
			}
			s.want(t, explain, c.keys, "executionStats", "totalKeysExamined")
			checkAnswers(t, s, []answer{{c.name, `{find:'c',filter:` + c.filter + `,sort:{_id:1}}`, "ids", c.found}})
		})
	}
	input := []string{"queryPlanner", "winningPlan", "inputStage"}
	s.run(t, `{insert:'c',documents:[{_id:7,l:[{x:1}]}]}`)
	for _, c := range []struct{ name, path, isMultiKey, paths string }{
		{"a path without arrays", `a.b`, `false`, `{$_path:[],'a.b':[]}`}, {"a path below an array", `l.x`, `true`, `{$_path:[],'l.x':['l']}`},
	} {
		explain := `{explain:{find:'c',filter:{'` + c.path + `':1}}}`
		s.want(t, explain, c.isMultiKey, append(input, "isMultiKey")...)
		s.want(t, explain, c.paths, append(input, "multiKeyPaths")...)
	}
	s.run(t, `{update:'c',updates:[{q:{_id:2},u:{$set:{'a.b':[1]}}}]}`)
	s.want(t, `{explain:{find:'c',filter:{'a.b':1}}}`, `{$_path:[],'a.b':['a.b']}`, append(input, "multiKeyPaths")...)
	s.want(t, `{explain:{find:'c',filter:{a:{$exists:false}}}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a',sparse:true}]}`)
	s.want(t, `{explain:{find:'c',filter:{a:3}}}`, `'a'`, "queryPlanner", "winningPlan", "inputStage", "indexName")
}
