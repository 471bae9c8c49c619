package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// profileEntries returns the entries of system.profile with an op, without the fields that differ from run to run.
func profileEntries(t *testing.T, c *rawConn, op string) []string {
	t.Helper()
	reply := c.run(bson.Doc("find", "system.profile", "filter", bson.Doc("op", op), "projection", bson.Doc("_id", 0, "ns", 1,
		"command", 1, "nMatched", 1, "nModified", 1, "nUpserted", 1, "ndeleted", 1, "errCode", 1), "$db", "db"))
	var list []string
	batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	for _, v := range batch.All() {
		list = append(list, v.String())
	}
	return list
}

func checkEntries(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != marshal(t, parseDocument(t, want[i])).String() {
			t.Errorf("got %q, want %q", got, want)
			return
		}
	}
}

func TestProfilerShowsEachStatement(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t), 0)
	c.run(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}, "$db", "db"))
	c.run(bson.Doc("profile", 2, "$db", "db"))
	one := marshal(t, parseDocument(t, `{'q':{'_id':1},'u':{'$set':{'a':1}}}`))
	c.send(0, bson.Doc("update", "c", "comment", "why", "$db", "db"), sequence("updates", one))
	c.receive()
	c.run(append(parseDocument(t, `{'update':'c','updates':[{'q':{'_id':9},'u':{'b':1},'upsert':true},
		{'q':{},'u':{'$inc':{'_id':1}},'multi':true}]}`), bson.E{Key: "$db", Value: "db"}))
	c.run(append(parseDocument(t, `{'delete':'c','deletes':[{'q':{'_id':1},'limit':1},{'q':{},'limit':0,'hint':'_id_'}]}`),
		bson.E{Key: "$db", Value: "db"}))
	checkEntries(t, profileEntries(t, c, "update"),
		`{'ns':'db.c','command':{'q':{'_id':1},'u':{'$set':{'a':1}},'multi':false,'upsert':false,'comment':'why'},'nMatched':1,'nModified':1}`,
		`{'ns':'db.c','command':{'q':{'_id':9},'u':{'b':1},'upsert':true,'multi':false},'nUpserted':1,'nMatched':0,'nModified':0}`,
		`{'ns':'db.c','command':{'q':{},'u':{'$inc':{'_id':1}},'multi':true,'upsert':false},'nMatched':0,'nModified':0,'errCode':66}`)
	checkEntries(t, profileEntries(t, c, "remove"),
		`{'ns':'db.c','command':{'q':{'_id':1},'limit':1},'ndeleted':1}`,
		`{'ns':'db.c','command':{'q':{},'limit':0,'hint':'_id_'},'ndeleted':3}`)
}
