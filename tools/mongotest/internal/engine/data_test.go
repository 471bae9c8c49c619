package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// answer is a command and the expected value at a path of its reply. After "ids" comes the _id of each document of a
// first batch.
type answer struct {
	name, command, path, want string
}

func checkAnswers(t *testing.T, s *server, list []answer) {
	t.Helper()
	for _, a := range list {
		t.Run(a.name, func(t *testing.T) {
			if a.path != "ids" {
				s.want(t, a.command, a.want, strings.Fields(a.path)...)
				return
			}
			var ids []string
			batch, _ := s.run(t, a.command).Lookup("cursor", "firstBatch").ArrayOK()
			for _, d := range batch.All() {
				ids = append(ids, bson.Raw(d.Value).Lookup("_id").String())
			}
			if got := strings.Join(ids, " "); got != a.want {
				t.Errorf("%s\n got %s\nwant %s", a.command, got, a.want)
			}
		})
	}
}

func TestFindOptions(t *testing.T) {
	s := newStock(t)
	checkAnswers(t, s, []answer{
		{"min is included", `{find:'c',min:{a:2},hint:'a_1'}`, "ids", "2 3"},
		{"max is not", `{find:'c',max:{a:2},hint:{a:1}}`, "ids", "1"},
		{"min and max", `{find:'c',min:{a:1},max:{a:3},hint:'a_1'}`, "ids", "1 2"},
		{"min with a query", `{find:'c',filter:{s:'y'},min:{a:1},hint:'a_1'}`, "ids", "2"},
		{"min backwards", `{find:'c',min:{a:2},hint:'a_1',sort:{a:-1}}`, "ids", "3 2"},
		{"showRecordId", `{find:'c',filter:{_id:2},projection:{_id:1},showRecordId:true}`, "cursor firstBatch 0", `{_id:2,$recordId:{$numberLong:'2'}}`},
		{"returnKey", `{find:'c',filter:{a:2},returnKey:true}`, "cursor firstBatch", `[{a:2}]`},
		{"returnKey of _id", `{find:'c',filter:{_id:2},returnKey:true}`, "cursor firstBatch", `[{_id:2}]`},
		{"returnKey leaves showRecordId out", `{find:'c',filter:{a:2},returnKey:true,showRecordId:true}`, "cursor firstBatch", `[{a:2}]`},
		{"returnKey without an index", `{find:'c',filter:{q:null},limit:1,returnKey:true}`, "cursor firstBatch", `[{}]`},
		{"ntoreturn", `{find:'c',ntoreturn:1,singleBatch:true}`, "ids", "1"},
		{"hint by name", `{find:'c',hint:'a_1',sort:{a:-1}}`, "ids", "3 2 1"},
		{"sparse hint", `{find:'c',hint:'s_1'}`, "ids", "1 2"},
		{"$natural hint", `{find:'c',hint:{$natural:-1}}`, "ids", "3 2 1"},
		{"hint on nothing", `{find:'none',hint:'a_1'}`, "ids", ""},
		{"null is no argument", `{find:'c',filter:null,limit:null}`, "ids", "1 2 3"},
		{"a fraction is cut off", `{find:'c',limit:1.9}`, "ids", "1"},
		{"empty tailable", `{find:'none',tailable:true}`, "cursor id", `{$numberLong:'0'}`},
	})
}

