package mongotest_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A stream resumes after each event, and after the token of an empty batch.
func TestChangeStreamResumes(t *testing.T) {
	for _, version := range []string{"4.2", "8.0"} {
		t.Run(version, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0)
			c.mustRun("db", `{'create':'c'}`)
			s := openStream(t, c, "db", "c", `{'$changeStream':{}}`)
			tokens, left := []bson.Raw{s.token}, []int{6}
			c.mustRun("db", `{'insert':'c','documents':[{'_id':1},{'_id':'two'}]}`, `{'insert':'c','documents':[{'_id':{'three':3.5}}]}`, `{'insert':'x','documents':[{'_id':1}]}`,
				`{'delete':'c','deletes':[{'q':{'_id':'two'},'limit':1}]}`)
			for i, d := range s.drain() {
				token, _ := d.Lookup("_id").DocumentOK()
				tokens, left = append(tokens, token), append(left, 5-i)
			}
			c.mustRun("db", `{'insert':'x','documents':[{'_id':2}]}`)
			s.drain()
			tokens, left = append(tokens, s.token), append(left, 2)
			c.mustRun("db", `{'drop':'c'}`)
			all := s.drain()
			if len(all) != 6 || s.id != 0 || s.err != nil {
				t.Fatalf("%d events: %s", len(all), s.err)
			}
			for i, token := range tokens {
				for _, how := range []string{"resumeAfter", "startAfter"} {
					stage := bson.Doc("$changeStream", bson.Doc(how, token))
					again := &stream{c: c, db: "db"}
					again.take(c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{stage}, "cursor", bson.D{}, "$db", "db")), "firstBatch")
					if got := again.drain(); len(got) != left[i] || again.err != nil || plainEvent(got[0]) != plainEvent(all[6-left[i]]) {
						t.Errorf("%s token %d gives %d events, want %d: %s", how, i, len(got), left[i], again.err)
					}
				}
			}
			invalidate, _ := all[5].Lookup("_id").DocumentOK()
			c.mustRun("db", `{'insert':'c','documents':[{'_id':9}]}`)
			again := &stream{c: c, db: "db"}
			again.take(c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc("startAfter", invalidate))}, "cursor", bson.D{}, "$db", "db")), "firstBatch")
			if got := again.drain(); len(got) != 1 || again.id == 0 {
				t.Errorf("after the invalidate event came %s %s", got, again.err)
			}
			reply := c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc("resumeAfter", invalidate))}, "cursor", bson.D{}, "$db", "db"))
			if codeOf(reply) != errcode.InvalidResumeToken {
				t.Errorf("resumeAfter an invalidate event: %s", reply)
			}
			at := all[2].Lookup("clusterTime")
			again = &stream{c: c, db: "db"}
			again.take(c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc("startAtOperationTime", at))}, "cursor", bson.D{}, "$db", "db")), "firstBatch")
			if got := again.drain(); len(got) != 4 || plainEvent(got[0]) != plainEvent(all[2]) {
				t.Errorf("from %s on came %s %s", at, got, again.err)
			}
		})
	}
}

// A lagging secondary shows only what it has, and a stream shows only what a majority has.
func TestChangeStreamWaitsForMajority(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	c := connectRaw(t, d, 0)
	c.mustRun("db", `{'create':'c'}`)
	s := openStream(t, c, "db", "c", `{'$changeStream':{}}`)
	d.Lag(1, 1)
	d.Lag(2, 1)
	c.mustRun("db", `{'insert':'c','documents':[{'_id':1}],'writeConcern':{'w':1}}`)
	if got := s.drain(); len(got) != 0 {
		t.Fatalf("%s came before a majority had it", got)
	}
	c.send(0, bson.Doc("getMore", s.id, "collection", "c", "maxTimeMS", 60000, "$db", "db"))
	d.Lag(1, 0)
	s.take(c.receive().body, "nextBatch")
	if len(s.events) != 1 {
		t.Errorf("%d events, %s", len(s.events), s.err)
	}
}

// A stream cannot begin before the oldest entry of the oplog.
func TestChangeStreamHistory(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")), 0)
	s := openStream(t, c, "db", "c", `{'$changeStream':{}}`)
	docs := make([]bson.Raw, 90_000)
	for i := range docs {
		docs[i] = marshal(t, bson.Doc("_id", i))
	}
	list := make([][]byte, len(docs))
	for i, d := range docs {
		list[i] = d
	}
	c.send(0, bson.Doc("insert", "c", "$db", "db"), sequence("documents", list...))
	if reply := c.receive().body; codeOf(reply) != 0 {
		t.Fatal(reply)
	}
	token := s.token
	if s.drain(); s.err == nil || codeOf(s.err) != errcode.CappedPositionLost {
		t.Errorf("an open stream that fell behind: %.300s", s.err)
	}
	reply := c.run(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.Doc("resumeAfter", token))}, "cursor", bson.D{}, "$db", "db"))
	if codeOf(reply) != errcode.ChangeStreamHistoryLost || !strings.Contains(reply.String(), "NonResumableChangeStreamError") {
		t.Errorf("a stream that begins too early: %s", reply)
	}
}
