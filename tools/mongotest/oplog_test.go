package mongotest_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

var logged = regexp.MustCompile(`,?"(ts|t|v|wall)":(\{"\$timestamp":\{[^}]*\}\}|\{"\$date":"[^"]*"\}|-?[0-9]+)`)

// plainEntry is an oplog entry without times, as relaxed extended JSON with single quotes.
func plainEntry(d bson.Raw) string {
	s := logged.ReplaceAllString(d.String(), "")
	s = strings.ReplaceAll(binaries.ReplaceAllString(s, "UUID"), `"`, "'")
	return strings.ReplaceAll(s, "{,", "{")
}

func batch(reply bson.Raw, name string) (list []bson.Raw) {
	array, _ := reply.Lookup("cursor", name).ArrayOK()
	for _, v := range array.All() {
		d, _ := v.DocumentOK()
		list = append(list, d)
	}
	return list
}

func TestOplog(t *testing.T) {
	tests := []struct {
		version string
		want    []string
	}{
		{"8.0", []string{
			`{'op':'n','ns':'','o':{'msg':'initiating set'}}`,
			`{'op':'c','ns':'db.$cmd','ui':UUID,'o':{'create':'c','idIndex':{'key':{'_id':1},'name':'_id_'}}}`,
			`{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':1,'a':1},'o2':{'_id':1}}`,
			`{'op':'u','ns':'db.c','ui':UUID,'o':{'$v':2,'diff':{'u':{'a':2}}},'o2':{'_id':1}}`,
			`{'op':'u','ns':'db.c','ui':UUID,'o':{'_id':1,'b':1},'o2':{'_id':1}}`,
			`{'lsid':{'id':UUID},'txnNumber':1,'op':'d','ns':'db.c','ui':UUID,'o':{'_id':1},'stmtId':0,'prevOpTime':{}}`,
			`{'op':'i','ns':'db.system.views','o':{'_id':'db.v','viewOn':'c','pipeline':[]},'o2':{'_id':'db.v'}}`,
			`{'lsid':{'id':UUID,'uid':UUID},'txnNumber':2,'op':'c','ns':'admin.$cmd','o':{'applyOps':[{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':2},'o2':{'_id':2}},{'op':'d','ns':'db.c','ui':UUID,'o':{'_id':2}}]},'prevOpTime':{}}`,
			`{'op':'c','ns':'db.$cmd','ui':UUID,'o':{'drop':'c'},'o2':{'numRecords':0}}`,
		}},
		{"4.4", []string{
			`{'op':'n','ns':'','o':{'msg':'initiating set'}}`,
			`{'op':'c','ns':'db.$cmd','ui':UUID,'o':{'create':'c','idIndex':{'key':{'_id':1},'name':'_id_'}}}`,
			`{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':1,'a':1}}`,
			`{'op':'u','ns':'db.c','ui':UUID,'o':{'$v':1,'$set':{'a':2}},'o2':{'_id':1}}`,
			`{'op':'u','ns':'db.c','ui':UUID,'o':{'_id':1,'b':1},'o2':{'_id':1}}`,
			`{'lsid':{'id':UUID},'txnNumber':1,'op':'d','ns':'db.c','ui':UUID,'o':{'_id':1},'stmtId':0,'prevOpTime':{}}`,
			`{'op':'i','ns':'db.system.views','o':{'_id':'db.v','viewOn':'c','pipeline':[]}}`,
			`{'lsid':{'id':UUID,'uid':UUID},'txnNumber':2,'op':'c','ns':'admin.$cmd','o':{'applyOps':[{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':2}},{'op':'d','ns':'db.c','ui':UUID,'o':{'_id':2}}]},'prevOpTime':{}}`,
			`{'op':'c','ns':'db.$cmd','ui':UUID,'o':{'drop':'c'},'o2':{'numRecords':0}}`,
		}},
	}
	const session = `'lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}}`
	for _, test := range tests {
		t.Run(test.version, func(t *testing.T) {
			c := raw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
			reply := c.run(bson.Doc("find", "oplog.rs", "tailable", true, "awaitData", true, "$db", "local"))
			got := batch(reply, "firstBatch")
			c.must("db", `{'insert':'c','documents':[{'_id':1,'a':1}]}`, `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':2}}}]}`,
				`{'update':'c','updates':[{'q':{'_id':1},'u':{'b':1}}]}`,
				`{'delete':'c','deletes':[{'q':{'_id':1},'limit':1}],`+session+`,'txnNumber':{'$numberLong':'1'}}`,
				`{'create':'v','viewOn':'c','pipeline':[]}`,
				`{'insert':'c','documents':[{'_id':2}],`+session+`,'txnNumber':{'$numberLong':'2'},'startTransaction':true,'autocommit':false}`,
				`{'delete':'c','deletes':[{'q':{'_id':2},'limit':1}],`+session+`,'txnNumber':{'$numberLong':'2'},'autocommit':false}`)
			c.must("admin", `{'commitTransaction':1,`+session+`,'txnNumber':{'$numberLong':'2'},'autocommit':false}`)
			c.must("db", `{'drop':'c'}`)
			reply = c.run(bson.Doc("getMore", reply.Lookup("cursor", "id"), "collection", "oplog.rs", "maxTimeMS", 60000, "$db", "local"))
			got = append(got, batch(reply, "nextBatch")...)
			var plain []string
			for _, d := range got {
				plain = append(plain, plainEntry(d))
			}
			if !slices.Equal(plain, test.want) {
				t.Errorf("got\n%s\nwant\n%s\n", strings.Join(plain, "\n"), strings.Join(test.want, "\n"))
			}
			last := got[len(got)-1]
			reply = c.run(bson.Doc("find", "oplog.rs", "sort", bson.Doc("$natural", -1), "limit", 1, "$db", "local"))
			if found := batch(reply, "firstBatch"); len(found) != 1 || string(found[0]) != string(last) {
				t.Errorf("the last entry is %s, want %s", found, last)
			}
			at := got[2].Lookup("ts")
			reply = c.run(bson.Doc("find", "oplog.rs", "filter", bson.Doc("ts", bson.Doc("$gte", at)), "oplogReplay", true, "$db", "local"))
			if found := batch(reply, "firstBatch"); len(found) != len(got)-2 {
				t.Errorf("%d entries from %s on, want %d", len(found), at, len(got)-2)
			}
			if term, _ := last.Lookup("t").Int64OK(); term != 1 {
				t.Errorf("the term is %d", term)
			}
		})
	}
}

