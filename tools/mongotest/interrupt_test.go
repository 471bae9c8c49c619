package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// endlessCommands returns commands that would run for minutes over the documents of heavy.
func endlessCommands() map[string]bson.D {
	product := bson.A{}
	for range 8 { // 400^8 documents
		product = append(product, bson.Doc("$lookup", bson.Doc("from", "heavy", "pipeline", bson.A{}, "as", "x")), bson.Doc("$unwind", "$x"))
	}
	numbers := bson.Doc("$range", bson.A{0, 10_000})
	sum := func(of any) bson.D {
		return bson.Doc("$reduce", bson.Doc("input", numbers, "initialValue", 0, "in", bson.Doc("$add", bson.A{"$$value", of})))
	}
	slow := sum(sum(bson.Doc("$add", bson.A{"$$this", "$_id"})))
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
		"setWindowFields": pipeline(append(product, bson.Doc("$setWindowFields", bson.Doc("sortBy", bson.Doc("a", 1), "output",
			bson.Doc("r", bson.Doc("$rank", bson.D{})))))...),
		"bucketAuto":    pipeline(append(product, bson.Doc("$bucketAuto", bson.Doc("groupBy", "$a", "buckets", 3)))...),
		"facet":         pipeline(bson.Doc("$facet", bson.Doc("all", append(product, bson.Doc("$count", "n"))))),
		"unionWith":     pipeline(bson.Doc("$unionWith", bson.Doc("coll", "heavy", "pipeline", append(product, bson.Doc("$count", "n")))), bson.Doc("$count", "n")),
		"merge":         pipeline(append(product, bson.Doc("$merge", "merged"))...),
		"explain":       bson.Doc("explain", bson.Doc("find", "heavy", "filter", never), "verbosity", "executionStats"),
		"findAndModify": bson.Doc("findAndModify", "heavy", "query", never, "remove", true),
		"update":        bson.Doc("update", "heavy", "updates", bson.A{bson.Doc("q", never, "u", bson.Doc("$set", bson.Doc("b", 1)), "multi", true)}),
		"delete":        bson.Doc("delete", "heavy", "deletes", bson.A{bson.Doc("q", never, "limit", 0)}),
	}
}

func insertHeavy(t *testing.T, c *rawConn) {
	t.Helper()
	docs := bson.A{}
	for i := range 400 {
		docs = append(docs, bson.Doc("_id", i, "a", i%7))
	}
	c.run(bson.Doc("insert", "heavy", "documents", docs, "$db", "db"))
}

// soon is how long a command may go on after it was told to stop.
const soon = 100 * time.Millisecond

// checkEndsSoon checks that something ends soon. A busy machine and the race detector can only delay the end, so
// the best of several tries counts.
func checkEndsSoon(t *testing.T, end func(t *testing.T) time.Duration) {
	t.Helper()
	limit, shortest := soon, time.Hour
	if raceEnabled {
		limit *= 20
	}
	for range 30 {
		if shortest = min(shortest, end(t)); shortest <= limit || t.Failed() {
			return
		}
	}
	t.Errorf("it ended %v too late", shortest)
}

// failure returns the code of a reply, or of its first write error.
func failure(reply bson.Raw) errcode.Code {
	if failed, ok := reply.Lookup("writeErrors", "0", "code").AsInt64OK(); ok {
		return errcode.Code(failed)
	}
	return codeOf(reply)
}

func TestMaxTimeStopsWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	insertHeavy(t, c)
	const limit = 20 * time.Millisecond
	for name, command := range endlessCommands() {
		t.Run(name, func(t *testing.T) {
			checkEndsSoon(t, func(t *testing.T) time.Duration {
				began := time.Now()
				reply := c.run(append(command, bson.E{Key: "maxTimeMS", Value: limit.Milliseconds()}, bson.E{Key: "$db", Value: "db"}))
				if code := failure(reply); code != errcode.MaxTimeMSExpired {
					t.Errorf("%s", reply)
				}
				return time.Since(began) - limit
			})
		})
	}
}

// awaitRunning waits until a command with the comment and more runs, and returns its operation.
func awaitRunning(t *testing.T, c *rawConn, comment string, more ...any) bson.Raw {
	t.Helper()
	for {
		list, _ := c.runAdmin(append([]any{"currentOp", 1, "command.comment", comment}, more...)...).Lookup("inprog").ArrayOK()
		for _, op := range list.All() {
			d, _ := op.DocumentOK()
			return d
		}
	}
}

// Every command ends soon after it or its session is killed.
func TestKillsStopWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	client, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	insertHeavy(t, client)
	for name, command := range endlessCommands() {
		for how, kill := range map[string]func(lsid bson.D, op bson.Raw){
			"killOp":       func(_ bson.D, op bson.Raw) { other.runAdmin("killOp", 1, "op", op.Lookup("opid")) },
			"killSessions": func(lsid bson.D, _ bson.Raw) { other.runAdmin("killSessions", bson.A{lsid}) },
			"endSessions":  func(lsid bson.D, _ bson.Raw) { other.runAdmin("endSessions", bson.A{lsid}) },
		} {
			if how != "killOp" && name != "lookup" && name != "update" {
				continue // sessions reach every command in the same way
			}
			t.Run(name+" by "+how, func(t *testing.T) {
				checkEndsSoon(t, func(t *testing.T) time.Duration {
					lsid := bson.Doc("id", bson.NewUUID())
					client.send(0, append(command, bson.E{Key: "comment", Value: name}, bson.E{Key: "lsid", Value: lsid}, bson.E{Key: "$db", Value: "db"}))
					op := awaitRunning(t, other, name)
					began := time.Now()
					kill(lsid, op)
					if reply := client.receive().body; failure(reply) != errcode.Interrupted {
						t.Errorf("%s", reply)
					}
					return time.Since(began)
				})
			})
		}
	}
}

// A command that reads ends soon after its client has gone.
func TestClosedConnectionStopsWhatRuns(t *testing.T) {
	d := mongotest.Start(t)
	other := connectRaw(t, d, 0)
	insertHeavy(t, other)
	for name, command := range endlessCommands() {
		if name == "update" || name == "delete" || name == "findAndModify" || name == "merge" {
			continue // writes go on, as on a server
		}
		t.Run(name, func(t *testing.T) {
			checkEndsSoon(t, func(t *testing.T) time.Duration {
				client := connectRaw(t, d, 0)
				client.send(0, append(command, bson.E{Key: "comment", Value: name}, bson.E{Key: "$db", Value: "db"}))
				awaitRunning(t, other, name)
				client.nc.Close()
				began := time.Now()
				for !other.runAdmin("currentOp", 1, "command.comment", name).Lookup("inprog", "0").IsZero() {
					if time.Since(began) > time.Minute {
						t.Error("the command still runs")
						break
					}
				}
				return time.Since(began)
			})
		})
	}
}

// A deployment closes soon, even while commands run on it.
func TestCloseStopsWhatRuns(t *testing.T) {
	for name, command := range endlessCommands() {
		t.Run(name, func(t *testing.T) {
			checkEndsSoon(t, func(t *testing.T) time.Duration {
				d, err := mongotest.New()
				if err != nil {
					t.Fatal(err)
				}
				client, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
				insertHeavy(t, client)
				client.send(0, append(command, bson.E{Key: "comment", Value: name}, bson.E{Key: "$db", Value: "db"}))
				awaitRunning(t, other, name)
				began := time.Now()
				d.Close()
				return time.Since(began)
			})
		})
	}
}
