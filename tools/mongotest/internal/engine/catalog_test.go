package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func TestCollections(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'a'}`)
	s.run(t, `{create:'a'}`)
	s.wantFailure(t, `{create:'a',capped:true,size:1000}`, 48, `Collection db.a already exists.`)
	s.run(t, `{create:'b',capped:true,size:1000,max:2}`)
	s.want(t, `{listCollections:1,filter:{name:'b'}}`, `{capped:true,size:1024,max:2}`, "cursor", "firstBatch", "0", "options")
	s.want(t, `{listCollections:1,nameOnly:true}`, `[{name:'a',type:'collection'},{name:'b',type:'collection'}]`, "cursor", "firstBatch")
	s.run(t, `{renameCollection:'db.a',to:'db.c'}`)
	s.wantFailure(t, `{renameCollection:'db.a',to:'db.d'}`, 26, `does not exist`)
	s.wantFailure(t, `{renameCollection:'db.b',to:'db.c'}`, 48, `target namespace exists`)
	s.want(t, `{listDatabases:1,nameOnly:true}`, `{databases:[{name:'db'}]}`)
	s.want(t, `{drop:'c'}`, `{nIndexesWas:1,ns:'db.c'}`)
	s.run(t, `{drop:'c'}`)
	s.wire = 17
	s.wantFailure(t, `{drop:'c'}`, 26, `ns not found`)
	s.want(t, `{dropDatabase:1}`, `{dropped:'db'}`)
	s.want(t, `{dropDatabase:1}`, `{}`)
}

func TestIndexes(t *testing.T) {
	s := newServer(t)
	s.want(t, `{createIndexes:'c',indexes:[{key:{x:1},name:'x_1',unique:true}]}`,
		`{numIndexesBefore:1,numIndexesAfter:2,createdCollectionAutomatically:true}`)
	s.want(t, `{createIndexes:'c',indexes:[{key:{x:1},name:'x_1',unique:true}]}`, `'all indexes already exist'`, "note")
	s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{x:1},name:'other',unique:true}]}`, 85, `Index already exists with a different name: x_1`)
	s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{y:1},name:'x_1'}]}`, 86, `same name as the requested index`)
	s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{y:1},name:'y',foo:1}]}`, 197, `is not valid for an index specification`)
	s.want(t, `{listIndexes:'c'}`, `[{v:2,key:{_id:1},name:'_id_'},{v:2,key:{x:1},name:'x_1',unique:true}]`, "cursor", "firstBatch")
	s.wantFailure(t, `{listIndexes:'none'}`, 26, `ns does not exist: db.none`)
	s.wantFailure(t, `{dropIndexes:'c',index:'nope'}`, 27, `index not found with name [nope]`)
	s.wantFailure(t, `{dropIndexes:'c',index:'_id_'}`, 72, `cannot drop _id index`)
	s.want(t, `{dropIndexes:'c',index:'*'}`, `{nIndexesWas:2,msg:'non-_id indexes dropped for collection'}`)
	s.run(t, `{insert:'c',documents:[{_id:1,x:1},{_id:2,x:1}]}`)
	s.wantFailure(t, `{createIndexes:'c',indexes:[{key:{x:1},name:'x_1',unique:true}]}`, 11000, `E11000 duplicate key error collection: db.c index: x_1 dup key: { x: 1 }`)
	s.run(t, `{createIndexes:'c',indexes:[{key:{s:1},name:'s',unique:true,sparse:true},{key:{p:1},name:'p',unique:true,partialFilterExpression:{on:true}}]}`)
	s.run(t, `{insert:'c',documents:[{s:1},{p:1},{p:1},{p:2,on:true}]}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{s:1}]}`, 11000, `index: s dup key: { s: 1 }`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{p:2,on:true}]}`, 11000, `index: p dup key: { p: 2 }`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{s:[7,7]},{s:[5,7]}]}`, 11000, `index: s`)
}

