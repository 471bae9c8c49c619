package mongotest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// statement adds the fields of a transaction to a command; begin also starts the transaction.
func statement(command string, number int) string {
	return strings.TrimSuffix(retryable(command, number), "}") + `,autocommit:false}`
}

func begin(command string, number int) string {
	return strings.TrimSuffix(statement(command, number), "}") + `,startTransaction:true}`
}

const (
	insertA   = `{insert:'c',documents:[{_id:'a'}]}`
	insertB   = `{insert:'c',documents:[{_id:'b'}]}`
	findAll   = `{find:'c'}`
	setA      = `{update:'c',updates:[{q:{_id:'a'},u:{$inc:{n:1}}}]}`
	commit    = `{commitTransaction:1}`
	abort     = `{abortTransaction:1}`
	transient = `['TransientTransactionError']`
)

// runInTransaction runs bulkWrite and the commands that end a transaction on the admin database, and other commands on db.
func (c *rawConn) runInTransaction(command string) bson.Raw {
	c.t.Helper()
	db := "db"
	for _, admin := range []string{`{commitTr`, `{abortTr`, `{bulkWr`} {
		if strings.HasPrefix(command, admin) {
			db = "admin"
		}
	}
	d := parseExtJSON(c.t, command)
	return c.run(bson.Raw(bson.AppendDocumentEnd(bson.AppendStringElement(append(bson.Raw(nil), d[:len(d)-1]...), "$db", db), 0)))
}

// checkDocuments checks what a client outside all transactions sees.
func checkDocuments(t *testing.T, c *rawConn, want string) {
	t.Helper()
	checkSame(t, "documents", c.runInDB(findAll).Lookup("cursor", "firstBatch"), want)
}

// A transaction sees its own writes. Other clients see them only after the commit.
func TestTransactionIsIsolated(t *testing.T) {
	for end, want := range map[string]string{commit: `[{_id:'a'},{_id:'b'}]`, abort: `[{_id:'a'}]`} {
		for _, shape := range []mongotest.Option{mongotest.ReplicaSet(3), mongotest.Sharded(1), mongotest.LoadBalanced(1)} {
			d := mongotest.Start(t, shape)
			c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
			c.runInDB(insertA)
			checkRefused(t, c.runInTransaction(begin(insertB, 1)), 0)
			checkSame(t, "own writes", c.runInTransaction(statement(findAll, 1)).Lookup("cursor", "firstBatch"), `[{_id:'a'},{_id:'b'}]`)
			checkDocuments(t, other, `[{_id:'a'}]`)
			checkRefused(t, c.runInTransaction(statement(end, 1)), 0)
			checkDocuments(t, other, want)
		}
	}
}

