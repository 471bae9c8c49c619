package exec

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// newSessionExecution returns an execution whose session has seen an operation time and a cluster time.
func newSessionExecution(t *testing.T, kind operation.SessionKind) *execution {
	t.Helper()
	e := newReadingExecution(kind)
	e.session.AdvanceOperationTime(timestampAt(7))
	e.session.SetSnapshotTime(timestampAt(6))
	e.session.Clock().Advance(raw(t, "clusterTime", timestampAt(5)))
	e.session.Server().NextTxnNumber()
	*e.session.Transaction() = session.Transaction{
		ReadConcern: &options.ReadConcern{Level: "local"}, WriteConcern: &options.WriteConcern{W: 3, WTimeout: new(time.Second)},
	}
	e.op.ReadConcern, e.op.WriteConcern = &options.ReadConcern{Level: "available"}, &options.WriteConcern{W: 2, WTimeout: new(time.Second)}
	return e
}

// Each verdict about a field writes that field, and nothing else.
func TestFieldsFollowTheVerdict(t *testing.T) {
	after := bson.Doc("afterClusterTime", timestampAt(7))
	for _, tt := range []struct {
		name    string
		verdict operation.Verdict
		old     bool // the timeouts that timeoutMS replaces count
		want    bson.D
	}{
		{"nothing", operation.Verdict{}, true, bson.D{}},
		{"own read concern", operation.Verdict{ReadConcern: operation.OwnReadConcern}, true,
			bson.Doc("readConcern", bson.Doc("level", "available"))},
		{"own read concern and a time", operation.Verdict{ReadConcern: operation.OwnReadConcernAfter}, true,
			bson.Doc("readConcern", append(bson.Doc("level", "available"), after...))},
		{"a time", operation.Verdict{ReadConcern: operation.AfterClusterTime}, true, bson.Doc("readConcern", after)},
		{"of the transaction", operation.Verdict{ReadConcern: operation.TransactionReadConcern}, true,
			bson.Doc("readConcern", bson.Doc("level", "local"))},
		{"of the transaction and a time", operation.Verdict{ReadConcern: operation.TransactionReadConcernAfter}, true,
			bson.Doc("readConcern", append(bson.Doc("level", "local"), after...))},
		{"of a snapshot", operation.Verdict{ReadConcern: operation.SnapshotReadConcern}, true,
			bson.Doc("readConcern", bson.Doc("level", "snapshot", "atClusterTime", timestampAt(6)))},
		{"own write concern", operation.Verdict{WriteConcern: operation.OwnWriteConcern}, true,
			bson.Doc("writeConcern", bson.Doc("w", int32(2), "wtimeout", int64(1000)))},
		{"own write concern under a timeout", operation.Verdict{WriteConcern: operation.OwnWriteConcern}, false,
			bson.Doc("writeConcern", bson.Doc("w", int32(2)))},
		{"write concern of the transaction", operation.Verdict{WriteConcern: operation.TransactionWriteConcern}, true,
			bson.Doc("writeConcern", bson.Doc("w", int32(3), "wtimeout", int64(1000)))},
		{"a majority", operation.Verdict{WriteConcern: operation.MajorityWriteConcern}, true,
			bson.Doc("writeConcern", bson.Doc("w", "majority", "wtimeout", int64(1000)))},
	} {
		e := newSessionExecution(t, operation.SnapshotSession)
		e.verdict = tt.verdict
		if !tt.old {
			e.op.timeVerdict.Deprecated = timeout.DeprecatedIgnored
		}
		dst, start := bson.AppendDocumentStart(nil)
		dst, err := e.appendConcerns(dst)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := bson.Raw(bson.AppendDocumentEnd(dst, start)), raw(t, fieldsOf(tt.want)...); got.String() != want.String() {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
	}
	e := newSessionExecution(t, operation.SnapshotSession)
	e.verdict.ReadConcern = operation.RefuseSnapshot
	if _, err := e.appendConcerns(nil); err == nil {
		t.Error("a server without snapshots is asked for one")
	}
}

func fieldsOf(d bson.D) []any {
	var out []any
	for _, e := range d {
		out = append(out, e.Key, e.Value)
	}
	return out
}

func TestMajorityOfACommit(t *testing.T) {
	for _, tt := range []struct {
		given *options.WriteConcern
		want  time.Duration
	}{
		{nil, txn.CommitRetryWTimeout},
		{&options.WriteConcern{W: 1}, txn.CommitRetryWTimeout},
		{&options.WriteConcern{W: 1, WTimeout: new(time.Duration(0))}, 0},
		{&options.WriteConcern{W: 1, WTimeout: new(time.Minute), Journal: new(true)}, time.Minute},
	} {
		got := withMajority(tt.given)
		if got.W != "majority" || *got.WTimeout != tt.want || tt.given != nil && (tt.given.W != 1 || got.Journal != tt.given.Journal) {
			t.Errorf("%+v: %+v", tt.given, got)
		}
	}
}

func TestSessionFieldsFollowTheVerdict(t *testing.T) {
	now := bson.Doc("clusterTime", timestampAt(5))
	for _, tt := range []struct {
		name    string
		verdict operation.Verdict
		want    []any // without lsid
		lsid    bool
	}{
		{"none", operation.Verdict{TxnNumber: operation.OwnTxnNumber}, nil, false},
		{"a session", operation.Verdict{Lsid: operation.OwnSession}, nil, true},
		{"a write", operation.Verdict{Lsid: operation.OwnSession, TxnNumber: operation.OwnTxnNumber}, []any{"txnNumber", int64(2)}, true},
		{"the first of a transaction", operation.Verdict{Lsid: operation.OwnSession, TxnNumber: operation.StartTransaction},
			[]any{"txnNumber", int64(1), "startTransaction", true, "autocommit", false}, true},
		{"of a transaction", operation.Verdict{Lsid: operation.OwnSession, TxnNumber: operation.TransactionNumber},
			[]any{"txnNumber", int64(1), "autocommit", false}, true},
		{"the cluster time", operation.Verdict{Gossip: operation.LatestClusterTime}, []any{"$clusterTime", now}, false},
	} {
		e := newSessionExecution(t, operation.CausalSession)
		e.verdict = tt.verdict
		for range 2 { // a retry keeps its number
			dst, start := bson.AppendDocumentStart(nil)
			got := bson.Raw(bson.AppendDocumentEnd(e.appendSession(dst), start))
			want := tt.want
			if tt.lsid {
				want = append([]any{"lsid", e.session.Server().ID()}, want...)
			}
			if got.String() != raw(t, want...).String() {
				t.Errorf("%s: %v, want %v", tt.name, got, raw(t, want...))
			}
		}
	}
	e := newReadingExecution(operation.CausalSession)
	e.session, e.verdict.Gossip = nil, operation.LatestClusterTime
	if got := e.appendSession(nil); len(got) > 0 {
		t.Errorf("without a time: %x", got)
	}
	e.x.Clock.Advance(raw(t, "clusterTime", timestampAt(9)))
	if got := e.clusterTime(); got == nil {
		t.Error("without a session the client's time is not sent")
	}
}

// join describes the role of the operation in its session.
func TestJoinDescribesTheOperation(t *testing.T) {
	unacknowledged := &options.WriteConcern{W: 0}
	for _, tt := range []struct {
		name  string
		op    Operation
		state txn.State
		want  operation.Role
		kind  operation.SessionKind
		reply operation.Reply
		err   bool
	}{
		{"alone", Operation{Command: &command.Find{}}, txn.None, operation.Alone, operation.CausalSession, operation.Acknowledged, false},
		{"behind a transaction", Operation{Command: &command.Find{}}, txn.Committed, operation.Alone, operation.CausalSession, operation.Acknowledged, false},
		{"the first", Operation{Command: &command.Find{}}, txn.Starting, operation.FirstInTransaction, operation.CausalSession, operation.Acknowledged, false},
		{"a later one", Operation{Command: &command.Find{}}, txn.InProgress, operation.InTransaction, operation.CausalSession, operation.Acknowledged, false},
		{"killCursors before the first", Operation{Command: &command.KillCursors{}}, txn.Starting, operation.Alone, operation.CausalSession, operation.Acknowledged, false},
		{"killCursors", Operation{Command: &command.KillCursors{}}, txn.InProgress, operation.InTransaction, operation.CausalSession, operation.Acknowledged, false},
		{"commit", Operation{Command: &command.CommitTransaction{}}, txn.Committed, operation.Commit, operation.CausalSession, operation.Acknowledged, false},
		{"abort", Operation{Command: &command.AbortTransaction{}}, txn.Aborted, operation.Abort, operation.CausalSession, operation.Acknowledged, false},
		{"a write without an answer", Operation{Command: &command.InsertOne{}, WriteConcern: unacknowledged}, txn.None, 0, 0, 0, true},
		{"such a write in a transaction", Operation{Command: &command.InsertOne{}, WriteConcern: unacknowledged}, txn.InProgress,
			operation.InTransaction, operation.CausalSession, operation.Acknowledged, false},
		{"a read of secondaries in a transaction", Operation{Command: &command.Find{}, ReadPreference: &options.ReadPreference{Mode: options.Secondary}},
			txn.InProgress, operation.InTransaction, operation.CausalSession, operation.Acknowledged, false},
	} {
		s := session.NewExplicit(session.NewPool().Acquire(0, time.Time{}), operation.CausalSession, bson.Timestamp{})
		s.Transaction().State = tt.state
		tt.op.Session = s
		e := &execution{x: &Executor{}, op: &tt.op, meta: tt.op.Command.Meta()}
		err := e.join(t.Context())
		got := e.course.State
		if (err != nil) != tt.err || err == nil && (got.Role != tt.want || got.SessionKind != tt.kind || got.Reply != tt.reply) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	s := session.NewExplicit(session.NewPool().Acquire(0, time.Time{}), operation.CausalSession, bson.Timestamp{})
	s.End()
	e := &execution{x: &Executor{}, op: &Operation{Command: &command.Find{}, Session: s}}
	if err := e.join(context.Background()); err != errSessionEnded {
		t.Errorf("an ended session: %v", err)
	}
}

// Without a session of the program, only the settings describe an operation.
func TestDescribeKnowsTheSettings(t *testing.T) {
	for _, tt := range []struct {
		op   Operation
		x    *Executor
		want operation.State
	}{
		{Operation{Command: &command.Find{}}, &Executor{RetryReads: true},
			operation.State{Access: operation.Reading, Support: operation.ReadRetries, ReadSetting: operation.RetryReadsOn, ReadConcernUse: operation.ReadConcernTaken}},
		{Operation{Command: &command.InsertOne{}, WriteConcern: &options.WriteConcern{W: 0}}, &Executor{RetryWrites: true, Retarget: true},
			operation.State{Access: operation.Writing, Support: operation.WriteRetries, WriteSetting: operation.RetryWritesOn, Reply: operation.Unacknowledged,
				Retargeting: operation.RetargetingOn, WriteConcernUse: operation.WriteConcernTaken, ReadConcernUse: operation.AfterClusterTimeTaken}},
		{Operation{Command: &command.KillCursors{}, Implicit: NoSession, timing: timeout.State{Clock: timeout.Endless}}, &Executor{},
			operation.State{Access: operation.Reading, SessionKind: operation.WithoutSession, ReadConcernUse: operation.ReadConcernRefused, Clock: operation.UnderTimeout}},
	} {
		e := &execution{x: tt.x, op: &tt.op, meta: tt.op.Command.Meta()}
		if err := e.join(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e.course.State != tt.want {
			t.Errorf("%T: %+v\nwant %+v", tt.op.Command, e.course.State, tt.want)
		}
	}
}
