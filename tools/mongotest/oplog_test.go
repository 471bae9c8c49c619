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

// plainEntry returns an oplog entry without times, as relaxed extended JSON with single quotes.
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
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
			reply := c.run(bson.Doc("find", "oplog.rs", "tailable", true, "awaitData", true, "$db", "local"))
			got := batch(reply, "firstBatch")
			c.mustRun("db", `{'insert':'c','documents':[{'_id':1,'a':1}]}`, `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'a':2}}}]}`,
				`{'update':'c','updates':[{'q':{'_id':1},'u':{'b':1}}]}`,
				`{'delete':'c','deletes':[{'q':{'_id':1},'limit':1}],`+session+`,'txnNumber':{'$numberLong':'1'}}`,
				`{'create':'v','viewOn':'c','pipeline':[]}`,
				`{'insert':'c','documents':[{'_id':2}],`+session+`,'txnNumber':{'$numberLong':'2'},'startTransaction':true,'autocommit':false}`,
				`{'delete':'c','deletes':[{'q':{'_id':2},'limit':1}],`+session+`,'txnNumber':{'$numberLong':'2'},'autocommit':false}`)
			c.mustRun("admin", `{'commitTransaction':1,`+session+`,'txnNumber':{'$numberLong':'2'},'autocommit':false}`)
			c.mustRun("db", `{'drop':'c'}`)
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

// A server since 8.0 logs the documents of an insert as one entry of several operations, unless one of them fails.
func TestOplogOfSeveralInserts(t *testing.T) {
	one := func(id string) string {
		return `{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':` + id + `},'o2':{'_id':` + id + `}}`
	}
	group := func(inner ...string) string {
		return `{'op':'c','ns':'admin.$cmd','o':{'applyOps':[` + strings.Join(inner, ",") + `]},'multiOpType':1}`
	}
	const session = `'lsid':{'id':{'$uuid':'00000000-0000-4000-8000-000000000001'}},'txnNumber':{'$numberLong':'1'}`
	inserts := []struct {
		command string
		old     []string
		now     []string
	}{
		{`{'insert':'c','documents':[{'_id':1},{'_id':2}]}`, []string{one("1"), one("2")}, []string{group(one("1"), one("2"))}},
		{`{'insert':'c','documents':[{'_id':3}]}`, []string{one("3")}, []string{one("3")}},
		{`{'insert':'c','documents':[{'_id':4},{'_id':1},{'_id':5}],'ordered':false}`, []string{one("4"), one("5")}, []string{one("4"), one("5")}},
		{`{'insert':'c','documents':[{'_id':6},{'_id':7}],` + session + `}`, []string{
			`{'lsid':{'id':UUID},'txnNumber':1,'op':'i','ns':'db.c','ui':UUID,'o':{'_id':6},'o2':{'_id':6},'stmtId':0,'prevOpTime':{}}`,
			`{'lsid':{'id':UUID},'txnNumber':1,'op':'i','ns':'db.c','ui':UUID,'o':{'_id':7},'o2':{'_id':7},'stmtId':1,'prevOpTime':{}}`,
		}, []string{`{'lsid':{'id':UUID},'txnNumber':1,'op':'c','ns':'admin.$cmd','o':{'applyOps':[` +
			`{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':6},'o2':{'_id':6},'stmtId':0},` +
			`{'op':'i','ns':'db.c','ui':UUID,'o':{'_id':7},'o2':{'_id':7},'stmtId':1}]},'prevOpTime':{},'multiOpType':1}`}},
	}
	for _, version := range []string{"7.0", "8.0"} {
		t.Run(version, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0)
			c.mustRun("db", `{'create':'c'}`)
			stream := c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc())}, "cursor", bson.Doc(), "$db", "db"))
			var want []string
			for _, insert := range inserts {
				c.run(append(parseDocument(t, insert.command), bson.E{Key: "$db", Value: "db"}))
				if want = append(want, insert.now...); version == "7.0" {
					want = append(want[:len(want)-len(insert.now)], insert.old...)
				}
			}
			var got []string
			entries := bson.Doc("find", "oplog.rs", "filter", bson.Doc("o.create", bson.Doc("$exists", false), "op", bson.Doc("$ne", "n")), "$db", "local")
			for _, d := range batch(c.run(entries), "firstBatch") {
				got = append(got, plainEntry(d))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s\n", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			events := batch(c.run(bson.Doc("getMore", stream.Lookup("cursor", "id"), "collection", "c", "$db", "db")), "nextBatch")
			if len(events) != 7 {
				t.Fatalf("the change stream has %d events", len(events))
			}
			after := bson.Doc("$changeStream", bson.Doc("resumeAfter", events[0].Lookup("_id")))
			rest := batch(c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{after}, "cursor", bson.Doc(), "$db", "db")), "firstBatch")
			if len(rest) != 6 || rest[0].Lookup("documentKey", "_id").String() != events[1].Lookup("documentKey", "_id").String() {
				t.Errorf("after the first event come %s", rest)
			}
		})
	}
}