// Each case is a statement that does not fit what the session did before, with its reply.
func TestTransactionNumbers(t *testing.T) {
	write := retryable(insertB, 2)
	for _, test := range []struct {
		name     string
		before   []string
		then     string
		want     errcode.Code
		labels   string
		fragment string
	}{
		{"the number of an open one", []string{begin(insertA, 2)}, begin(insertB, 2), errcode.ConflictingOperationInProgress, "", "active transaction number"},
		{"an older number", []string{begin(insertA, 2)}, begin(insertB, 1), errcode.TransactionTooOld, "", "because a newer transaction with"},
		{"an older statement", []string{begin(insertA, 2)}, statement(insertB, 1), errcode.TransactionTooOld, "", ""},
		{"a newer number aborts", []string{begin(insertA, 2), begin(insertB, 3)}, statement(commit, 2), errcode.TransactionTooOld, "", ""},
		{"a newer retryable write aborts", []string{begin(insertA, 1), write}, statement(commit, 1), errcode.TransactionTooOld, "", "newer retryable write with"},
		{"an unknown number", nil, statement(insertB, 2), errcode.NoSuchTransaction, transient, "Given transaction number 2 does not match any in-progress transactions. The active transaction number is -1"},
		{"a commit of nothing", nil, statement(commit, 2), errcode.NoSuchTransaction, transient, ""},
		{"an abort of nothing", nil, statement(abort, 2), errcode.NoSuchTransaction, transient, ""},
		{"after the commit", []string{begin(insertA, 2), statement(commit, 2)}, statement(insertB, 2), errcode.TransactionCommitted, "", "Transaction with { txnNumber: 2 } has been committed."},
		{"after the abort", []string{begin(insertA, 2), statement(abort, 2)}, statement(insertB, 2), errcode.NoSuchTransaction, transient, "Transaction with { txnNumber: 2 } has been aborted."},
		{"an abort after the commit", []string{begin(insertA, 2), statement(commit, 2)}, statement(abort, 2), errcode.TransactionCommitted, "", ""},
		{"a commit after the abort", []string{begin(insertA, 2), statement(abort, 2)}, statement(commit, 2), errcode.NoSuchTransaction, transient, ""},
		{"an abort after the abort", []string{begin(insertA, 2), statement(abort, 2)}, statement(abort, 2), errcode.NoSuchTransaction, transient, ""},
		{"a commit after the commit", []string{begin(insertA, 2), statement(commit, 2)}, statement(commit, 2), 0, "", ""},
		{"a commit of reads", []string{begin(findAll, 2)}, statement(commit, 2), 0, "", ""},
		{"a transaction after a retryable write", []string{write}, begin(insertA, 2), errcode.ConflictingOperationInProgress, "", ""},
		{"a statement after a retryable write", []string{write}, statement(insertA, 2), errcode.NoSuchTransaction, transient, "active transaction number is 2"},
		{"a retryable write after a transaction", []string{begin(insertA, 2)}, write, errcode.IncompleteTransactionHistory, "", "converted into a transaction"},
		{"a commit outside", nil, commit, errcode.CommandFailed, "", "commitTransaction must be run within a transaction"},
		{"a number without autocommit", nil, retryable(commit, 2), errcode.NotARetryableWriteCommand, "", ""},
		{"count", nil, begin(`{count:'c'}`, 2), errcode.OperationNotSupportedInTransaction, "", "Cannot run 'count' in a multi-document transaction. Please see"},
		{"drop", nil, begin(`{drop:'c'}`, 2), errcode.OperationNotSupportedInTransaction, "", "Cannot run 'drop' in a multi-document transaction."},
		{"serverStatus", nil, begin(`{serverStatus:1}`, 2), errcode.OperationNotSupportedInTransaction, "", "Cannot run 'serverStatus'"},
		{"killCursors first", nil, begin(`{killCursors:'c',cursors:[]}`, 2), errcode.OperationNotSupportedInTransaction, "", "as the first operation"},
		{"a write concern", nil, begin(`{insert:'c',documents:[{}],writeConcern:{w:1}}`, 2), errcode.InvalidOptions, "", "writeConcern is not allowed within a multi-statement transaction"},
		{"an empty write concern", nil, begin(`{insert:'c',documents:[{}],writeConcern:{}}`, 2), 0, "", ""},
		{"a late read concern", []string{begin(insertA, 2)}, statement(`{find:'c',readConcern:{level:'snapshot'}}`, 2), errcode.InvalidOptions, "", "Only the first command in a transaction may specify a readConcern"},
		{"linearizable", nil, begin(`{find:'c',readConcern:{level:'linearizable'}}`, 2), errcode.InvalidOptions, "", "The readConcern level must be either"},
		{"snapshot", nil, begin(`{find:'c',readConcern:{level:'snapshot'}}`, 2), 0, "", ""},
		{"majority for a write", nil, begin(`{insert:'c',documents:[{}],readConcern:{level:'majority'}}`, 2), 0, "", ""},
		{"$out", nil, begin(`{aggregate:'c',pipeline:[{$out:'d'}],cursor:{}}`, 2), errcode.OperationNotSupportedInTransaction, "", ""},
		{"an index of an old collection", []string{insertA}, begin(`{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`, 2), errcode.OperationNotSupportedInTransaction, "", "Cannot create new indexes on existing collection db.c in a multi-document transaction."},
		{"an index of what was filled", []string{begin(insertA, 2)}, statement(`{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`, 2), errcode.OperationNotSupportedInTransaction, "", "non-empty collection db.c"},
		{"a collection that exists", []string{insertA}, begin(`{create:'c'}`, 2), errcode.NamespaceExists, "", "already exists"},
		{"a collection that was made", []string{begin(`{create:'c'}`, 2)}, statement(`{create:'c'}`, 2), errcode.NamespaceExists, "", "already exists"},
		{"an index of what was made", []string{begin(`{create:'c'}`, 2)}, statement(`{createIndexes:'c',indexes:[{key:{a:1},name:'a'}]}`, 2), 0, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
			for _, command := range test.before {
				checkRefused(t, c.runInTransaction(command), 0)
			}
			reply := c.runInTransaction(test.then)
			checkRefused(t, reply, test.want)
			checkSame(t, "errorLabels", reply.Lookup("errorLabels"), test.labels)
			if message, _ := reply.Lookup("errmsg").StringOK(); !strings.Contains(message, test.fragment) {
				t.Errorf("%q does not say %q", message, test.fragment)
			}
		})
	}
}