// TestIndexUse checks that explain names the index, and that it finds the same documents as a scan in the same order.
func TestIndexUse(t *testing.T) {
	s := newServer(t)
	for i := range 60 {
		s.run(t, fmt.Sprintf(`{insert:'c',documents:[{_id:%d,a:%d,b:%d,m:[%d,%d],s:'n%d'}]}`, i, i%7, i%11, i%5, i%13, i%9))
	}
	filters := []string{
		`{a:3}`, `{a:{$gt:2,$lte:5}}`, `{a:{$in:[1,4]}}`, `{a:3,b:{$lt:6}}`, `{a:{$in:[2,3]},b:4}`, `{m:3}`, `{m:{$gt:3,$lt:8}}`,
		`{m:{$gte:12}}`, `{a:{$gt:'x'}}`, `{s:'n4'}`, `{a:null}`, `{_id:7}`, `{_id:{$gte:50}}`, `{$or:[{a:1},{b:2}]}`, `{a:{$ne:3}}`,
	}
	sorts := []string{`{_id:1}`, `{a:1,_id:1}`, `{a:-1,b:-1,_id:-1}`, `{b:1,_id:1}`, `{s:-1,_id:1}`}
	var plain []string
	find := func() []string {
		var out []string
		for _, f := range filters {
			for _, o := range sorts {
				out = append(out, s.run(t, `{find:'c',filter:`+f+`,sort:`+o+`}`).Lookup("cursor", "firstBatch").String())
			}
		}
		return out
	}
	plain = find()
	s.run(t, `{createIndexes:'c',indexes:[{key:{a:1,b:1},name:'ab'},{key:{b:-1},name:'b'},{key:{m:1},name:'m'},{key:{s:-1,_id:1},name:'s'},{key:{a:-1,b:-1,_id:-1},name:'abid'}]}`)
	for i, got := range find() {
		if got != plain[i] {
			t.Errorf("%s %s: got %s, want %s", filters[i/len(sorts)], sorts[i%len(sorts)], got, plain[i])
		}
	}
	s.want(t, `{explain:{find:'c',filter:{m:3}}}`, `'m'`, "queryPlanner", "winningPlan", "inputStage", "indexName")
	s.want(t, `{explain:{find:'c',sort:{s:1,_id:-1}}}`, `'backward'`, "queryPlanner", "winningPlan", "inputStage", "direction")
	s.want(t, `{explain:{find:'c',filter:{_id:1}}}`, `'EXPRESS_IXSCAN'`, "queryPlanner", "winningPlan", "stage")
	s.want(t, `{explain:{find:'c',filter:{q:1}}}`, `'COLLSCAN'`, "queryPlanner", "winningPlan", "stage")
	s.wantFailure(t, `{find:'c',hint:'nope'}`, 2, `hint provided does not correspond to an existing index`)
	s.run(t, `{find:'c',hint:{b:-1}}`)
}

func TestCappedAndTailable(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'c',capped:true,size:100000,max:3}`)
	s.run(t, `{insert:'c',documents:[{_id:1},{_id:2},{_id:3},{_id:4}]}`)
	s.wantFound(t, `{find:'c'}`, `[{_id:2},{_id:3},{_id:4}]`)
	s.wantFound(t, `{find:'c',tailable:true,skip:1}`, `[{_id:3},{_id:4}]`)
	s.wantFound(t, `{find:'c',tailable:true,filter:{_id:{$ne:2}},skip:1,limit:5}`, `[{_id:4}]`)
	late, _ := s.run(t, `{find:'c',tailable:true,skip:4}`).Lookup("cursor", "id").Int64OK()
	s.run(t, `{insert:'c',documents:[{_id:5},{_id:6}]}`)
	s.want(t, fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c'}`, late), `[{_id:6}]`, "cursor", "nextBatch")
	s.run(t, `{drop:'c'}`)
	s.run(t, `{create:'c',capped:true,size:100000,max:3}`)
	s.run(t, `{insert:'c',documents:[{_id:1},{_id:2},{_id:3},{_id:4}]}`)
	reply := s.run(t, `{find:'c',tailable:true,awaitData:true,batchSize:10}`)
	id, _ := reply.Lookup("cursor", "id").Int64OK()
	if id == 0 {
		t.Fatal("a tailable cursor is closed")
	}
	more := fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c',maxTimeMS:%%d}`, id)
	s.want(t, fmt.Sprintf(more, 1), `[]`, "cursor", "nextBatch")
	done := make(chan bson.Raw)
	go func() {
		r, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, fmt.Sprintf(more, 20_000))})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	s.run(t, `{insert:'c',documents:[{_id:5}]}`)
	if got := (<-done).Lookup("cursor", "nextBatch").String(); got != `[{"_id":5}]` && got != `[{"_id": 5}]` {
		t.Errorf("the waiting getMore got %s", got)
	}
	s.wantFailure(t, `{find:'none2',awaitData:true}`, 9, `Cannot set 'awaitData' without also setting 'tailable'`)
	s.run(t, `{create:'plain'}`)
	s.wantFailure(t, `{find:'plain',tailable:true}`, 2, `tailable cursor requested on non capped collection`)
}