func TestExplain(t *testing.T) {
	s := newStock(t)
	const plan = "queryPlanner winningPlan "
	checkAnswers(t, s, []answer{
		{"scan", `{explain:{find:'c',filter:{q:1}}}`, plan + "stage", `'COLLSCAN'`},
		{"index", `{explain:{find:'c',filter:{a:1}}}`, plan + "inputStage", `{stage:'IXSCAN',keyPattern:{a:1},indexName:'a_1',isMultiKey:false,multiKeyPaths:{a:[]},isUnique:false,isSparse:false,isPartial:false,indexVersion:2,direction:'forward',indexBounds:{a:['[1, 1]']}}`},
		{"_id", `{explain:{find:'c',filter:{_id:1}}}`, plan + "stage", `'EXPRESS_IXSCAN'`},
		{"_id of a clustered collection", `{explain:{find:'clustered',filter:{_id:1}}}`, plan + "stage", `'EXPRESS_CLUSTERED_IXSCAN'`},
		{"nothing", `{explain:{find:'none'}}`, plan + "stage", `'EOF'`},
		{"sort", `{explain:{find:'c',sort:{s:1}}}`, plan + "stage", `'SORT'`},
		{"sort by index", `{explain:{find:'c',sort:{a:-1}}}`, plan + "inputStage direction", `'backward'`},
		{"skip, limit and projection", `{explain:{find:'c',skip:1,limit:2,projection:{a:1}}}`, plan + "inputStage inputStage skipAmount", `{$numberLong:'1'}`},
		{"hint", `{explain:{find:'c',hint:'s_1'}}`, plan + "inputStage indexName", `'s_1'`},
		{"min", `{explain:{find:'c',min:{a:2},hint:'a_1'}}`, "executionStats totalKeysExamined", `2`},
		{"count", `{explain:{count:'c',query:{a:1}}}`, plan + "stage", `'COUNT'`},
		{"distinct", `{explain:{distinct:'c',key:'a',query:{a:1}}}`, plan + "stage", `'PROJECTION_COVERED'`},
		{"update", `{explain:{update:'c',updates:[{q:{a:1},u:{$set:{b:1}}}]}}`, plan + "inputStage stage", `'FETCH'`},
		{"delete", `{explain:{delete:'c',deletes:[{q:{},limit:0}]}}`, plan + "stage", `'DELETE'`},
		{"findAndModify", `{explain:{findAndModify:'c',query:{a:1},remove:true}}`, plan + "stage", `'DELETE'`},
		{"pipeline of a match", `{explain:{aggregate:'c',pipeline:[{$match:{a:1}}],cursor:{}}}`, plan + "stage", `'FETCH'`},
		{"pipeline with more", `{explain:{aggregate:'c',pipeline:[{$match:{a:1}},{$count:'n'}],cursor:{}}}`, "stages 1", `{$count:'n'}`},
		{"pipeline with explain", `{aggregate:'c',pipeline:[{$match:{a:1}},{$count:'n'}],explain:true}`, "stages 0 $cursor queryPlanner winningPlan inputStage stage", `'IXSCAN'`},
		{"view", `{explain:{find:'w',filter:{s:'y'}}}`, "queryPlanner namespace", `'db.c'`},
		{"pushed down from a view", `{explain:{find:'w',filter:{s:'y'}}}`, plan + "inputStage indexName", `'s_1'`},
		{"documents of a scan", `{explain:{find:'c',filter:{s:{$exists:true}},hint:{$natural:1}}}`, "executionStats totalDocsExamined", `3`},
		{"documents returned", `{explain:{find:'c',filter:{a:{$gt:1}}},verbosity:'executionStats'}`, "executionStats nReturned", `2`},
		{"keys", `{explain:{find:'c',filter:{a:{$gt:1}}}}`, "executionStats totalKeysExamined", `2`},
		{"all plans", `{explain:{find:'c'},verbosity:'allPlansExecution'}`, "executionStats allPlansExecution", `[]`},
		{"version", `{explain:{find:'c'}}`, "serverInfo version", `'8.0.0'`},
	})
	if reply := s.run(t, `{explain:{find:'c'},verbosity:'queryPlanner'}`); !reply.Lookup("executionStats").IsZero() {
		t.Errorf("queryPlanner has counted: %s", reply)
	}
	s.wire = 21
	s.want(t, `{explain:{find:'c',filter:{_id:1}}}`, `'IDHACK'`, "queryPlanner", "winningPlan", "stage")
	if reply := s.run(t, `{explain:{delete:'c',deletes:[{q:{},limit:0}]}}`); reply == nil {
		t.Fatal("no reply")
	}
	s.want(t, `{count:'c'}`, `{n:3}`)
}