// The error texts differ by version, and 4.2 creates no collections in transactions.
func TestTransactionsOfVersions(t *testing.T) {
	for version, test := range map[string]struct {
		made                     errcode.Code
		tooOld, aborted, retried string
	}{
		"4.2": {errcode.OperationNotSupportedInTransaction, "Cannot start transaction 1 on session", "Transaction 2 has been aborted.", "Must specify autocommit=false"},
		"4.4": {0, "Cannot start transaction 1 on session", "Transaction 2 has been aborted.", "Must specify autocommit=false"},
		"5.0": {0, "because a newer transaction with txnNumber 2 has already", "Transaction 2 has been aborted.", "Must specify autocommit=false"},
		"6.0": {0, "because a newer transaction with txnNumberAndRetryCounter { txnNumber: 2, txnRetryCounter: 0 }", "Transaction with { txnNumber: 2 } has been aborted.", "Cannot retry a retryable write"},
	} {
		t.Run(version, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version)), 0)
			says := func(reply bson.Raw, want string) {
				t.Helper()
				if message, _ := reply.Lookup("errmsg").StringOK(); !strings.Contains(message, want) {
					t.Errorf("%q does not say %q", message, want)
				}
			}
			checkRefused(t, c.runInTransaction(begin(`{create:'d'}`, 1)), test.made)
			checkRefused(t, c.runInTransaction(begin(insertA, 2)), test.made)
			c.runInTransaction(statement(abort, 2))
			says(c.runInTransaction(statement(findAll, 1)), test.tooOld)
			reply := c.runInTransaction(statement(findAll, 2))
			says(reply, test.aborted)
			checkSame(t, "errorLabels", reply.Lookup("errorLabels"), transient)
			says(c.runInTransaction(retryable(insertA, 2)), test.retried)
		})
	}
}

// A statement that fails aborts the transaction. A statement that is refused before it runs does not.
func TestFailuresAbortTransactions(t *testing.T) {
	for _, test := range []struct {
		name, command string
		want          errcode.Code
	}{
		{"a duplicate", insertA, errcode.NoSuchTransaction},
		{"a duplicate that need not stop", `{insert:'c',documents:[{_id:'a'},{_id:'z'}],ordered:false}`, errcode.NoSuchTransaction},
		{"a duplicate in a bulkWrite", `{bulkWrite:1,ops:[{insert:0,document:{_id:'a'}}],nsInfo:[{ns:'db.c'}]}`, errcode.NoSuchTransaction},
		{"a findAndModify that fails", `{findAndModify:'c',query:{_id:'b'},update:{$inc:{_id:1}}}`, errcode.NoSuchTransaction},
		{"a pipeline that fails", `{aggregate:'c',pipeline:[{$project:{x:{$divide:[1,0]}}}],cursor:{}}`, errcode.NoSuchTransaction},
		{"a cursor that is not there", `{getMore:{$numberLong:'5'},collection:'c'}`, errcode.NoSuchTransaction},
		{"a late read concern", `{find:'c',readConcern:{level:'local'}}`, 0},
		{"a write concern", `{find:'c',writeConcern:{w:1}}`, 0},
		{"a command that is not allowed", `{count:'c'}`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
			c.runInDB(insertA)
			checkRefused(t, c.runInTransaction(begin(insertB, 1)), 0)
			if reply := c.runInTransaction(statement(test.command, 1)); codeOf(reply) == 0 && reply.Lookup("writeErrors").IsZero() && reply.Lookup("nErrors").IsZero() {
				t.Errorf("no failure: %v", reply)
			}
			checkRefused(t, c.runInTransaction(statement(commit, 1)), test.want)
		})
	}
}