func TestExpire(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{at:1},name:'at_1',expireAfterSeconds:60}]}`)
	s.run(t, fmt.Sprintf(`{insert:'c',documents:[{_id:1,at:{$date:{$numberLong:'%d'}}},{_id:2,at:'never'},{_id:3}]}`, s.now.UnixMilli()))
	for want, later := range []time.Duration{59 * time.Second, 2 * time.Second} {
		s.now = s.now.Add(later)
		if n, err := s.Expire(); n != want || err != nil {
			t.Errorf("expired %d, %v, want %d", n, err, want)
		}
	}
	s.wantFound(t, `{find:'c'}`, `[{_id:2,at:'never'},{_id:3}]`)
}

func TestValidators(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'c',validator:{x:{$type:'string'}}}`)
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:1,x:1}]}`, 121, `Document failed validation`)
	s.want(t, `{insert:'c',documents:[{_id:1,x:1}]}`, `1`, "writeErrors", "0", "errInfo", "failingDocumentId")
	s.want(t, `{insert:'c',documents:[{_id:1,x:1}],bypassDocumentValidation:true}`, `{n:1}`)
	s.wantWriteFailure(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{y:1}}}]}`, 121, `Document failed validation`)
	s.run(t, `{collMod:'c',validationLevel:'moderate'}`)
	s.want(t, `{update:'c',updates:[{q:{_id:1},u:{$set:{y:1}}}]}`, `{n:1,nModified:1}`)
	s.run(t, `{collMod:'c',validationAction:'warn',validationLevel:'strict'}`)
	s.want(t, `{insert:'c',documents:[{x:1}]}`, `{n:1}`)
}

func TestCollationOfCommandsAndCollections(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:'ping'},{_id:2,x:'pINg'},{_id:3,x:'pong'}]}`)
	s.want(t, `{count:'c',query:{x:'PING'},collation:{locale:'en_US',strength:2}}`, `{n:2}`)
	s.want(t, `{distinct:'c',key:'x',collation:{locale:'en_US',strength:2}}`, `{values:['ping','pong']}`)
	s.want(t, `{update:'c',updates:[{q:{x:'PING'},u:{$set:{y:1}},multi:true,collation:{locale:'en_US',strength:2}}]}`, `{n:2,nModified:2}`)
	s.run(t, `{create:'d',collation:{locale:'en',strength:2}}`)
	s.run(t, `{createIndexes:'d',indexes:[{key:{x:1},name:'x_1',unique:true}]}`)
	s.run(t, `{insert:'d',documents:[{_id:'A',x:'one'}]}`)
	s.wantFound(t, `{find:'d',filter:{_id:'a',x:'ONE'}}`, `[{_id:'A',x:'one'}]`)
	s.wantWriteFailure(t, `{insert:'d',documents:[{x:'ONE'}]}`, 11000, `index: x_1`)
	s.wantFailure(t, `{find:'c',collation:{strength:1}}`, 40414, `collation.locale`)
}

func TestRetriedStatementsExecuteOnce(t *testing.T) {
	s := newServer(t)
	retry := engine.NewRetry()
	run := func(command string) bson.Raw {
		t.Helper()
		reply, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, command), Retry: retry, LSID: parse(t, `{id:1}`), TxnNumber: 1})
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	for range 2 {
		if n, _ := run(`{insert:'c',documents:[{_id:1,x:1},{_id:2}]}`).Lookup("n").Int32OK(); n != 2 {
			t.Errorf("n = %d", n)
		}
	}
	retry = engine.NewRetry()
	for range 2 {
		run(`{update:'c',updates:[{q:{_id:1},u:{$inc:{x:1}}}]}`)
	}
	retry = engine.NewRetry()
	var replies [2]bson.Raw
	for i := range replies {
		replies[i] = run(`{findAndModify:'c',query:{_id:1},update:{$inc:{x:1}},new:true}`)
	}
	if a, b := replies[0].Lookup("value").String(), replies[1].Lookup("value").String(); a != b {
		t.Errorf("the second findAndModify answered %s, the first %s", b, a)
	}
	s.wantFound(t, `{find:'c',filter:{_id:1}}`, `[{_id:1,x:3}]`)
}

func TestTransactionsAreIsolated(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1,x:1},{_id:2,x:1}]}`)
	tx := s.Store().Begin()
	in := func(command string) (bson.Raw, error) {
		return s.request(t, &engine.Request{DB: "db", Body: parse(t, command), Txn: tx})
	}
	for _, c := range []string{`{insert:'c',documents:[{_id:3}]}`, `{update:'c',updates:[{q:{_id:1},u:{$set:{x:2}}}]}`} {
		if _, err := in(c); err != nil {
			t.Fatal(err)
		}
	}
	s.want(t, `{count:'c',query:{}}`, `{n:2}`)
	waiting := make(chan bson.Raw)
	go func() {
		reply, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, `{update:'c',updates:[{q:{_id:1},u:{$inc:{x:10}}}]}`)})
		if err != nil {
			t.Error(err)
		}
		waiting <- reply
	}()
	s.run(t, `{update:'c',updates:[{q:{_id:2},u:{$set:{x:5}}}]}`)
	if reply, err := in(`{find:'c',sort:{_id:1}}`); err != nil || reply.Lookup("cursor", "firstBatch", "1", "x").String() != "1" {
		t.Errorf("the transaction sees a later write: %s, %v", reply, err)
	}
	if _, err := in(`{update:'c',updates:[{q:{_id:2},u:{$set:{x:7}}}]}`); err == nil {
		t.Error("no conflict with a later write")
	}
	if _, err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if n, _ := (<-waiting).Lookup("nModified").Int32OK(); n != 1 {
		t.Errorf("the waiting update changed %d documents", n)
	}
	s.wantFound(t, `{find:'c',sort:{_id:1}}`, `[{_id:1,x:12},{_id:2,x:5},{_id:3}]`)
	tx = s.Store().Begin()
	if _, err := in(`{delete:'c',deletes:[{q:{},limit:0}]}`); err != nil {
		t.Fatal(err)
	}
	tx.Abort()
	s.want(t, `{count:'c'}`, `{n:3}`)
}