func TestLocalCollections(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	c := raw(t, d, 0)
	runCases(t, c, []wireCase{
		{"configuration", "local", `{'find':'system.replset'}`, 0, "cursor firstBatch 0 _id='rs0'"},
		{"listed", "local", `{'listCollections':1,'filter':{'name':'oplog.rs'}}`, 0, "cursor firstBatch 0 options={'capped':true,'size':1073741824,'autoIndexId':false}"},
		{"count", "local", `{'count':'oplog.rs'}`, 0, "n=1"},
		{"aggregate", "local", `{'aggregate':'oplog.rs','pipeline':[{'$match':{'op':'n'}},{'$count':'n'}],'cursor':{}}`, 0, "cursor firstBatch 0 n=1"},
		{"statistics", "local", `{'collStats':'oplog.rs'}`, 0, "capped=true"},
		{"no indexes", "local", `{'listIndexes':'oplog.rs'}`, 0, "cursor firstBatch=[]"},
		{"no writes", "local", `{'insert':'oplog.rs','documents':[{'_id':1}]}`, 0, "writeErrors 0 code=73"},
		{"no drop", "local", `{'drop':'oplog.rs'}`, errcode.InvalidNamespace, ""},
	})
	d.StepDown()
	if got := batch(raw(t, d, 1).run(bson.Doc("find", "oplog.rs", "filter", bson.Doc("op", "n", "t", 2), "$db", "local", "$readPreference", bson.Doc("mode", "nearest"))), "firstBatch"); len(got) != 1 {
		t.Errorf("the new primary logged %s", got)
	}
	alone := raw(t, mongotest.Start(t), 0)
	runCases(t, alone, []wireCase{{"none on a standalone server", "local", `{'find':'oplog.rs'}`, 0, "cursor firstBatch=[]"}})
}

// rs.printReplicationInfo() reads the size of the oplog and the times of its first and last entries.
func TestReplicationInfo(t *testing.T) {
	clock := newTestClock()
	c := raw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Clock(clock.now)), 0)
	ends := func() (first, last uint32) {
		for order, at := range map[int]*uint32{1: &first, -1: &last} {
			found := batch(c.run(bson.Doc("find", "oplog.rs", "sort", bson.Doc("$natural", order), "limit", 1, "$db", "local")), "firstBatch")
			if len(found) != 1 {
				t.Fatalf("%d entries", len(found))
			}
			*at, _, _ = found[0].Lookup("ts").TimestampOK()
		}
		return first, last
	}
	before := c.run(bson.Doc("collStats", "oplog.rs", "$db", "local"))
	clock.advance(time.Hour)
	c.must("db", `{'insert':'c','documents':[{'_id':1}]}`)
	if first, last := ends(); last-first != 3600 {
		t.Errorf("the log is %d seconds long", last-first)
	}
	after := c.run(bson.Doc("collStats", "oplog.rs", "$db", "local"))
	for _, field := range []string{"size", "count"} {
		small, _ := before.Lookup(field).AsInt64OK()
		if large, _ := after.Lookup(field).AsInt64OK(); large <= small {
			t.Errorf("%s is %d after %d", field, large, small)
		}
	}
	if size, _ := after.Lookup("maxSize").AsInt64OK(); size != 1<<30 {
		t.Errorf("the configured size is %d", size)
	}
}