func TestCatalogIsShown(t *testing.T) {
	s := newStock(t)
	s.run(t, `{create:'seen',capped:true,size:1000.0,max:5,validator:{a:1},validationLevel:'moderate',collation:{locale:'fr'}}`)
	s.run(t, `{create:'plain',capped:false,validator:{}}`)
	s.run(t, `{createIndexes:'i',indexes:[{key:{a:'text',b:1},name:'t',weights:{c:5}},{key:{g:'2dsphere'},name:'g'},{key:{h:'hashed'},name:'h',sparse:false},
		{key:{'w.$**':1},name:'w'},{key:{x:1},name:'x',unique:1,hidden:true,background:true,collation:{locale:'simple'}}]}`)
	options := func(name string) string { return `{listCollections:1,filter:{name:'` + name + `'}}` }
	const french = `{locale:'fr',caseLevel:false,caseFirst:'off',strength:3,numericOrdering:false,alternate:'non-ignorable',maxVariable:'punct',normalization:false,backwards:false,version:'57.1'}`
	checkAnswers(t, s, []answer{
		{"capped", options("seen"), "cursor firstBatch 0 options", `{capped:true,size:1024,max:5,validator:{a:1},validationLevel:'moderate',collation:` + french + `}`},
		{"index on _id", options("seen"), "cursor firstBatch 0 idIndex", `{v:2,key:{_id:1},name:'_id_',collation:` + french + `}`},
		{"plain", options("plain"), "cursor firstBatch 0 options", `{}`},
		{"view", options("v"), "cursor firstBatch 0 type", `'view'`},
		{"view's options", options("w"), "cursor firstBatch 0 options", `{viewOn:'v',pipeline:[]}`},
		{"view's info", options("w"), "cursor firstBatch 0 info", `{readOnly:true}`},
		{"time series", options("times"), "cursor firstBatch 0 options", `{timeseries:{timeField:'t',metaField:'m',granularity:'seconds',bucketMaxSpanSeconds:3600}}`},
		{"time series' type", options("times"), "cursor firstBatch 0 type", `'timeseries'`},
		{"time series of minutes", `{collMod:'times',timeseries:{granularity:'minutes'}}`, "", `{}`},
		{"its buckets span more", options("times"), "cursor firstBatch 0 options", `{timeseries:{timeField:'t',metaField:'m',granularity:'minutes',bucketMaxSpanSeconds:86400}}`},
		{"time series of 90000 seconds", `{collMod:'times',timeseries:{bucketMaxSpanSeconds:90000,bucketRoundingSeconds:90000}}`, "", `{}`},
		{"it has no granularity", options("times"), "cursor firstBatch 0 options", `{timeseries:{timeField:'t',metaField:'m',bucketMaxSpanSeconds:90000,bucketRoundingSeconds:90000}}`},
		{"clustered", options("clustered"), "cursor firstBatch 0 options", `{clusteredIndex:{v:2,key:{_id:1},name:'_id_',unique:true}}`},
		{"filter by type", `{listCollections:1,filter:{type:'view'},nameOnly:true}`, "cursor firstBatch", `[{name:'fv',type:'view'},{name:'v',type:'view'},{name:'w',type:'view'}]`},
		{"small batches", `{listCollections:1,cursor:{batchSize:1},nameOnly:true}`, "cursor firstBatch", `[{name:'c',type:'collection'}]`},
		{"clustered index", `{listIndexes:'clustered'}`, "cursor firstBatch", `[{v:2,key:{_id:1},name:'_id_',unique:true,clustered:true}]`},
		{"time series' indexes", `{listIndexes:'times'}`, "cursor firstBatch", `[{v:2,key:{m:1,t:1},name:'m_1_t_1'}]`},
		{"text index", `{listIndexes:'i'}`, "cursor firstBatch 1", `{v:2,key:{_fts:'text',_ftsx:1,b:1},name:'t',weights:{a:1,c:5},default_language:'english',language_override:'language',textIndexVersion:3}`},
		{"2dsphere index", `{listIndexes:'i'}`, "cursor firstBatch 2", `{v:2,key:{g:'2dsphere'},name:'g','2dsphereIndexVersion':3}`},
		{"hashed index", `{listIndexes:'i'}`, "cursor firstBatch 3", `{v:2,key:{h:'hashed'},name:'h'}`},
		{"wildcard index", `{listIndexes:'i'}`, "cursor firstBatch 4", `{v:2,key:{'w.$**':1},name:'w'}`},
		{"options of an index", `{listIndexes:'i'}`, "cursor firstBatch 5", `{v:2,key:{x:1},name:'x',unique:true,hidden:true,background:true}`},
		{"databases by name", `{listDatabases:1,filter:{name:'db'},nameOnly:true}`, "", `{databases:[{name:'db'}]}`},
		{"no databases", `{listDatabases:1,filter:{name:'no'}}`, "", `{databases:[],totalSize:{$numberLong:'0'},totalSizeMb:{$numberLong:'0'}}`},
		{"collStats", `{collStats:'c',scale:1}`, "nindexes", `3`},
		{"collStats of nothing", `{collStats:'none'}`, "count", `{$numberLong:'0'}`},
		{"dbStats", `{dbStats:1}`, "views", `{$numberLong:'3'}`},
		{"dbStats scaled", `{dbStats:1,scale:1024}`, "scaleFactor", `{$numberLong:'1024'}`},
		{"drop of a view", `{drop:'w'}`, "", `{ns:'db.w'}`},
		{"drop of nothing", `{drop:'w'}`, "", `{}`},
		{"drop of a collection", `{drop:'c'}`, "", `{nIndexesWas:3,ns:'db.c'}`},
	})
}