func TestSnapshotsInThePast(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1}]}`)
	then := s.Store().Latest()
	s.run(t, `{insert:'c',documents:[{_id:2}]}`)
	at, err := s.Store().At(then.Time())
	if err != nil || at != then {
		t.Fatalf("At gave another state, %v", err)
	}
	reply, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, `{count:'c'}`), Snapshot: at})
	if n, _ := reply.Lookup("n").Int32OK(); n != 1 || err != nil {
		t.Errorf("n = %d, %v", n, err)
	}
	s.Store().Truncate(then.Time(), nil)
	s.wantFound(t, `{find:'c'}`, `[{_id:1}]`)
}

func TestDeadline(t *testing.T) {
	s := newServer(t)
	s.run(t, `{insert:'c',documents:[{_id:1}]}`)
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for _, command := range []string{`{delete:'c',deletes:[{q:{},limit:1}]}`, `{update:'c',updates:[{q:{},u:{$set:{a:1}}}]}`, `{distinct:'c',key:'a'}`} {
		body := parse(t, command)
		first, _ := body.Index(0)
		_, err := s.commands[first.Key](s.Engine, ctx, &engine.Request{Name: first.Key, DB: "db", WireVersion: 25, Body: body}, nil)
		if !status.Is(err, errcode.MaxTimeMSExpired) {
			t.Errorf("%s: got %v", command, err)
		}
	}
	s.wantFound(t, `{find:'c'}`, `[{_id:1}]`)
}

// TestConcurrentUse runs readers and writers side by side; the race detector watches. Counters must not lose increments.
func TestConcurrentUse(t *testing.T) {
	s := newServer(t)
	s.run(t, `{createIndexes:'c',indexes:[{key:{n:1},name:'n'}]}`)
	s.run(t, `{insert:'c',documents:[{_id:0,n:0}]}`)
	const writers, rounds = 4, 50
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range rounds {
				s.run(t, `{update:'c',updates:[{q:{_id:0},u:{$inc:{n:1}}}]}`)
				s.run(t, fmt.Sprintf(`{insert:'c',documents:[{_id:%d,n:%d}]}`, 1+w*rounds+i, -i))
			}
		})
		wg.Go(func() {
			for range rounds {
				s.run(t, `{find:'c',filter:{n:{$gt:0}}}`)
				s.run(t, `{aggregate:'c',pipeline:[{$group:{_id:null,n:{$sum:'$n'}}}],cursor:{}}`)
				s.run(t, `{find:'c',sort:{n:-1},limit:3}`)
			}
		})
	}
	wg.Wait()
	s.wantFound(t, `{find:'c',filter:{_id:0}}`, fmt.Sprintf(`[{_id:0,n:%d}]`, writers*rounds))
	s.want(t, `{count:'c'}`, fmt.Sprintf(`{n:%d}`, 1+writers*rounds))
}