// A group has at most 500 documents and 256 KiB. A bulkWrite groups consecutive inserts.
func TestGroupsOfInserts(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")), 0)
	c.mustRun("db", `{'create':'c'}`, `{'create':'d'}`, `{'create':'capped','capped':true,'size':10000}`)
	many := func(n, size int) (list bson.A) {
		for range n {
			list = append(list, bson.Doc("text", strings.Repeat("x", size)))
		}
		return list
	}
	inserts := func(coll string, docs bson.A) bson.D { return bson.Doc("insert", coll, "documents", docs, "$db", "db") }
	ops := bson.A{bson.Doc("insert", 0, "document", bson.Doc("_id", 1)), bson.Doc("insert", 0, "document", bson.Doc("_id", 2)),
		bson.Doc("insert", 1, "document", bson.Doc("_id", 1)), bson.Doc("delete", 1, "filter", bson.Doc("_id", 1)),
		bson.Doc("insert", 1, "document", bson.Doc("_id", 3)), bson.Doc("insert", 1, "document", bson.Doc("_id", 4))}
	for _, test := range []struct {
		name    string
		command bson.D
		want    []int
	}{
		{"many", inserts("c", many(1100, 1)), []int{500, 500, 100}},
		{"large", inserts("c", many(5, 100<<10)), []int{2, 2, 1}},
		{"one that is larger", inserts("c", many(2, 300<<10)), []int{1, 1}},
		{"capped", inserts("capped", many(2, 1)), []int{1, 1}},
		{"bulkWrite", bson.Doc("bulkWrite", 1, "ops", ops, "nsInfo", bson.A{bson.Doc("ns", "db.c"), bson.Doc("ns", "db.d")}, "$db", "admin"), []int{2, 1, 1, 2}},
	} {
		var before bson.Raw
		newest := bson.Doc("find", "oplog.rs", "sort", bson.Doc("$natural", -1), "limit", 1, "$db", "local")
		before = batch(c.run(newest), "firstBatch")[0]
		if reply := c.run(test.command); codeOf(reply) != 0 {
			t.Fatalf("%s: %s", test.name, reply)
		}
		var got []int
		since := bson.Doc("find", "oplog.rs", "filter", bson.Doc("ts", bson.Doc("$gt", before.Lookup("ts"))), "$db", "local")
		for _, d := range batch(c.run(since), "firstBatch") {
			list, _ := d.Lookup("o", "applyOps").ArrayOK()
			n := 0
			for range list.All() {
				n++
			}
			got = append(got, max(n, 1))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: groups of %d, want %d", test.name, got, test.want)
		}
	}
}

func TestLocalCollections(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	c := connectRaw(t, d, 0)
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
	if got := batch(connectRaw(t, d, 1).run(bson.Doc("find", "oplog.rs", "filter", bson.Doc("op", "n", "t", 2), "$db", "local", "$readPreference", bson.Doc("mode", "nearest"))), "firstBatch"); len(got) != 1 {
		t.Errorf("the new primary logged %s", got)
	}
	alone := connectRaw(t, mongotest.Start(t), 0)
	runCases(t, alone, []wireCase{{"none on a standalone server", "local", `{'find':'oplog.rs'}`, 0, "cursor firstBatch=[]"}})
}

// rs.printReplicationInfo() reads the size of the oplog and the times of its first and last entries.
func TestReplicationInfo(t *testing.T) {
	clock := newTestClock()
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Clock(clock.now)), 0)
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
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1}]}`)
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
