package engine_test

import (
	"fmt"
	"testing"
)

func TestInsertAndFind(t *testing.T) {
	s := newServer(t)
	s.want(t, `{insert:'c',documents:[{_id:1,x:11},{_id:2,x:22},{_id:3,x:33}]}`, `{n:3}`)
	s.wantFound(t, `{find:'c',filter:{_id:2}}`, `[{_id:2,x:22}]`)
	s.wantFound(t, `{find:'c',filter:{x:{$gt:11}},sort:{x:-1}}`, `[{_id:3,x:33},{_id:2,x:22}]`)
	s.wantFound(t, `{find:'c',filter:{},skip:1,limit:1,projection:{x:1,_id:0}}`, `[{x:22}]`)
	s.wantFound(t, `{find:'none'}`, `[]`)
	s.wantFound(t, `{find:'c',sort:{$natural:-1},limit:1}`, `[{_id:3,x:33}]`)
}

func TestDuplicateKey(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:'a'}]}`)
	const text = `E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }`
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:1}]}`, 11000, text)
	s.want(t, `{insert:'c',documents:[{_id:1},{_id:4}],ordered:false}`, `1`, "n")
	s.want(t, `{insert:'c',documents:[{_id:1.0},{_id:5}]}`, `{_id:1.0}`, "writeErrors", "0", "keyValue")
	s.wantFound(t, `{find:'c',filter:{_id:5}}`, `[]`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{x:1},name:'x_1',unique:true}]}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{x:'a'}]}`, 11000, `index: x_1 dup key: { x: "a" }`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:4},u:{$set:{x:'a'}}}]}`, 11000, `index: x_1`)
}

func TestUpdateReplies(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:11},{_id:2,x:22},{_id:3,x:33}]}`)
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{$inc:{x:1}}}]}`, `{n:1,nModified:1}`)
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{x:12}}}]}`, `{n:1,nModified:0}`)
	s.want(t, `{update:'c',updates:[{q:{_id:{$gt:1}},u:{$set:{y:1}},multi:true}]}`, `{n:2,nModified:2}`)
	s.want(t, `{update:'c',updates:[{q:{_id:9},u:{$set:{x:1}},upsert:true}]}`, `{n:1,nModified:0,upserted:[{index:0,_id:9}]}`)
	s.want(t, `{update:'c',updates:[{q:{_id:2},u:{z:1}}]}`, `{n:1,nModified:1}`)
	s.wantFound(t, `{find:'c',sort:{_id:1}}`, `[{_id:1,x:12},{_id:2,z:1},{_id:3,x:33,y:1},{_id:9,x:1}]`)
	s.want(t, `{update:'c',updates:[{q:{a:{$gte:5},b:3},u:{$set:{c:1}},upsert:true}]}`, `1`, "n")
	s.wantFound(t, `{find:'c',filter:{b:3},projection:{_id:0}}`, `[{b:3,c:1}]`)
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:[{$set:{w:{$add:['$x',1]}}},{$unset:'x'}]}]}`, `{n:1,nModified:1}`)
	s.wantFound(t, `{find:'c',filter:{_id:1}}`, `[{_id:1,w:13}]`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{_id:2}}}]}`, 66, `would modify the immutable field '_id'`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:1},u:{_id:2}}]}`, 66, `was found to have been altered to _id: 2`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{},u:{a:1},multi:true}]}`, 9, `multi update is not supported for replacement-style update`)
}

func TestDelete(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:1},{_id:2,x:1},{_id:3,x:2}]}`)
	s.want(t, `{delete:'c',deletes:[{q:{x:1},limit:1}]}`, `{n:1}`)
	s.wantFound(t, `{find:'c',projection:{_id:1}}`, `[{_id:2},{_id:3}]`)
	s.want(t, `{delete:'c',deletes:[{q:{},limit:0}]}`, `{n:2}`)
	s.want(t, `{count:'c'}`, `{n:0}`)
}

