package engine_test

import "testing"

func TestFindProjections(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:1,b:{c:2,d:3},arr:[5,6,7,8],docs:[{x:1,y:1},{x:2,y:2},{x:2,y:3}]}]}`)
	tests := []struct{ name, filter, projection, want string }{
		{"inclusion", `{}`, `{a:1}`, `{_id:1,a:1}`},
		{"inclusion without _id", `{}`, `{a:1,_id:0}`, `{a:1}`},
		{"only _id", `{}`, `{_id:1}`, `{_id:1}`},
		{"exclusion", `{}`, `{arr:0,docs:0,b:0}`, `{_id:1,a:1}`},
		{"exclusion of _id", `{}`, `{_id:0,arr:0,docs:0}`, `{a:1,b:{c:2,d:3}}`},
		{"nested inclusion", `{}`, `{'b.c':1}`, `{_id:1,b:{c:2}}`},
		{"nested as a document", `{}`, `{b:{d:1}}`, `{_id:1,b:{d:3}}`},
		{"nested exclusion", `{}`, `{'b.c':0,arr:0,docs:0}`, `{_id:1,a:1,b:{d:3}}`},
		{"in arrays", `{}`, `{'docs.x':1}`, `{_id:1,docs:[{x:1},{x:2},{x:2}]}`},
		{"$slice keeps the rest", `{}`, `{arr:{$slice:2},docs:{$slice:-1}}`, `{_id:1,a:1,b:{c:2,d:3},arr:[5,6],docs:[{x:2,y:3}]}`},
		{"$slice with skip", `{}`, `{a:1,arr:{$slice:[1,2]}}`, `{_id:1,a:1,arr:[6,7]}`},
		{"$slice from the end", `{}`, `{_id:1,a:1,arr:{$slice:[-3,2]}}`, `{_id:1,a:1,arr:[6,7]}`},
		{"$elemMatch", `{}`, `{docs:{$elemMatch:{x:2}}}`, `{_id:1,docs:[{x:2,y:2}]}`},
		{"$elemMatch without a match", `{}`, `{docs:{$elemMatch:{x:9}}}`, `{_id:1}`},
		{"positional", `{arr:{$gt:6}}`, `{'arr.$':1}`, `{_id:1,arr:[7]}`},
		{"positional of documents", `{'docs.y':3}`, `{'docs.$':1}`, `{_id:1,docs:[{x:2,y:3}]}`},
		{"expression", `{}`, `{v:{$add:['$a',1]},_id:0}`, `{v:2}`},
		{"renaming", `{}`, `{q:'$b.d'}`, `{_id:1,q:3}`},
		{"literal", `{}`, `{q:{$literal:1}}`, `{_id:1,q:1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.wantFound(t, `{find:'c',filter:`+tt.filter+`,projection:`+tt.projection+`}`, `[`+tt.want+`]`)
		})
	}
	s.wantFailure(t, `{find:'c',projection:{a:1,b:0}}`, 31254, `Cannot do exclusion on field b in inclusion projection`)
	s.wantFailure(t, `{find:'c',projection:{a:0,b:1}}`, 31253, `Cannot do inclusion on field b in exclusion projection`)
	s.wantFailure(t, `{find:'c',projection:{'b.c':1,b:1}}`, 31250, `Path collision at b`)
	s.wantFailure(t, `{find:'c',projection:{'$a':1}}`, 16410, `may not start with '$'`)
}

func TestFieldNamesByVersion(t *testing.T) {
	s := newServer(t)
	s.want(t, `{insert:'c',documents:[{_id:1,$a:1,'b.c':2,d:{$e:1}}]}`, `{n:1}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:{$a:1}}]}`, 52, `_id fields may not contain '$'-prefixed fields: $a is not valid for storage.`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:[1]}]}`, 53, `The '_id' value cannot be of type array`)
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{a:{$b:1},'x.y':1}}]}`, `{n:1,nModified:1}`)
	s.wire = 9
	s.wantWriteFailure(t, `{insert:'c',documents:[{$a:1}]}`, 2, `Document can't have $ prefixed field names: $a`)
	s.want(t, `{insert:'c',documents:[{a:{$b:1}}]}`, `{n:1}`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:1},u:{a:{$b:1}}}]}`, 52, `is not valid for storage`)
}

func TestUpsertSeeds(t *testing.T) {
	s := newServer(t)
	tests := []struct{ name, q, u, want string }{
		{"equality and operators", `{_id:1,a:2,b:{$gt:3}}`, `{$set:{c:1}}`, `{_id:1,a:2,c:1}`},
		{"$and", `{$and:[{_id:2},{'x.y':5}]}`, `{$set:{c:1}}`, `{_id:2,x:{y:5},c:1}`},
		{"$in with one", `{_id:3,a:{$in:[7]}}`, `{$inc:{n:1}}`, `{_id:3,a:7,n:1}`},
		{"replacement takes only _id", `{_id:4,a:2}`, `{b:1}`, `{_id:4,b:1}`},
		{"$setOnInsert", `{_id:5}`, `{$setOnInsert:{a:1},$set:{b:2}}`, `{_id:5,a:1,b:2}`},
		{"pipeline", `{_id:6,a:1}`, `[{$set:{b:{$add:['$a',1]}}}]`, `{_id:6,a:1,b:2}`},
		{"_id null", `{_id:null}`, `{$set:{a:1}}`, `{_id:null,a:1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.want(t, `{update:'c',updates:[{q:`+tt.q+`,u:`+tt.u+`,upsert:true}]}`, `1`, "n")
			id := parse(t, tt.want).Lookup("_id").String()
			s.wantFound(t, `{find:'c',filter:{_id:`+id+`}}`, `[`+tt.want+`]`)
		})
	}
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{$and:[{z:1},{z:2}]},u:{$set:{c:1}},upsert:true}]}`, 54, `cannot infer query fields to set, path 'z' is matched twice`)
}

func TestUpdateSortAndHint(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:1},{_id:2,x:2},{_id:3,x:3}]}`)
	s.want(t, `{update:'c',updates:[{q:{},u:{$set:{y:1}},sort:{_id:-1}}]}`, `{n:1,nModified:1}`)
	s.wantFound(t, `{find:'c',filter:{y:1}}`, `[{_id:3,x:3,y:1}]`)
	s.want(t, `{update:'c',updates:[{q:{x:1},u:{$set:{y:1}},hint:'_id_'}]}`, `{n:1,nModified:1}`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{x:1},u:{$set:{y:1}},hint:'nope'}]}`, 2, `hint provided does not correspond`)
	s.wire = 21
	s.wantFailure(t, `{update:'c',updates:[{q:{},u:{$set:{y:1}},sort:{_id:-1}}]}`, 40415, `'update.updates.sort' is an unknown field`)
}

func TestPositionalUpdate(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,a:[1,5,9],d:[{k:'x',n:1},{k:'y',n:1}]}]}`)
	s.run(t, `{update:'c',updates:[{q:{a:{$gt:4}},u:{$set:{'a.$':0}}},{q:{'d.k':'y'},u:{$inc:{'d.$.n':4}}}]}`)
	s.wantFound(t, `{find:'c'}`, `[{_id:1,a:[1,0,9],d:[{k:'x',n:1},{k:'y',n:5}]}]`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{'a.$':0}}}]}`, 2, `The positional operator did not find the match needed from the query.`)
}
