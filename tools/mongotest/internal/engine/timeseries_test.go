package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
)

func at(seconds int) string { return fmt.Sprintf(`{$date:{$numberLong:'%d000'}}`, seconds) }

func newSeries(t *testing.T) *server {
	t.Helper()
	s := newServer(t)
	s.run(t, `{create:'s',timeseries:{timeField:'t',metaField:'m'},expireAfterSeconds:100000}`)
	s.run(t, `{insert:'s',documents:[{_id:1,x:5,m:{b:1,a:2},t:`+at(1699999990)+`},{_id:2,x:3,y:{z:1},t:`+at(1699999985)+`,m:{a:2,b:1}},
		{_id:3,x:'s',t:`+at(1700003700)+`,m:{a:2,b:1}},{_id:4,t:`+at(1699999990)+`}]}`)
	return s
}

func TestTimeSeriesBuckets(t *testing.T) {
	s := newSeries(t)
	s.wantFound(t, `{find:'s',filter:{_id:1}}`, `[{t:`+at(1699999990)+`,m:{a:2,b:1},_id:1,x:5}]`)
	s.wantFound(t, `{listCollections:1,nameOnly:true}`, `[{name:'s',type:'timeseries'},{name:'system.buckets.s',type:'collection'}]`)
	s.wantFound(t, `{find:'system.buckets.s',projection:{_id:0},filter:{meta:{a:2,b:1}}}`, `[
		{control:{version:1,min:{t:`+at(1699999980)+`,_id:1,x:3,y:{z:1}},max:{t:`+at(1699999990)+`,_id:2,x:5,y:{z:1}}},meta:{a:2,b:1},
			data:{t:{'0':`+at(1699999985)+`,'1':`+at(1699999990)+`},_id:{'0':2,'1':1},x:{'0':3,'1':5},y:{'0':{z:1}}}},
		{control:{version:1,min:{t:`+at(1700003700)+`,_id:3,x:'s'},max:{t:`+at(1700003700)+`,_id:3,x:'s'}},meta:{a:2,b:1},
			data:{t:{'0':`+at(1700003700)+`},_id:{'0':3},x:{'0':'s'}}}]`)
	s.want(t, `{count:'system.buckets.s'}`, `3`, "n")
	s.want(t, `{count:'s',query:{'m.a':2,t:{$gt:`+at(1699999985)+`}}}`, `2`, "n")
	first := s.run(t, `{find:'system.buckets.s'}`).Lookup("cursor", "firstBatch").String()
	if again := s.run(t, `{find:'system.buckets.s'}`).Lookup("cursor", "firstBatch").String(); again != first {
		t.Errorf("the buckets change: %s, %s", first, again)
	}
	s.wantWriteFailure(t, `{update:'system.buckets.s',updates:[{q:{},u:{$set:{x:1}},multi:true}]}`, 73, "mongotest changes no buckets: write to the time series of db.system.buckets.s")
}

// What a tool dumped from the buckets gives the same measurements when it is restored.
func TestTimeSeriesRestored(t *testing.T) {
	s := newSeries(t)
	want := s.run(t, `{find:'s',sort:{_id:1}}`).Lookup("cursor", "firstBatch").String()
	dump := s.run(t, `{find:'system.buckets.s'}`).Lookup("cursor", "firstBatch")
	s.run(t, `{drop:'s'}`)
	s.wantFound(t, `{listCollections:1,nameOnly:true}`, `[]`)
	s.run(t, `{create:'s',timeseries:{timeField:'t',metaField:'m'}}`)
	body, start := bson.AppendDocumentStart(nil)
	body = bson.AppendStringElement(body, "insert", "system.buckets.s")
	body = bson.AppendRawValueElement(body, "documents", dump)
	body = bson.AppendBooleanElement(body, "bypassDocumentValidation", true)
	s.run(t, bson.Raw(bson.AppendDocumentEnd(body, start)).String())
	if got := s.run(t, `{find:'s',sort:{_id:1}}`).Lookup("cursor", "firstBatch").String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.wantFailure(t, `{insert:'system.buckets.s',documents:[{_id:1,control:{version:2},data:{}}]}`, 115, "mongotest reads buckets of version 1 alone")
}