func TestFindAndModify(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:11},{_id:2,x:22},{_id:3,x:33}]}`)
	s.want(t, `{findAndModify:'c',query:{_id:{$gt:1}},sort:{x:-1},update:{$inc:{x:1}}}`,
		`{lastErrorObject:{n:1,updatedExisting:true},value:{_id:3,x:33}}`)
	s.want(t, `{findAndModify:'c',query:{_id:1},update:{x:32},new:true,fields:{_id:0}}`,
		`{lastErrorObject:{n:1,updatedExisting:true},value:{x:32}}`)
	s.want(t, `{findAndModify:'c',query:{_id:2},remove:true}`, `{lastErrorObject:{n:1},value:{_id:2,x:22}}`)
	s.want(t, `{findAndModify:'c',query:{_id:2},remove:true}`, `{lastErrorObject:{n:0},value:null}`)
	s.want(t, `{findAndModify:'c',query:{_id:7},update:{$set:{a:1}},upsert:true,new:true}`,
		`{lastErrorObject:{n:1,updatedExisting:false,upserted:7},value:{_id:7,a:1}}`)
	s.wantFailure(t, `{findAndModify:'c',query:{}}`, 9, `Either an update or remove=true must be specified`)
}

func TestCursorBatches(t *testing.T) {
	s := newServer(t)
	for i := range 5 {
		s.run(t, fmt.Sprintf(`{insert:'c',documents:[{_id:%d}]}`, i))
	}
	reply := s.run(t, `{find:'c',batchSize:2}`)
	id, _ := reply.Lookup("cursor", "id").Int64OK()
	if id == 0 {
		t.Fatalf("the cursor is closed: %s", reply)
	}
	more := fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c',batchSize:2}`, id)
	s.want(t, more, `[{_id:2},{_id:3}]`, "cursor", "nextBatch")
	s.want(t, more, `{nextBatch:[{_id:4}],id:{$numberLong:'0'},ns:'db.c'}`, "cursor")
	s.wantFailure(t, more, 43, "not found")
	s.want(t, `{find:'c',batchSize:2,limit:2}`, `{$numberLong:'0'}`, "cursor", "id")
	s.want(t, `{find:'c',batchSize:2,singleBatch:true}`, `{$numberLong:'0'}`, "cursor", "id")
	id, _ = s.run(t, `{find:'c',batchSize:0}`).Lookup("cursor", "id").Int64OK()
	s.want(t, fmt.Sprintf(`{killCursors:'c',cursors:[{$numberLong:'%d'},{$numberLong:'5'}]}`, id),
		fmt.Sprintf(`{cursorsKilled:[{$numberLong:'%d'}],cursorsNotFound:[{$numberLong:'5'}],cursorsAlive:[],cursorsUnknown:[]}`, id))
	if n := s.Cursors().Open(); n != 0 {
		t.Errorf("%d cursors are open", n)
	}
}

func TestUnknownArgumentsByVersion(t *testing.T) {
	s := newServer(t)
	s.wire = 9
	s.wantFailure(t, `{update:'c',updates:[{q:{},u:{$set:{a:1}}}],let:{a:1}}`, 40415, `'update.let' is an unknown field`)
	s.wantFailure(t, `{delete:'c',deletes:[{q:{},limit:1}],let:{a:1}}`, 40415, `'delete.let' is an unknown field`)
	s.wantFailure(t, `{find:'c',let:{a:1}}`, 9, `Unrecognized field 'let'`)
	s.wantFailure(t, `{aggregate:'c',pipeline:[],cursor:{},let:{a:1}}`, 9, `unrecognized field 'let'`)
	s.wantFailure(t, `{findAndModify:'c',remove:true,let:{a:1}}`, 51177, `field 'let' is an unknown field`)
	s.wire = 8
	s.wantFailure(t, `{insert:'c',documents:[{}],comment:'a'}`, 40415, `'insert.comment' is an unknown field`)
	s.wantFailure(t, `{find:'c',allowDiskUse:true}`, 9, `Unrecognized field 'allowDiskUse'`)
	s.wantFailure(t, `{delete:'c',deletes:[{q:{},limit:1,hint:'_id_'}]}`, 40415, `'delete.deletes.hint' is an unknown field`)
}

func TestBulkWrite(t *testing.T) {
	s := newServer(t)
	reply := s.run(t, `{bulkWrite:1,ops:[{insert:0,document:{_id:1,x:1}},{insert:1,document:{_id:1}},{update:0,filter:{_id:1},updateMods:{$inc:{x:1}}},{update:0,filter:{_id:8},updateMods:{$set:{x:1}},upsert:true},{delete:1,filter:{},multi:true}],nsInfo:[{ns:'db.c'},{ns:'db.d'}]}`)
	for name, want := range map[string]int32{"nErrors": 0, "nInserted": 2, "nMatched": 1, "nModified": 1, "nUpserted": 1, "nDeleted": 1} {
		if got, _ := reply.Lookup(name).Int32OK(); got != want {
			t.Errorf("%s = %d, want %d", name, got, want)
		}
	}
	s.want(t, `{bulkWrite:1,ops:[{insert:0,document:{_id:1}},{insert:0,document:{_id:2}}],nsInfo:[{ns:'db.c'}],ordered:false}`, `1`, "nInserted")
}