func TestSameCreateIsNoError(t *testing.T) {
	s := newStock(t)
	for _, command := range []string{
		`{create:'c'}`, `{create:'capped',capped:true,size:4000,max:3}`, `{create:'v',viewOn:'c',pipeline:[{$match:{a:{$gt:1}}}]}`,
		`{create:'times',timeseries:{timeField:'t',metaField:'m'}}`, `{create:'clustered',clusteredIndex:{key:{_id:1},unique:true}}`,
		`{create:'folded',collation:{locale:'en',strength:2,caseLevel:false}}`,
	} {
		s.want(t, command, `{}`)
	}
}

func TestViewsOnViews(t *testing.T) {
	s := newStock(t)
	checkAnswers(t, s, []answer{
		{"find", `{find:'v',sort:{a:-1}}`, "ids", "3 2"},
		{"view on a view", `{find:'w',filter:{s:'y'}}`, "ids", "2"},
		{"count", `{count:'w',query:{a:3}}`, "n", "1"},
		{"distinct", `{distinct:'w',key:'a'}`, "values", "[2,3]"},
		{"aggregate", `{aggregate:'w',pipeline:[{$count:'n'}],cursor:{}}`, "cursor firstBatch", "[{n:2}]"},
		{"collation", `{find:'fv',collation:{locale:'en',strength:2}}`, "ids", ""},
		{"another definition", `{collMod:'v',viewOn:'c',pipeline:[{$match:{a:1}}]}`, "", "{}"},
		{"and what it gives", `{find:'w'}`, "ids", "1"},
	})
	on := "c"
	for i := range 20 {
		name := fmt.Sprintf("v%d", i)
		s.run(t, fmt.Sprintf(`{create:'%s',viewOn:'%s'}`, name, on))
		on = name
	}
	s.want(t, `{count:'v19'}`, `{n:3}`)
	s.wantFailure(t, `{create:'v20',viewOn:'v19'}`, int32(errcode.ViewDepthLimitExceeded), "View depth limit exceeded; maximum depth is 20")
}

