package exec

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// raw is a document of the given fields.
func raw(t *testing.T, fields ...any) bson.Raw {
	t.Helper()
	out, err := bson.Marshal(bson.Doc(fields...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newReadingExecution returns an execution that is ready to read a reply.
func newReadingExecution(kind operation.SessionKind) *execution {
	s := session.NewExplicit(session.NewPool().Acquire(0, time.Time{}), kind, bson.Timestamp{})
	return &execution{x: &Executor{Clock: new(session.Clock), Commands: new(Publisher)}, op: &Operation{}, session: s, try: try{server: &topology.Server{}}}
}

func timestampAt(t uint32) bson.Timestamp { return bson.Timestamp{T: t, I: 1} }

func TestReadFindsWhatAReplyReports(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply bson.Raw
		want  facts
	}{
		{"ok", raw(t, "ok", 1), facts{ok: true}},
		{"ok as a double", raw(t, "ok", 1.0), facts{ok: true}},
		{"write errors", raw(t, "writeErrors", bson.A{}, "ok", 1), facts{ok: true, writeErrors: true}},
		{"a write concern error", raw(t, "ok", 1, "writeConcernError", bson.D{}), facts{ok: true, writeConcernError: true}},
		{"labels", raw(t, "errorLabels", bson.A{"x"}, "ok", 1), facts{ok: true, errorLabels: true}},
		{"a failure with labels", raw(t, "ok", 0, "errorLabels", bson.A{"x"}), facts{errorLabels: true}},
		{"nothing", raw(t), facts{}},
	} {
		got, err := newReadingExecution(operation.ExplicitSession).read(tt.reply)
		if got != tt.want || err == nil != tt.want.ok {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	_, err := newReadingExecution(operation.ExplicitSession).read(raw(t, "ok", 0, "code", 11600, "errmsg", "closing"))
	if c, ok := errors.AsType[fault.CommandError](err); !ok || c.Code != errcode.InterruptedAtShutdown || c.Message != "closing" {
		t.Errorf("a failure is %v", err)
	}
}

// A damaged reply is an error of the connection, and the session learns nothing from any part of it.
func TestReadRefusesDamagedReplies(t *testing.T) {
	whole := raw(t, "a", bson.Doc("b", bson.A{1, bson.Doc("c", "text")}), "operationTime", timestampAt(9), "ok", 1)
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x40
		e := newReadingExecution(operation.CausalSession)
		if _, err := e.read(damaged); err != nil && fault.IsNetworkError(err) && e.session.OperationTime() != (bson.Timestamp{}) {
			t.Errorf("byte %d: the session learned from a reply that was refused", i)
		}
		if isIntact(damaged[:len(damaged)-1], 10) {
			t.Errorf("byte %d: a shorter reply is intact", i)
		}
	}
	if !isIntact(whole, 10) || isIntact(whole, 3) || !isIntact(whole, 4) {
		t.Error("the depth of a reply is counted wrongly")
	}
	for name, skipped := range map[string]bool{"firstBatch": true, "nextBatch": true, "otherBatch": false} {
		batch := raw(t, "cursor", bson.Doc(name, bson.A{bson.D{}}), "ok", 1)
		at := bytes.Index(batch, []byte(name)) + len(name) + 1
		batch[at+4] = 0x99 // the type of the first document
		if isIntact(batch, 10) != skipped {
			t.Errorf("%s is looked into: %t", name, skipped)
		}
	}
}

// What a session learns from a reply depends on its kind.
func TestReadTeachesTheSession(t *testing.T) {
	now := bson.Doc("clusterTime", timestampAt(5))
	reply := raw(t, "ok", 1, "operationTime", timestampAt(3), "$clusterTime", now, "recoveryToken", bson.Doc("shard", "a"),
		"cursor", bson.Doc("atClusterTime", timestampAt(4)))
	for _, tt := range []struct {
		kind     operation.SessionKind
		role     operation.Role
		snapshot bson.Timestamp
		token    bool
	}{
		{operation.CausalSession, operation.Alone, bson.Timestamp{}, false},
		{operation.CausalSession, operation.InTransaction, bson.Timestamp{}, true},
		{operation.SnapshotSession, operation.Alone, timestampAt(4), false},
	} {
		e := newReadingExecution(tt.kind)
		e.course.State.Role = tt.role
		if _, err := e.read(reply); err != nil {
			t.Fatal(err)
		}
		if e.session.OperationTime() != timestampAt(3) || e.session.SnapshotTime() != tt.snapshot ||
			!bytes.Equal(e.session.Clock().ClusterTime(), raw(t, now[0].Key, now[0].Value)) || e.x.Clock.ClusterTime() == nil {
			t.Errorf("%v: operation time %v, snapshot %v, cluster time %v", tt.kind, e.session.OperationTime(), e.session.SnapshotTime(), e.session.Clock().ClusterTime())
		}
		if got := e.session.Transaction().RecoveryToken; (got != nil) != tt.token {
			t.Errorf("%v: token %v", tt.role, got)
		}
	}
	e := newReadingExecution(operation.SnapshotSession)
	e.session = session.NewImplicit(session.NewPool().Acquire(0, time.Time{}))
	if _, err := e.read(reply); err != nil || e.session.Clock().ClusterTime() != nil || e.x.Clock.ClusterTime() == nil {
		t.Errorf("an implicit session has the cluster time %v, %v", e.session.Clock().ClusterTime(), err)
	}
	e.session = nil
	if _, err := e.read(reply); err != nil {
		t.Error(err)
	}
}

// An empty token in the reply to a commit changes nothing. One that is too large removes the token.
func TestRecoveryTokens(t *testing.T) {
	rest := make([]byte, txn.MaxRecoveryTokenSize-len(raw(t, "shard", "b", "rest", []byte{})))
	for _, tt := range []struct {
		name string
		role operation.Role
		sent bson.D
		want string // a, b, or nothing
	}{
		{"of a command", operation.InTransaction, bson.Doc("shard", "b"), "b"},
		{"empty, of a command", operation.InTransaction, bson.D{}, ""},
		{"of a commit", operation.Commit, bson.Doc("shard", "b"), "b"},
		{"empty, of a commit", operation.Commit, bson.D{}, "a"},
		{"as large as may be", operation.InTransaction, bson.Doc("shard", "b", "rest", rest), "b"},
		{"too large", operation.InTransaction, bson.Doc("shard", "b", "rest", append(rest, 0)), ""},
	} {
		e := newReadingExecution(operation.ExplicitSession)
		e.course.State.Role = tt.role
		e.session.Transaction().RecoveryToken = raw(t, "shard", "a")
		if _, err := e.read(raw(t, "ok", 1, "recoveryToken", tt.sent)); err != nil {
			t.Fatal(err)
		}
		if got, _ := e.session.Transaction().RecoveryToken.Lookup("shard").StringOK(); got != tt.want {
			t.Errorf("%s: token of %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A reply with ok: 1 may report a failure.
func TestReportedFailures(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reply  bson.Raw
		labels []string
		code   errcode.Code // of the write concern error
		errs   int
		none   bool
	}{
		{name: "none", reply: raw(t, "ok", 1), none: true},
		{name: "statements without a label", reply: raw(t, "ok", 1, "writeErrors", bson.A{bson.Doc("index", 0, "code", 7)}), none: true},
		{name: "statements", reply: raw(t, "ok", 1, "writeErrors", bson.A{bson.Doc("index", 0, "code", 7)}, "errorLabels", bson.A{"x"}),
			labels: []string{"x"}, errs: 1},
		{name: "a write concern", reply: raw(t, "ok", 1, "writeConcernError", bson.Doc("code", 91, "errmsg", "m"), "errorLabels", bson.A{"x"}),
			labels: []string{"x"}, code: 91},
		{name: "a write concern error of another kind", reply: raw(t, "ok", 1, "writeConcernError", 5), none: true},
	} {
		e := newReadingExecution(operation.ExplicitSession)
		f, err := e.read(tt.reply)
		if err != nil {
			t.Fatal(err)
		}
		e.try.reply = tt.reply
		failed, ok := errors.AsType[fault.WriteException](e.reportedFailure(f))
		if ok == tt.none || !slices.Equal(failed.Labels, tt.labels) || len(failed.WriteErrors) != tt.errs ||
			(failed.WriteConcernError != nil) != (tt.code != 0) || tt.code != 0 && failed.WriteConcernError.Code != tt.code {
			t.Errorf("%s: %+v", tt.name, failed)
		}
	}
}
