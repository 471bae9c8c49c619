package mongotest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// endless returns commands that would run for minutes over the documents of heavy.
func endless() map[string]bson.D {
	product := bson.A{}
	for range 8 { // 400^8 documents
		product = append(product, bson.Doc("$lookup", bson.Doc("from", "heavy", "pipeline", bson.A{}, "as", "x")), bson.Doc("$unwind", "$x"))
	}
	numbers := bson.Doc("$range", bson.A{0, 100_000})
	slow := bson.Doc("$reduce", bson.Doc("input", numbers, "initialValue", 0, "in", bson.Doc("$add", bson.A{"$$value", "$$this", "$_id"})))
	never := bson.Doc("$expr", bson.Doc("$lt", bson.A{slow, 0}))
	pipeline := func(stages ...any) bson.D {
		return bson.Doc("aggregate", "heavy", "pipeline", bson.A(stages), "cursor", bson.D{})
	}
	return map[string]bson.D{
		"find":        bson.Doc("find", "heavy", "filter", never),
		"count":       bson.Doc("count", "heavy", "query", never),
		"distinct":    bson.Doc("distinct", "heavy", "key", "a", "query", never),
		"lookup":      pipeline(append(product, bson.Doc("$count", "n"))...),
		"sort":        pipeline(append(product, bson.Doc("$sort", bson.Doc("x.a", 1)))...),
		"group":       pipeline(append(product, bson.Doc("$group", bson.Doc("_id", "$a")))...),
		"graphLookup": pipeline(append(product, bson.Doc("$graphLookup", bson.Doc("from", "heavy", "startWith", "$a", "connectFromField", "a", "connectToField", "a", "as", "g")), bson.Doc("$count", "n"))...),
		"update":      bson.Doc("update", "heavy", "updates", bson.A{bson.Doc("q", never, "u", bson.Doc("$set", bson.Doc("b", 1)), "multi", true)}),
		"delete":      bson.Doc("delete", "heavy", "deletes", bson.A{bson.Doc("q", never, "limit", 0)}),
	}
}

func heavy(t *testing.T, c *rawConn) {
	t.Helper()
	docs := bson.A{}
	for i := range 400 {
		docs = append(docs, bson.Doc("_id", i, "a", i%7))
	}
	c.run(bson.Doc("insert", "heavy", "documents", docs, "$db", "db"))
}

// soon is how long a command may keep running after it should have stopped. It allows for a busy machine; mongotest
// needs less.
const soon = 5 * time.Second

func TestMaxTimeStopsWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	c := raw(t, d, 0)
	heavy(t, c)
	for name, command := range endless() {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			reply := c.run(append(command, bson.E{Key: "maxTimeMS", Value: 50}, bson.E{Key: "$db", Value: "db"}))
			code := codeOf(reply)
			if failed, ok := reply.Lookup("writeErrors", "0", "code").AsInt64OK(); ok {
				code = errcode.Code(failed)
			}
			if passed := time.Since(began); code != errcode.MaxTimeMSExpired || passed > soon {
				t.Errorf("after %v: %s", passed, reply)
			}
		})
	}
}

// running waits until a command with the comment and more runs, and returns its operation.
func running(t *testing.T, c *rawConn, comment string, more ...any) bson.Raw {
	t.Helper()
	for {
		list, _ := c.admin(append([]any{"currentOp", 1, "command.comment", comment}, more...)...).Lookup("inprog").ArrayOK()
		for _, op := range list.All() {
			d, _ := op.DocumentOK()
			return d
		}
	}
}

func TestKillsStopWhatRuns(t *testing.T) {
	lsid := bson.Doc("id", bson.NewUUID())
	for name, kill := range map[string]func(client, other *rawConn, op bson.Raw){
		"killOp":       func(_, other *rawConn, op bson.Raw) { other.admin("killOp", 1, "op", op.Lookup("opid")) },
		"killSessions": func(_, other *rawConn, _ bson.Raw) { other.admin("killSessions", bson.A{lsid}) },
		"endSessions":  func(_, other *rawConn, _ bson.Raw) { other.admin("endSessions", bson.A{lsid}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t)
			client, other := raw(t, d, 0), raw(t, d, 0)
			heavy(t, client)
			client.send(0, append(endless()["lookup"], bson.E{Key: "comment", Value: name}, bson.E{Key: "lsid", Value: lsid}, bson.E{Key: "$db", Value: "db"}))
			op := running(t, other, name)
			began := time.Now()
			kill(client, other, op)
			if reply := client.receive().body; codeOf(reply) != errcode.Interrupted || time.Since(began) > soon {
				t.Errorf("after %v: %s", time.Since(began), reply)
			}
		})
	}
}

func TestClosedConnectionStopsWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	client, other := raw(t, d, 0), raw(t, d, 0)
	heavy(t, client)
	client.send(0, append(endless()["lookup"], bson.E{Key: "comment", Value: "left"}, bson.E{Key: "$db", Value: "db"}))
	running(t, other, "left")
	client.nc.Close()
	began := time.Now()
	for fmt.Sprint(other.admin("currentOp", 1, "command.comment", "left").Lookup("inprog", "0")) != fmt.Sprint(bson.RawValue{}) {
		if time.Since(began) > soon {
			t.Fatal("the command still runs")
		}
	}
}

func TestCloseStopsWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	client, other := raw(t, d, 0), raw(t, d, 0)
	heavy(t, client)
	client.send(0, append(endless()["sort"], bson.E{Key: "comment", Value: "runs"}, bson.E{Key: "$db", Value: "db"}))
	running(t, other, "runs")
	began := time.Now()
	d.Close()
	if passed := time.Since(began); passed > soon {
		t.Errorf("the deployment closed after %v", passed)
	}
}