func TestCappedCollections(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'c',capped:true,size:4096}`)
	long := strings.Repeat("x", 1000)
	for i := range 6 {
		s.run(t, fmt.Sprintf(`{insert:'c',documents:[{_id:%d,x:'%s'}]}`, i, long))
	}
	checkAnswers(t, s, []answer{
		{"the size pushes out", `{find:'c'}`, "ids", "2 3 4 5"},
		{"backwards", `{find:'c',sort:{$natural:-1}}`, "ids", "5 4 3 2"},
		{"other limits", `{collMod:'c',cappedSize:8192,cappedMax:4}`, "", "{}"},
		{"an insert within them", `{insert:'c',documents:[{_id:6},{_id:7}]}`, "n", "2"},
		{"the number pushes out", `{find:'c'}`, "ids", "4 5 6 7"},
		{"a delete since 5.0", `{delete:'c',deletes:[{q:{_id:5},limit:1}]}`, "n", "1"},
		{"growth since 5.3", `{update:'c',updates:[{q:{_id:6},u:{$set:{y:1}}}]}`, "nModified", "1"},
	})
}

// TestTailableCursorLosesItsPlace removes from a capped collection the document that a cursor read last.
func TestTailableCursorLosesItsPlace(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'c',capped:true,size:4096,max:2}`)
	s.want(t, `{find:'c',tailable:true}`, `{$numberLong:'0'}`, "cursor", "id")
	s.run(t, `{insert:'c',documents:[{_id:1}]}`)
	id, _ := s.run(t, `{find:'c',tailable:true,awaitData:true}`).Lookup("cursor", "id").Int64OK()
	more := fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c',maxTimeMS:1}`, id)
	s.run(t, `{insert:'c',documents:[{_id:2}]}`)
	s.want(t, more, `[{_id:2}]`, "cursor", "nextBatch")
	s.run(t, `{insert:'c',documents:[{_id:3},{_id:4},{_id:5}]}`)
	s.wantFailure(t, more, int32(errcode.CappedPositionLost), "CollectionScan died due to position in capped collection being deleted. Last seen record id: RecordId(2)")
	s.wantFailure(t, more, int32(errcode.CursorNotFound), "not found")
}

func TestCursorsEndWithTheirCollection(t *testing.T) {
	s := newStock(t)
	open := func(command string) string {
		id, _ := s.run(t, command).Lookup("cursor", "id").Int64OK()
		return fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c'%%s}`, id)
	}
	more := open(`{find:'c',batchSize:1}`)
	s.wantFailure(t, fmt.Sprintf(more, `,maxTimeMS:5`), 2, "cannot set maxTimeMS on getMore command for a non-awaitData cursor")
	s.wantFailure(t, strings.Replace(fmt.Sprintf(more, ``), `collection:'c'`, `collection:'d'`, 1), 13, "Requested getMore on namespace 'db.d', but cursor belongs to a different namespace db.c")
	_, err := s.request(t, &engine.Request{DB: "db", Body: parse(t, fmt.Sprintf(more, ``)), LSID: parse(t, `{id:{$uuid:'11111111-2222-4333-8444-555555555555'}}`)})
	if e := status.From(err); e == nil || e.Code != 50736 || !strings.HasSuffix(e.Message, ", which was not created in a session, in session 11111111-2222-4333-8444-555555555555 - 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= -  - ") {
		t.Errorf("another session: %v", err)
	}
	s.want(t, fmt.Sprintf(more, `,batchSize:1`), `[{_id:2,a:2,s:'y'}]`, "cursor", "nextBatch")
	s.run(t, `{drop:'c'}`)
	s.run(t, `{insert:'c',documents:[{_id:9}]}`)
	s.wantFailure(t, fmt.Sprintf(more, ``), int32(errcode.QueryPlanKilled), "collection dropped. UUID ")
	s.wantFailure(t, fmt.Sprintf(more, ``), 43, "not found")
}

