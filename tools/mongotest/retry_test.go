package mongotest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// retryable adds a session and a transaction number to a command.
func retryable(command string, number int) string {
	return strings.TrimSuffix(command, "}") + fmt.Sprintf(`,lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}},txnNumber:{$numberLong:'%d'}}`, number)
}

// withoutFields removes the fields of a reply that differ from one run to the next.
func withoutFields(reply bson.Raw, names ...string) string {
	dst, start := bson.AppendDocumentStart(nil)
fields:
	for key, v := range reply.All() {
		for _, name := range append(names, "operationTime", "$clusterTime") {
			if key == name {
				continue fields
			}
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.Raw(bson.AppendDocumentEnd(dst, start)).String()
}

// A server answers the retry of every retryable command as it answered the first time, and does nothing again. So does
// another member that has become primary meanwhile.
func TestRetryIsExecutedOnce(t *testing.T) {
	const seed = `{insert:'c',documents:[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3}]}`
	for _, test := range []struct {
		name, command string
		retried       string // the field that reports the retry
		value         string
		documents     string
	}{
		{"insert", `{insert:'c',documents:[{_id:8},{_id:9}]}`, "retriedStmtIds", `[0,1]`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:8},{_id:9}]`},
		{"insert, numbered", `{insert:'c',documents:[{_id:8},{_id:9}],stmtIds:[5,7]}`, "retriedStmtIds", `[5,7]`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:8},{_id:9}]`},
		{"insert, numbered from", `{insert:'c',documents:[{_id:8},{_id:9}],stmtId:3}`, "retriedStmtIds", `[3,4]`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:8},{_id:9}]`},
		{"update", `{update:'c',updates:[{q:{_id:1},u:{$inc:{n:10}}},{q:{_id:7},u:{$inc:{n:1}},upsert:true}]}`, "retriedStmtIds", `[0,1]`, `[{_id:1,n:11},{_id:2,n:2},{_id:3,n:3},{_id:7,n:1}]`},
		{"delete", `{delete:'c',deletes:[{q:{},limit:1},{q:{n:3},limit:1}]}`, "retriedStmtIds", `[0,1]`, `[{_id:2,n:2}]`},
		{"findAndModify, before", `{findAndModify:'c',query:{_id:2},update:{$inc:{n:10}}}`, "retriedStmtId", `0`, `[{_id:1,n:1},{_id:2,n:12},{_id:3,n:3}]`},
		{"findAndModify, after", `{findAndModify:'c',query:{_id:2},update:{$inc:{n:10}},new:true}`, "retriedStmtId", `0`, `[{_id:1,n:1},{_id:2,n:12},{_id:3,n:3}]`},
		{"findAndModify, upsert", `{findAndModify:'c',query:{_id:7},update:{$inc:{n:10}},upsert:true}`, "retriedStmtId", `0`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:7,n:10}]`},
		{"findAndModify, remove", `{findAndModify:'c',remove:true,sort:{n:-1}}`, "retriedStmtId", `0`, `[{_id:1,n:1},{_id:2,n:2}]`},
		{"ordered error", `{insert:'c',documents:[{_id:8},{_id:1},{_id:9}]}`, "retriedStmtIds", `[0]`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:8}]`},
		{"unordered error", `{insert:'c',documents:[{_id:8},{_id:1},{_id:9}],ordered:false}`, "retriedStmtIds", `[0,2]`, `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3},{_id:8},{_id:9}]`},
		{"nothing to do", `{update:'c',updates:[{q:{_id:99},u:{$inc:{n:1}}}]}`, "retriedStmtIds", "", `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3}]`},
		{"nothing changed", `{update:'c',updates:[{q:{_id:1},u:{$set:{n:1}}}]}`, "retriedStmtIds", "", `[{_id:1,n:1},{_id:2,n:2},{_id:3,n:3}]`},
	} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/elsewhere %v", test.name, elsewhere), func(t *testing.T) {
				d := mongotest.Start(t, mongotest.ReplicaSet(3))
				c := connectRaw(t, d, 0)
				c.runInDB(seed)
				first := c.runInDB(retryable(test.command, 4))
				if codeOf(first) != 0 {
					t.Fatalf("%v", first)
				}
				checkSame(t, "the first time, "+test.retried, first.Lookup(test.retried), "")
				if elsewhere {
					d.StepDown()
					c = awaitPrimary(t, d)
				}
				again := c.runInDB(retryable(test.command, 4))
				checkSame(t, test.retried, again.Lookup(test.retried), test.value)
				if got, want := withoutFields(again, test.retried), withoutFields(first); got != want {
					t.Errorf("the retry gave %s, want %s", got, want)
				}
				checkSame(t, "documents", c.runInDB(`{find:'c',sort:{_id:1}}`).Lookup("cursor", "firstBatch"), test.documents)
			})
		}
	}
}

// A retried bulkWrite executes only what was not executed before.
func TestBulkWriteIsRetriedByOperation(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connectRaw(t, d, 0)
	bulk := func(number int, ops string) bson.Raw {
		command := parseExtJSON(t, retryable(`{bulkWrite:1,ops:[`+ops+`],nsInfo:[{ns:'db.c'}]}`, number))
		return c.run(bson.Raw(bson.AppendDocumentEnd(bson.AppendStringElement(append(bson.Raw(nil), command[:len(command)-1]...), "$db", "admin"), 0)))
	}
	const insert, update, wrong = `{insert:0,document:{_id:1,n:1}}`, `{update:0,filter:{_id:1},updateMods:{$inc:{n:1}}}`, `{insert:0,document:{_id:1}}`
	first := bulk(1, insert+","+update+","+wrong)
	checkSame(t, "nErrors", first.Lookup("nErrors"), "1")
	again := bulk(1, insert+","+update+`,{update:0,filter:{_id:1},updateMods:{$inc:{n:10}}}`)
	checkSame(t, "retriedStmtIds", again.Lookup("retriedStmtIds"), "[0,1]")
	checkSame(t, "nInserted", again.Lookup("nInserted"), "1")
	checkSame(t, "nMatched", again.Lookup("nMatched"), "2")
	checkSame(t, "nErrors", again.Lookup("nErrors"), "0")
	checkSame(t, "documents", c.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch"), `[{_id:1,n:12}]`)
	multi := bulk(2, `{update:0,filter:{},updateMods:{$inc:{n:1}},multi:true}`)
	results, _ := multi.Lookup("cursor", "firstBatch").ArrayOK()
	result, _ := results.Index(0)
	if text, _ := bson.Raw(result.Value).Lookup("errmsg").StringOK(); text != "Cannot use retryable writes with multi=true" {
		t.Errorf("%v", multi)
	}
}

// In a batch, statements that write several documents fail, and the others are executed.
func TestRetryableWritesOfManyDocuments(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.runInDB(`{insert:'c',documents:[{_id:1},{_id:2}]}`)
	reply := c.runInDB(retryable(`{update:'c',updates:[{q:{_id:1},u:{$set:{a:1}}},{q:{},u:{$set:{b:1}},multi:true},{q:{_id:2},u:{$set:{a:1}}}],ordered:false}`, 1))
	checkSame(t, "nModified", reply.Lookup("nModified"), "2")
	checkSame(t, "writeErrors", reply.Lookup("writeErrors"), `[{index:1,code:72,errmsg:'Cannot use (or request) retryable writes with multi=true'}]`)
	reply = c.runInDB(retryable(`{delete:'c',deletes:[{q:{},limit:0}]}`, 2))
	checkSame(t, "writeErrors", reply.Lookup("writeErrors"), `[{index:0,code:72,errmsg:'Cannot use (or request) retryable writes with limit=0'}]`)
	checkSame(t, "documents", c.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch"), `[{_id:1,a:1},{_id:2,a:1}]`)
}

// A session uses a transaction number once, and numbers only grow. A session that was ended starts again.
func TestOldTransactionNumbers(t *testing.T) {
	const text50, text42 = "is prohibited on session 00010203-0405-0607-0809-0a0b0c0d0e0f", "because a newer transaction 7 has already started"
	for _, test := range []struct{ version, text, retried string }{{"8.0", text50, "[0]"}, {"5.0", text50, "[0]"}, {"4.4", text42, ""}, {"4.2", text42, ""}} {
		t.Run(test.version, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(test.version)), 0)
			insert := func(number, id int) bson.Raw {
				return c.runInDB(retryable(fmt.Sprintf(`{insert:'c',documents:[{_id:%d}]}`, id), number))
			}
			insert(7, 1)
			old := insert(6, 2)
			checkRefused(t, old, errcode.TransactionTooOld)
			if message, _ := old.Lookup("errmsg").StringOK(); !strings.Contains(message, test.text) {
				t.Errorf("%s", message)
			}
			checkSame(t, "errorLabels", old.Lookup("errorLabels"), "")
			checkSame(t, "retriedStmtIds", insert(7, 99).Lookup("retriedStmtIds"), test.retried)
			c.runInDB(`{endSessions:[{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}}]}`)
			checkSame(t, "n", insert(6, 3).Lookup("n"), "1")
			checkSame(t, "documents", c.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch"), `[{_id:1},{_id:3}]`)
		})
	}
}

// The server forgets a session that was unused for half an hour, together with its retryable write.
func TestForgottenSessionsRetryNothing(t *testing.T) {
	clock := newTestClock()
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Clock(clock.now)), 0)
	const write = `{update:'c',updates:[{q:{_id:1},u:{$inc:{n:1}},upsert:true}]}`
	for _, step := range []struct {
		wait time.Duration
		want string
	}{{0, ""}, {29 * time.Minute, "[0]"}, {29 * time.Minute, "[0]"}, {31 * time.Minute, ""}} {
		clock.advance(step.wait)
		checkSame(t, "retriedStmtIds", c.runInDB(retryable(write, 1)).Lookup("retriedStmtIds"), step.want)
	}
}

// A retry after a drop still finds that the write was executed, and does not recreate the collection.
func TestRetryAfterDrop(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	insert := retryable(`{insert:'c',documents:[{_id:1},{_id:2}]}`, 1)
	c.runInDB(insert)
	c.runInDB(`{drop:'c'}`)
	checkSame(t, "n", c.runInDB(insert).Lookup("n"), "2")
	if lists, _ := c.runInDB(`{listCollections:1}`).Lookup("cursor", "firstBatch").ArrayOK(); len(lists) > 5 {
		t.Errorf("collections: %v", lists)
	}
}

// When many connections retry one write at the same time, the server executes it once.
func TestConcurrentRetries(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	const connections = 8
	done := make(chan bson.Raw, connections)
	for range connections {
		c := connectRaw(t, d, 0)
		c.send(0, parseInDB(t, retryable(`{findAndModify:'c',query:{_id:1},update:{$inc:{n:1}},upsert:true,new:true}`, 1)))
		go func() {
			reply, err := c.readMessage()
			if err != nil {
				t.Error(err)
			}
			done <- reply.body
		}()
	}
	for range connections {
		checkSame(t, "value", (<-done).Lookup("value"), `{_id:1,n:1}`)
	}
}

// The statements of a transaction are not retries of the session's earlier write.
func TestStatementsOfTransactionsAreNoRetries(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	c.runInDB(retryable(`{insert:'c',documents:[{_id:1},{_id:2}]}`, 1))
	reply := c.runInDB(strings.TrimSuffix(retryable(`{update:'c',updates:[{q:{},u:{$set:{a:1}},multi:true}]}`, 2), "}") + `,autocommit:false,startTransaction:true}`)
	checkSame(t, "n", reply.Lookup("n"), "2")
	checkSame(t, "retriedStmtIds", reply.Lookup("retriedStmtIds"), "")
	checkSame(t, "writeErrors", reply.Lookup("writeErrors"), "")
}

// The image in the reply of a retried findAndModify shows the document at the time of the first try, whatever happened
// to it since.
func TestRetryAnswersTheSavedImage(t *testing.T) {
	for command, image := range map[string]string{
		`{findAndModify:'c',query:{_id:1},update:{$inc:{n:1}}}`:                       `{_id:1,n:1}`,
		`{findAndModify:'c',query:{_id:1},update:{$inc:{n:1}},new:true}`:              `{_id:1,n:2}`,
		`{findAndModify:'c',query:{_id:1},update:{$inc:{n:1}},new:true,fields:{n:1}}`: `{_id:1,n:2}`,
		`{findAndModify:'c',query:{_id:1},remove:true}`:                               `{_id:1,n:1}`,
	} {
		c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
		c.runInDB(`{insert:'c',documents:[{_id:1,n:1}]}`)
		checkSame(t, command, c.runInDB(retryable(command, 1)).Lookup("value"), image)
		c.runInDB(`{update:'c',updates:[{q:{_id:1},u:{$set:{n:50}},upsert:true}]}`)
		checkSame(t, command+" again", c.runInDB(retryable(command, 1)).Lookup("value"), image)
		checkSame(t, "documents", c.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch"), `[{_id:1,n:50}]`)
	}
}

// From 4.4 on, a retryable write gets a label if it fails for a reason that another member may not have. Other writes
// do not.
func TestLabelsOfRetryableErrors(t *testing.T) {
	const plain = `{insert:'c',documents:[{}]}`
	for _, version := range []string{"4.2", "4.4", "8.0"} {
		d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.Version(version))
		labels := `['RetryableWriteError']`
		if version == "4.2" {
			labels = ""
		}
		secondary, primary := connectRaw(t, d, 1), connectRaw(t, d, 0)
		checkSame(t, version+": not primary", secondary.runInDB(retryable(plain, 1)).Lookup("errorLabels"), labels)
		checkSame(t, version+": not primary, not retryable", secondary.runInDB(plain).Lookup("errorLabels"), "")
		for code, want := range map[errcode.Code]string{errcode.ShutdownInProgress: labels, errcode.DuplicateKey: ""} {
			primary.runAdmin("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1), "data", bson.Doc("failCommands", bson.A{"insert"}, "errorCode", int32(code)))
			checkSame(t, fmt.Sprintf("%s: code %d", version, code), primary.runInDB(retryable(plain, 2)).Lookup("errorLabels"), want)
		}
	}
}

// testClock is a clock that only the test moves.
type testClock struct {
	mu sync.Mutex
	at time.Time
}

func newTestClock() *testClock { return &testClock{at: time.Unix(1_800_000_000, 0)} }

func (c *testClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *testClock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}
