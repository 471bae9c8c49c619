package mongotest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A write that waits for a transaction goes on once the transaction has been open for too long.
func TestOldTransactionsLetOthersWrite(t *testing.T) {
	t.Parallel() // it mostly waits
	clock := newTestClock()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Clock(clock.now), mongotest.Parameter("transactionLifetimeLimitSeconds", 5))
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.runInDB(insertA)
	checkRefused(t, c.runInTransaction(begin(setA, 1)), 0)
	other.send(0, parseInDB(t, setA))
	clock.advance(6 * time.Second)
	checkRefused(t, other.receive().body, 0)
	reply := c.runInTransaction(statement(commit, 1))
	checkRefused(t, reply, errcode.NoSuchTransaction)
	checkSame(t, "errorLabels", reply.Lookup("errorLabels"), transient)
	checkDocuments(t, c, `[{_id:'a',n:1}]`)
}

// A transaction can start at a time in the past. The server refuses one that asks for a time in the future.
func TestTransactionsReadAtATime(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	at := c.runInDB(insertA).Lookup("operationTime")
	c.runInDB(insertB)
	sec, i, _ := at.TimestampOK()
	stamp := fmt.Sprintf(`{$timestamp:{t:%d,i:%d}}`, sec, i)
	past := `{find:'c',readConcern:{level:'snapshot',atClusterTime:` + stamp + `}}`
	checkSame(t, "then", c.runInTransaction(begin(past, 1)).Lookup("cursor", "firstBatch"), `[{_id:'a'}]`)
	checkSame(t, "still", c.runInTransaction(statement(findAll, 1)).Lookup("cursor", "firstBatch"), `[{_id:'a'}]`)
	causal := `{find:'c',readConcern:{level:'majority',afterClusterTime:` + stamp + `}}`
	checkSame(t, "later", c.runInTransaction(begin(causal, 2)).Lookup("cursor", "firstBatch"), `[{_id:'a'},{_id:'b'}]`)
	future := `{find:'c',readConcern:{afterClusterTime:{$timestamp:{t:4000000000,i:1}}}}`
	checkRefused(t, c.runInTransaction(begin(future, 3)), errcode.InvalidOptions)
	checkRefused(t, c.runInTransaction(statement(findAll, 2)), 0) // it was refused before it began
}

// What a transaction creates exists after the commit, and each of its statements sees what the earlier ones did.
func TestStatementsSeeEachOther(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
	first := begin
	for _, step := range []struct{ command, field, want string }{
		{`{create:'d'}`, "ok", "1.0"},
		{`{createIndexes:'d',indexes:[{key:{x:1},name:'x',unique:true}]}`, "numIndexesAfter", "2"},
		{`{insert:'d',documents:[{_id:1,x:1},{_id:2,x:2}]}`, "n", "2"},
		{`{update:'d',updates:[{q:{x:2},u:{$set:{x:3}}},{q:{x:9},u:{$set:{x:9}},upsert:true}]}`, "nModified", "1"},
		{`{findAndModify:'d',query:{x:3},update:{$inc:{x:1}},new:true}`, "value", "{_id:2,x:4}"},
		{`{delete:'d',deletes:[{q:{x:9},limit:1}]}`, "n", "1"},
		{`{bulkWrite:1,ops:[{insert:0,document:{_id:5,x:5}}],nsInfo:[{ns:'db.d'}]}`, "nInserted", "1"},
		{`{distinct:'d',key:'x'}`, "values", "[1,4,5]"},
		{`{aggregate:'d',pipeline:[{$group:{_id:null,n:{$sum:'$x'}}}],cursor:{}}`, "cursor.firstBatch", "[{_id:null,n:10}]"},
		{commit, "ok", "1.0"},
	} {
		checkSame(t, step.command, c.runInTransaction(first(step.command, 1)).Lookup(strings.Split(step.field, ".")...), step.want)
		if first = statement; step.command != commit {
			checkSame(t, "outside", c.runInDB(`{find:'d'}`).Lookup("cursor", "firstBatch"), `[]`)
		}
	}
	checkSame(t, "by the index", c.runInDB(`{find:'d',hint:'x',sort:{x:-1},projection:{_id:0}}`).Lookup("cursor", "firstBatch"), `[{x:5},{x:4},{x:1}]`)
	checkSame(t, "unique", c.runInDB(`{insert:'d',documents:[{x:5}]}`).Lookup("n"), "0")
}