func TestExpiryOfCollections(t *testing.T) {
	s := newServer(t)
	at := func(ago time.Duration) string {
		return fmt.Sprintf(`{$date:{$numberLong:'%d'}}`, s.now.Add(-ago).UnixMilli())
	}
	s.run(t, `{create:'k',clusteredIndex:{key:{_id:1},unique:true},expireAfterSeconds:60}`)
	s.run(t, `{create:'m',timeseries:{timeField:'t'},expireAfterSeconds:60}`)
	s.run(t, `{createIndexes:'p',indexes:[{key:{at:1},name:'at',expireAfterSeconds:60,partialFilterExpression:{on:true}}]}`)
	s.run(t, `{createIndexes:'l',indexes:[{key:{at:1},name:'at',expireAfterSeconds:60}]}`)
	s.run(t, `{insert:'k',documents:[{_id:`+at(time.Minute)+`},{_id:`+at(time.Second)+`},{_id:'x'}]}`)
	s.run(t, `{insert:'m',documents:[{_id:1,t:`+at(time.Hour)+`},{_id:1,t:`+at(time.Second)+`}]}`)
	s.run(t, `{insert:'p',documents:[{_id:1,at:`+at(time.Hour)+`},{_id:2,on:true,at:`+at(time.Hour)+`}]}`)
	s.run(t, `{insert:'l',documents:[{_id:1,at:[`+at(-time.Hour)+`,`+at(time.Hour)+`]},{_id:2,at:[]}]}`)
	if n, err := s.Expire(); n != 4 || err != nil {
		t.Errorf("expired %d, %v", n, err)
	}
	s.want(t, `{count:'k'}`, `{n:2}`)
	s.want(t, `{count:'m'}`, `{n:1}`)
	s.wantFound(t, `{find:'p',projection:{_id:1}}`, `[{_id:1}]`)
	s.wantFound(t, `{find:'l',projection:{_id:1}}`, `[{_id:2}]`)
	s.run(t, `{collMod:'k',expireAfterSeconds:'off'}`)
	s.now = s.now.Add(time.Hour)
	if n, err := s.Expire(); n != 1 || err != nil {
		t.Errorf("expired %d, %v", n, err)
	}
}

func TestDuplicatesInTheOrderOfALanguage(t *testing.T) {
	s := newStock(t)
	s.run(t, `{insert:'folded',documents:[{_id:'A'}]}`)
	const duplicate = `{insert:'folded',documents:[{_id:'a'}]}`
	s.wantWriteFailure(t, duplicate, 11000, `index: _id_ collation: { locale: "en", caseLevel: false, caseFirst: "off", strength: 2, numericOrdering: false, alternate: "non-ignorable", maxVariable: "punct", normalization: false, backwards: false, version: "57.1" } dup key: { _id: "0x`)
	s.want(t, duplicate, `{_id:'a'}`, "writeErrors", "0", "keyValue")
	s.want(t, duplicate, `'en'`, "writeErrors", "0", "collation", "locale")
}

func TestMeasurementsMayShareAnID(t *testing.T) {
	s := newStock(t)
	const when = `{$date:{$numberLong:'1000'}}`
	s.want(t, `{insert:'times',documents:[{_id:1,t:`+when+`,m:'a'},{_id:1,t:`+when+`,m:'b'}]}`, `{n:2}`)
	s.want(t, `{count:'times',query:{_id:1}}`, `{n:2}`)
	s.want(t, `{find:'times',filter:{_id:1},projection:{m:1,_id:0}}`, `[{m:'a'},{m:'b'}]`, "cursor", "firstBatch")
	s.wantFailure(t, `{find:'times',hint:''}`, 2, "hint provided does not correspond to an existing index")
	s.want(t, `{drop:'times'}`, `{nIndexesWas:1,ns:'db.times'}`)
}