// On a conflict, the second writer of a document fails at once in a transaction, and waits outside of one.
func TestTransactionsConflict(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.runInDB(insertA)
	checkRefused(t, c.runInTransaction(begin(setA, 1)), 0)
	rival := strings.Replace(begin(setA, 1), "AAEC", "BBBB", 1)
	reply := other.runInTransaction(rival)
	checkRefused(t, reply, errcode.WriteConflict)
	checkSame(t, "errorLabels", reply.Lookup("errorLabels"), transient)
	checkRefused(t, other.runInTransaction(strings.Replace(statement(commit, 1), "AAEC", "BBBB", 1)), errcode.NoSuchTransaction)

	checkRefused(t, other.runInDB(strings.TrimSuffix(setA, "}")+`,maxTimeMS:20}`), errcode.MaxTimeMSExpired)
	other.send(0, parseInDB(t, setA)) // waits
	checkRefused(t, c.runInTransaction(statement(setA, 1)), 0)
	checkRefused(t, c.runInTransaction(statement(commit, 1)), 0)
	checkRefused(t, other.receive().body, 0)
	checkDocuments(t, c, `[{_id:'a',n:3}]`)
}

// The cursors of a transaction read its state, belong only to it, and end with it.
func TestTransactionCursors(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.runInDB(`{insert:'c',documents:[{_id:1},{_id:2},{_id:3}]}`)
	open := func(command string) string {
		id, _ := c.runInTransaction(command).Lookup("cursor", "id").Int64OK()
		return fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c',batchSize:1}`, id)
	}
	outside := open(strings.TrimSuffix(retryable(`{find:'c',batchSize:1}`, 0), `,txnNumber:{$numberLong:'0'}}`) + "}")
	more := open(begin(`{find:'c',batchSize:1}`, 1))
	other.runInDB(`{delete:'c',deletes:[{q:{},limit:0}]}`)
	checkSame(t, "next", c.runInTransaction(statement(more, 1)).Lookup("cursor", "nextBatch"), `[{_id:2}]`)
	if code := codeOf(c.runInTransaction(strings.Replace(statement(more, 1), `,txnNumber:{$numberLong:'1'},autocommit:false`, "", 1))); code != 50740 {
		t.Errorf("without the number: %d", code)
	}
	if code := codeOf(c.runInTransaction(statement(outside, 1))); code != 50739 {
		t.Errorf("another's cursor: %d", code)
	}
	checkRefused(t, c.runInTransaction(begin(`{find:'c',batchSize:1}`, 2)), 0)
	checkRefused(t, c.runInTransaction(statement(more, 2)), errcode.CursorNotFound)
}

// Each case aborts a transaction from outside.
func TestTransactionsAreAborted(t *testing.T) {
	session := strings.TrimSuffix(strings.TrimPrefix(retryable(`{x:1}`, 1), `{x:1,lsid:`), `,txnNumber:{$numberLong:'1'}}`)
	clock := newTestClock()
	for _, test := range []struct {
		name string
		what func(d *mongotest.Deployment, c *rawConn)
		want errcode.Code
	}{
		{"nothing", func(*mongotest.Deployment, *rawConn) {}, 0},
		{"endSessions", func(_ *mongotest.Deployment, c *rawConn) {
			checkRefused(t, c.runInDB(`{endSessions:[`+session+`]}`), 0)
		}, errcode.NoSuchTransaction},
		{"killSessions", func(_ *mongotest.Deployment, c *rawConn) {
			checkRefused(t, c.runInDB(`{killSessions:[`+session+`]}`), 0)
		}, errcode.NoSuchTransaction},
		{"killAllSessions", func(_ *mongotest.Deployment, c *rawConn) { checkRefused(t, c.runInDB(`{killAllSessions:[]}`), 0) }, errcode.NoSuchTransaction},
		{"its age", func(*mongotest.Deployment, *rawConn) { clock.advance(61 * time.Second) }, errcode.NoSuchTransaction},
		{"almost its age", func(*mongotest.Deployment, *rawConn) { clock.advance(59 * time.Second) }, 0},
		{"a step-down", func(d *mongotest.Deployment, _ *rawConn) { d.StepDown() }, errcode.NoSuchTransaction},
		{"the end of the primary", func(d *mongotest.Deployment, _ *rawConn) { d.Kill(d.Primary()); awaitPrimary(t, d) }, errcode.NoSuchTransaction},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Clock(clock.now))
			c := connectRaw(t, d, 0)
			c.runInDB(insertA)
			checkRefused(t, c.runInTransaction(begin(setA, 1)), 0)
			test.what(d, c)
			c = connectRaw(t, d, d.Primary())
			checkRefused(t, c.runInTransaction(statement(commit, 1)), test.want)
			checkRefused(t, c.runInDB(strings.TrimSuffix(setA, "}")+`,maxTimeMS:5000}`), 0) // the transaction no longer holds the document
			want := `[{_id:'a',n:1}]`
			if test.want == 0 {
				want = `[{_id:'a',n:2}]`
			}
			checkDocuments(t, c, want)
		})
	}
}

