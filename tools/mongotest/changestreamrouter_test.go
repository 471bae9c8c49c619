package mongotest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Every router shows the same events in the order of their cluster times, whichever router a write went through. A stream that
// one router began goes on at another.
func TestChangeStreamsThroughRouters(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2), mongotest.Version("8.0"))
	routers := []*rawConn{connectRaw(t, d, 0), connectRaw(t, d, 1)}
	routers[0].mustRun("admin", `{'shardCollection':'db.c','key':{'a':1}}`)
	open := func(c *rawConn, options bson.D) *stream {
		s := &stream{c: c, db: "admin"}
		stage := bson.Doc("$changeStream", append(bson.Doc("allChangesForCluster", true), options...))
		s.take(c.run(bson.Doc("aggregate", 1, "pipeline", bson.A{stage}, "cursor", bson.D{}, "$db", "admin")), "firstBatch")
		return s
	}
	streams := []*stream{open(routers[0], nil), open(routers[1], nil)}
	const writes = 40
	for i := range writes {
		reply := routers[i%2].run(bson.Doc("insert", []string{"c", "other"}[i%3%2], "documents", bson.A{bson.Doc("_id", i, "a", -i)}, "$db", "db"))
		if codeOf(reply) != 0 {
			t.Fatal(reply)
		}
	}
	for i, s := range streams {
		var last bson.Timestamp
		for n, event := range s.drain() {
			seconds, number, ok := event.Lookup("clusterTime").TimestampOK()
			at := bson.Timestamp{T: seconds, I: number}
			if !ok || !last.Before(at) {
				t.Errorf("router %d: event %d has the time %v after %v", i, n, at, last)
			}
			last = at
			want := bson.Doc("_id", n)
			if n%3%2 == 0 {
				want = bson.Doc("a", -n, "_id", n) // of the sharded collection
			}
			if key := event.Lookup("documentKey"); key.String() != marshal(t, want).String() {
				t.Errorf("router %d: event %d is of %s, want %s", i, n, key, marshal(t, want))
			}
		}
		if len(s.events) != writes || s.err != nil {
			t.Fatalf("router %d shows %d events, %s", i, len(s.events), s.err)
		}
	}
	token, _ := streams[0].events[9].Lookup("_id").DocumentOK()
	if rest := open(routers[1], bson.Doc("resumeAfter", token)).drain(); len(rest) != writes-10 || string(rest[0]) != string(streams[0].events[10]) {
		t.Errorf("%d events follow at the other router", len(rest))
	}
	d.Kill(0)
	if rest := open(routers[1], bson.Doc("startAfter", streams[0].token)).drain(); len(rest) != 0 {
		t.Errorf("%d events follow after the last one", len(rest))
	}
}

// The document key of a sharded collection has the fields of its shard key, which may change.
func TestChangeStreamsShowShardKeys(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1), mongotest.Version("8.0")), 0)
	s := openStream(t, c, "db", "", `{'$changeStream':{'showExpandedEvents':true}},{'$match':{'operationType':{'$nin':['create','createIndexes']}}},`+
		`{'$project':{'operationType':1,'documentKey':1,'operationDescription':1}}`)
	c.mustRun("admin", `{'shardCollection':'db.c','key':{'a':1,'b.x':1}}`)
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1,'a':1,'b':{'x':2}},{'_id':2}]}`, `{'update':'c','updates':[{'q':{'_id':1},'u':{'$set':{'n':1}}}]}`)
	c.mustRun("admin", `{'reshardCollection':'db.c','key':{'_id':1,'n':1}}`)
	c.mustRun("db", `{'delete':'c','deletes':[{'q':{'_id':1},'limit':1}]}`)
	c.mustRun("admin", `{'unshardCollection':'db.c'}`)
	c.mustRun("db", `{'delete':'c','deletes':[{'q':{'_id':2},'limit':1}]}`)
	var got []string
	for _, event := range s.drain() {
		got = append(got, plainEvent(event))
	}
	want := []string{
		`{'operationType':'shardCollection','operationDescription':{'shardKey':{'a':1,'b.x':1},'unique':false}}`,
		`{'operationType':'insert','documentKey':{'a':1,'b.x':2,'_id':1}}`,
		`{'operationType':'insert','documentKey':{'_id':2}}`,
		`{'operationType':'update','documentKey':{'a':1,'b.x':2,'_id':1}}`,
		`{'operationType':'reshardCollection','operationDescription':{'reshardUUID':UUID,'shardKey':{'_id':1,'n':1},'oldShardKey':{'a':1,'b.x':1},'unique':false}}`,
		`{'operationType':'delete','documentKey':{'_id':1,'n':1}}`,
		`{'operationType':'delete','documentKey':{'_id':2}}`,
	}
	if !slices.Equal(got, want) || s.err != nil {
		t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), s.err)
	}
}
