package engine_test

import "testing"

// $indexStats counts each command that reads an index, whatever it finds, and no explain.
func TestIndexStats(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:1},{_id:2,a:2,b:2}]}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'},{key:{b:1},name:'b'}]}`)
	used := func(id, a, b int64) {
		t.Helper()
		for name, want := range map[string]int64{"_id_": id, "a": a, "b": b} {
			reply := s.run(t, `{aggregate:'c',cursor:{},pipeline:[{$indexStats:{}},{$match:{name:'`+name+`'}}]}`)
			if got, _ := reply.Lookup("cursor", "firstBatch", "0", "accesses", "ops").AsInt64OK(); got != want {
				t.Errorf("%s was used %d times, not %d", name, got, want)
			}
		}
	}
	used(0, 0, 0)
	for _, command := range []string{`{find:'c',filter:{a:1}}`, `{find:'c',filter:{a:9}}`, `{count:'c',query:{a:{$gt:0}}}`, `{distinct:'c',key:'a'}`} {
		s.run(t, command)
	}
	used(0, 4, 0)
	s.run(t, `{update:'c',updates:[{q:{b:1},u:{$set:{x:1}}},{q:{_id:1},u:{$set:{x:2}}}]}`)
	s.run(t, `{find:'c',filter:{_id:1}}`)
	s.run(t, `{find:'c',filter:{_id:1,a:1}}`)
	s.run(t, `{find:'c',filter:{x:1}}`)
	s.run(t, `{explain:{find:'c',filter:{a:1}}}`)
	used(3, 4, 1)
	s.run(t, `{find:'c',filter:{$or:[{a:1},{b:2}]}}`)
	used(3, 5, 2)
	s.run(t, `{dropIndexes:'c',index:'a'}`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`)
	used(3, 0, 2)
}