// A client can repeat a commit on the next primary, unless the failover lost the writes.
func TestCommittedTransactionsSurvive(t *testing.T) {
	for _, test := range []struct {
		name    string
		concern string
		lag     bool
		want    errcode.Code
	}{
		{"a majority has it", `{commitTransaction:1,writeConcern:{w:'majority'}}`, false, 0},
		{"nobody else has it", `{commitTransaction:1,writeConcern:{w:1}}`, true, errcode.NoSuchTransaction},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
			c := connectRaw(t, d, 0)
			c.runInDB(insertA)
			if test.lag {
				d.Lag(1, 1)
				d.Lag(2, 1)
			}
			checkRefused(t, c.runInTransaction(begin(insertB, 1)), 0)
			checkRefused(t, c.runInTransaction(statement(test.concern, 1)), 0)
			d.Kill(0)
			awaitPrimary(t, d)
			checkRefused(t, connectRaw(t, d, d.Primary()).runInTransaction(statement(commit, 1)), test.want)
		})
	}
}

// A commit waits for its write concern and reports when the wait timed out. The transaction is committed all the same.
func TestCommitWaitsForItsWriteConcern(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	c.runInDB(insertA)
	d.Lag(1, 1)
	d.Lag(2, 1)
	checkRefused(t, c.runInTransaction(begin(insertB, 1)), 0)
	reply := c.runInTransaction(statement(`{commitTransaction:1,writeConcern:{w:3,wtimeout:10}}`, 1))
	checkRefused(t, reply, 0)
	checkSame(t, "code", reply.Lookup("writeConcernError", "code"), "64")
	checkDocuments(t, c, `[{_id:'a'},{_id:'b'}]`)
	reply = c.runInTransaction(statement(`{commitTransaction:1,maxTimeMS:10}`, 1))
	checkSame(t, "code", reply.Lookup("writeConcernError", "code"), "50")
	d.Lag(1, 0)
	if reply = c.runInTransaction(statement(commit, 1)); !reply.Lookup("writeConcernError").IsZero() {
		t.Errorf("%v", reply)
	}
}

// A fail point acts before the transaction does: a statement that it fails has no effect.
func TestFailCommandInTransactions(t *testing.T) {
	for _, test := range []struct {
		name, command string
		code          errcode.Code
		labels        string
	}{
		{"a statement", insertB, errcode.HostUnreachable, transient},
		{"a commit", commit, errcode.HostUnreachable, `['RetryableWriteError']`},
		{"an abort", abort, errcode.HostUnreachable, `['RetryableWriteError']`},
		{"a commit that is transient", commit, errcode.NoSuchTransaction, transient},
		{"a commit with another error", commit, errcode.BadValue, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			c := connectRaw(t, d, 0)
			checkRefused(t, c.runInTransaction(begin(insertA, 1)), 0)
			name := strings.Trim(strings.SplitN(test.command, ":", 2)[0], "{")
			checkRefused(t, c.runAdmin("configureFailPoint", "failCommand", "mode", bson.Doc("times", 1), "data",
				bson.Doc("failCommands", bson.A{name}, "errorCode", int32(test.code))), 0)
			reply := c.runInTransaction(statement(test.command, 1))
			checkRefused(t, reply, test.code)
			checkSame(t, "errorLabels", reply.Lookup("errorLabels"), test.labels)
			checkRefused(t, c.runInTransaction(statement(commit, 1)), 0)
			checkDocuments(t, c, `[{_id:'a'}]`)
			all := d.Commands()
			if last := all[len(all)-2]; last.Name != "commitTransaction" {
				t.Errorf("recorded %v", last)
			}
		})
	}
}

// A standalone server has no transactions, and a secondary runs none.
func TestTransactionsElsewhere(t *testing.T) {
	checkRefused(t, connectRaw(t, mongotest.Start(t), 0).runInTransaction(begin(findAll, 1)), errcode.IllegalOperation)
	c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(2)), 1)
	read := `{find:'c',$readPreference:{mode:'secondary'}}`
	checkRefused(t, c.runInTransaction(read), 0)
	checkRefused(t, c.runInTransaction(begin(read, 1)), errcode.NotWritablePrimary)
}