func TestTimeSeriesBucketsAreBounded(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'s',timeseries:{timeField:'t',bucketMaxSpanSeconds:10,bucketRoundingSeconds:10}}`)
	var docs []string
	for i := range 2500 {
		docs = append(docs, fmt.Sprintf(`{_id:%d,t:%s}`, i, at(1000+i%25)))
	}
	s.run(t, `{insert:'s',documents:[`+strings.Join(docs, ",")+`]}`)
	s.wantFound(t, `{aggregate:'system.buckets.s',cursor:{},pipeline:[{$project:{_id:0,from:'$control.min.t',n:{$size:{$objectToArray:'$data.t'}}}},{$sort:{from:1,n:-1}}]}`,
		`[{from:`+at(1000)+`,n:1000},{from:`+at(1010)+`,n:1000},{from:`+at(1020)+`,n:500}]`)
}

func TestTimeSeriesWrites(t *testing.T) {
	s := newSeries(t)
	s.run(t, `{create:'plain',timeseries:{timeField:'t'}}`)
	update := func(q, u, more string) string { return `{update:'s',updates:[{q:` + q + `,u:` + u + more + `}]}` }
	const multi = `,multi:true`
	for _, c := range []struct {
		name, command, text string
		wire                int32
	}{
		{"one delete", `{delete:'s',deletes:[{q:{},limit:1}]}`, "Cannot perform a non-multi delete on a time-series collection", 0},
		{"a delete by time in 6.0", `{delete:'s',deletes:[{q:{t:1},limit:0}]}`, "when querying on a field that is not the metaField 'm'", 17},
		{"a delete without a meta field in 6.0", `{delete:'plain',deletes:[{q:{x:1},limit:0}]}`, "that does not have a metaField", 17},
		{"one update", update(`{m:1}`, `{$set:{m:2}}`, ``), "Cannot perform a non-multi update on a time-series collection", 0},
		{"an upsert", update(`{m:1}`, `{$set:{m:2}}`, multi+`,upsert:true`), "Cannot perform an upsert on a time-series collection", 0},
		{"an update by another field", update(`{x:1}`, `{$set:{m:2}}`, multi), "when querying on a field that is not the metaField 'm'", 0},
		{"an update of another field", update(`{m:1}`, `{$set:{x:2}}`, multi), "when updating a field that is not the metaField 'm'", 0},
		{"a pipeline", update(`{m:1}`, `[{$set:{m:2}}]`, multi), "using a pipeline update", 0},
		{"a replacement", update(`{m:1}`, `{m:2}`, multi), "using a replacement document", 0},
		{"an update without a meta field", `{update:'plain',updates:[{q:{},u:{$set:{x:1}},multi:true}]}`, "that does not have a metaField", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if s.wire = 25; c.wire != 0 {
				s.wire = c.wire
			}
			s.wantWriteFailure(t, c.command, 72, c.text)
		})
	}
	s.wire = 25
	s.wantFailure(t, `{findAndModify:'s',query:{},remove:true}`, 166, "Namespace db.s is a timeseries collection")
	s.wantFailure(t, `{create:'n',timeseries:{timeField:'t',bucketRoundingSeconds:5,bucketMaxSpanSeconds:6}}`, 72, "must be set together")
	s.wantWriteFailure(t, `{insert:'s',documents:[{m:1}]}`, 2, "'t' must be present and contain a valid BSON UTC datetime value")
	s.want(t, update(`{'m.a':2}`, `{$set:{'m.a':9}}`, multi), `3`, "nModified")
	s.want(t, `{count:'system.buckets.s',query:{'meta.a':9}}`, `2`, "n")
	s.want(t, `{delete:'s',deletes:[{q:{'m.a':9,x:5},limit:0}]}`, `1`, "n")
	s.now = time.Unix(1700104000, 0)
	if n, err := s.Expire(); n != 3 || err != nil {
		t.Errorf("%d measurements expired, %v", n, err)
	}
}

func TestClusteredCollections(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'c',clusteredIndex:{key:{_id:1},unique:true}}`)
	s.run(t, `{insert:'c',documents:[{_id:5},{_id:1},{_id:9,x:1},{_id:3},{_id:7}]}`)
	s.wantFound(t, `{find:'c'}`, `[{_id:1},{_id:3},{_id:5},{_id:7},{_id:9,x:1}]`)
	s.wantFound(t, `{find:'c',sort:{$natural:-1},limit:2}`, `[{_id:9,x:1},{_id:7}]`)
	s.wantFound(t, `{find:'c',filter:{_id:{$gte:3,$lt:7}},hint:{$natural:-1}}`, `[{_id:5},{_id:3}]`)
	s.wantFound(t, `{aggregate:'c',cursor:{},pipeline:[{$limit:2}]}`, `[{_id:1},{_id:3}]`)
	plan := []string{"queryPlanner", "winningPlan"}
	s.want(t, `{explain:{find:'c',filter:{_id:{$gte:3,$lt:7}}}}`, `{isCached:false,stage:'CLUSTERED_IXSCAN',keyPattern:{_id:1},indexName:'_id_',isMultiKey:false,
		multiKeyPaths:{_id:[]},isUnique:true,isSparse:false,isPartial:false,indexVersion:2,filter:{$and:[{_id:{$lt:7}},{_id:{$gte:3}}]},direction:'forward',minRecord:3,maxRecord:7}`, plan...)
	s.want(t, `{explain:{find:'c',filter:{_id:{$gte:3,$lt:7}}},verbosity:'executionStats'}`, `2`, "executionStats", "totalDocsExamined")
	s.want(t, `{explain:{find:'c',filter:{x:1}}}`, `'COLLSCAN'`, append(plan, "stage")...)
	s.wantWriteFailure(t, `{insert:'c',documents:[{_id:5}]}`, 11000, "dup key: { _id: 5 }")
	s.run(t, `{insert:'c',documents:[{_id:{$oid:'0102030405060708090a0b0c'}}]}`)
	s.wantFound(t, `{find:'c',filter:{_id:{$oid:'0102030405060708090a0b0c'}},showRecordId:true}`,
		`[{_id:{$oid:'0102030405060708090a0b0c'},$recordId:{$binary:{base64:'ZAECAwQFBgcICQoLDA==',subType:'00'}}}]`)
}

func TestTimeSeriesAreNotCapped(t *testing.T) {
	s := newServer(t)
	s.run(t, `{create:'ts',timeseries:{timeField:'t'}}`)
	s.wantFailure(t, `{convertToCapped:'ts',size:4096}`, 166, "is a view")
	s.wantFailure(t, `{cloneCollectionAsCapped:'ts',toCollection:'c',size:4096}`, 166, "is a view")
	s.want(t, `{listCollections:1,filter:{name:'ts'}}`, `'timeseries'`, "cursor", "firstBatch", "0", "type")
}
