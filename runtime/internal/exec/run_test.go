package exec

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

func find() *Operation {
	return &Operation{DB: "db", Command: &command.Find{Collection: "c", Filter: bson.EmptyDocument()}}
}

func insert(s *scene) *Operation {
	cmd := &command.InsertOne{Collection: "c", Document: raw(s.T, "_id", 1)}
	return &Operation{DB: "db", Command: cmd, Batch: cmd}
}

// run runs an operation that must succeed.
func (s *scene) run(op *Operation) Outcome {
	s.Helper()
	out, err := s.x.Run(s.Context(), op)
	if err != nil {
		s.Fatal(err)
	}
	return *out
}

// startSession is a session of the program.
func (s *scene) startSession(kind operation.SessionKind) *session.Client {
	return session.NewExplicit(s.x.AcquireServerSession(), kind, bson.Timestamp{})
}

func TestOperationSendsOneCommandAndReturnsItsReply(t *testing.T) {
	for _, kind := range []string{"member", "standalone", "router", "balanced"} {
		t.Run(kind, func(t *testing.T) {
			play(t, kind, 1, func(s *scene) { s.x.ServerAPI = bson.AppendStringElement(nil, "apiVersion", "1") }, func(s *scene) {
				s.answerWith(ok("n", 3))
				out := s.run(find())
				if n, _ := out.Reply.Lookup("n").AsInt64OK(); n != 3 || out.Server != s.x.Topology.Servers()[0] || out.WireVersion != 25 ||
					out.Session != nil || out.Conn != nil || out.MoreToCome || s.inUse() != 0 {
					t.Errorf("%+v, %d connections in use", out, s.inUse())
				}
				var keys []string
				for key := range s.wantAsked("find")[0].command.All() {
					keys = append(keys, key)
				}
				if want := []string{"find", "filter", "$db", "lsid", "apiVersion"}; !slices.Equal(keys, want) {
					t.Errorf("the command has %v, want %v", keys, want)
				}
				out = s.run(insert(s))
				q := s.wantAsked("insert")[0]
				if n, _ := q.command.Lookup("txnNumber").AsInt64OK(); (n == 1) != (kind != "standalone") || q.sequences["documents"] != 1 || out.Sent != 1 {
					t.Errorf("number %d, sections %v, %d sent", n, q.sequences, out.Sent)
				}
			})
		})
	}
}

// An operation without a number gets one, commands of one operation share it, and Stats lists what is running.
func TestOperationsAreCounted(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		var running []RunningOperation
		look := func() { running = s.x.Stats().Running }
		s.answerWith(answer{fields: []any{"ok", 1}, with: look}, failWith(1), ok())
		began := time.Now()
		s.run(find())
		if len(running) != 1 || running[0] != (RunningOperation{ID: 1, Operation: "find", Database: "db", Collection: "c", Began: began, Server: "a:1", Try: 1}) {
			t.Errorf("running: %+v", running)
		}
		op := find()
		op.ID = 40
		if _, err := s.x.Run(s.Context(), op); !fault.HasErrorCode(err, 1) || op.execution.id != 40 {
			t.Errorf("operation %d: %v", op.execution.id, err)
		}
		op = find()
		if s.run(op); op.execution.id != 2 || s.x.NextID() != 3 {
			t.Errorf("the third operation is %d", op.execution.id)
		}
		if got := s.x.Stats(); got.Finished != 3 || got.Failed != 1 || got.InFlight != 0 || got.Retries != 0 || len(got.Running) != 0 ||
			got.Failures != (Failures{FailureServer: 1}) {
			t.Errorf("%+v", got)
		}
	})
}

// An operation that cannot be sent fails before a server is selected.
func TestOperationsThatCannotBeSentFailAtOnce(t *testing.T) {
	newEndedSession := func(s *scene) *session.Client {
		c := s.startSession(operation.ExplicitSession)
		c.End()
		return c
	}
	for _, tt := range []struct {
		name string
		op   func(s *scene) *Operation
		want string
	}{
		{"a collection", func(*scene) *Operation {
			return &Operation{DB: "db", Command: &command.Find{Collection: "\xff", Filter: bson.EmptyDocument()}}
		}, "mongo: find: the name of the collection is not UTF-8: \"\\xff\""},
		{"a database", func(*scene) *Operation { op := find(); op.DB = "\xff"; return op }, "mongo: find: the name of the database is not UTF-8: \"\\xff\""},
		{"a session that has ended", func(s *scene) *Operation { op := find(); op.Session = newEndedSession(s); return op }, errSessionEnded.Error()},
		{"an unacknowledged write in a session", func(s *scene) *Operation {
			op := insert(s)
			op.WriteConcern, op.Session = &options.WriteConcern{W: 0}, s.startSession(operation.ExplicitSession)
			return op
		}, errUnacknowledged.Error()},
		{"a server that is too old", func(*scene) *Operation {
			op := find()
			op.MinWireVersion, op.TooOld = 26, errors.New("too old")
			return op
		}, "mongo: find: too old"},
		{"a field that is too large", func(s *scene) *Operation {
			return &Operation{DB: "db", Command: &command.Find{Collection: "c", Filter: raw(s.T, "x", strings.Repeat("x", 1<<10))}}
		}, "find"},
		{"a command that is too large", func(s *scene) *Operation {
			return &Operation{DB: "db", Command: &command.Find{Collection: strings.Repeat("c", 900), Filter: raw(s.T, "x", strings.Repeat("x", 900)),
				Options: &options.Find{Comment: strings.Repeat("x", 900), Hint: strings.Repeat("x", wire.CommandOverhead)}}}
		}, "find"},
	} {
		play(t, "member", 1, nil, func(s *scene) {
			_, err := s.x.Run(s.Context(), tt.op(s))
			if err == nil || err.Error() != tt.want && (tt.want != "find" || !errors.As(err, new(fault.CommandTooLargeError))) || s.inUse() != 0 {
				t.Errorf("%s: %v, want %s; %d connections in use", tt.name, err, tt.want, s.inUse())
			}
			s.wantAsked()
		})
	}
}

// The server's limit on the size of a command is exact.
func TestSizeOfACommand(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		size := func(n int) *Operation {
			return &Operation{DB: "db", Command: &command.Find{Collection: "c", Filter: raw(s.T, "x", make([]byte, n))}}
		}
		fits := 1<<10 - len(raw(s.T, "x", []byte{}))
		s.run(size(fits))
		_, err := s.x.Run(s.Context(), size(fits+1))
		if e, ok := errors.AsType[fault.CommandTooLargeError](err); !ok || e.Field != "filter" || e.Size != 1<<10+1 || e.Limit != 1<<10 || e.Command != "find" {
			t.Errorf("%#v", err)
		}
		s.wantAsked("find")
		whole := func(n int) *Operation {
			docs := bson.A{}
			op := find()
			for range 16 + n/1000 {
				docs = append(docs, raw(s.T, "x", make([]byte, 1)))
			}
			op.Command = &command.Find{Collection: "c", Filter: bson.EmptyDocument(), Options: &options.Find{Comment: docs}}
			return op
		}
		s.run(whole(0))
	})
}

// widePing is a command with many fields, each of which is small enough.
type widePing struct {
	*command.Ping
	fields int
}

func (w widePing) Append(dst []byte, _ *emitted.Env) ([]byte, error) {
	dst, _ = bson.AppendDocumentStart(dst)
	dst = bson.AppendInt32Element(dst, "ping", 1)
	for range w.fields {
		dst = bson.AppendBinaryElement(dst, "b", 0, make([]byte, 1000))
	}
	return dst, nil
}

// A command of many fields may be slightly larger than a document, but no more.
func TestSizeOfACommandOfManyFields(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.run(&Operation{DB: "db", Command: widePing{fields: 10}})
		s.wantAsked("ping")
		_, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: widePing{fields: 20}})
		if e, ok := errors.AsType[fault.CommandTooLargeError](err); !ok || e.Field != "" || e.Size < 20_000 || e.Limit != 1<<10+wire.CommandOverhead {
			t.Errorf("%#v", err)
		}
		s.wantAsked()
	})
}

// An operation that begins after its deadline fails at once.
func TestNoTimeToBegin(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		if _, err := s.x.Run(ctx, find()); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%v", err)
		}
		over, cancel := context.WithDeadline(s.Context(), time.Now())
		defer cancel()
		op := find()
		op.Timeout = new(time.Hour)
		if _, err := s.x.Run(over, op); !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, new(fault.TimeoutError)) {
			t.Errorf("%v", err)
		}
		s.wantAsked()
		if got := s.x.Stats(); got.Failed != 2 || got.Timeouts[TimeoutOther] != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// The driver makes an implicit session where one is needed, and gives it back to the pool.
func TestImplicitSessions(t *testing.T) {
	lsid := func(q question) string { return q.command.Lookup("lsid").String() }
	play(t, "member", 1, nil, func(s *scene) {
		s.run(find())
		s.run(find())
		asked := s.wantAsked("find", "find")
		if lsid(asked[0]) != lsid(asked[1]) {
			t.Error("the session of the first operation was not used again")
		}
		op := find()
		op.Implicit = KeepSession
		out := s.run(op)
		s.run(find())
		asked = s.wantAsked("find", "find")
		if out.Session == nil || lsid(asked[0]) == lsid(asked[1]) {
			t.Error("a session that is kept was used again")
		}
		s.x.Release(&out)
		if out.Session != nil {
			t.Error("a session was not given back")
		}
		s.run(find())
		if lsid(asked[0]) != lsid(s.wantAsked("find")[0]) {
			t.Error("the session that was given back last is not the first to be used")
		}
		op = find()
		op.Implicit = NoSession
		s.run(op)
		if q := s.wantAsked("find")[0]; !q.command.Lookup("lsid").IsZero() {
			t.Error("a command without a session has one")
		}
		s.answerWith(breakConnection, breakConnection)
		if _, err := s.x.Run(s.Context(), find()); !fault.IsNetworkError(err) {
			t.Error(err)
		}
		asked = s.wantAsked("find", "find")
		s.run(find())
		if lsid(asked[0]) != lsid(asked[1]) || lsid(asked[0]) == lsid(s.wantAsked("find")[0]) {
			t.Error("a session that may be dirty was used by another operation")
		}
	})
}

// If a document of the program panics, its connection goes back to the pool. So does its session, because nothing was
// sent.
func TestAPanicGivesEverythingBack(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		func() {
			defer func() { _ = recover() }()
			_, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: panickingPing{}})
			t.Errorf("it returned %v", err)
		}()
		if got := s.x.Stats(); s.inUse() != 0 || got.InFlight != 0 || got.Failed != 1 || len(got.Running) != 0 {
			t.Errorf("%d in use, %+v", s.inUse(), got)
		}
		s.run(find())
		s.wantAsked("find")
	})
	for _, reached := range []bool{false, true} {
		s := session.NewPool().Acquire(0, time.Time{})
		e := &execution{x: &Executor{}, session: session.NewImplicit(s), reached: reached}
		if e.giveUp(); s.IsDirty() {
			t.Error("the session of another operation is discarded")
		}
	}
}

type panickingPing struct{ *command.Ping }

func (panickingPing) Append([]byte, *emitted.Env) ([]byte, error) { panic("a document") }

func TestWaitUntilAllIsDone(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.x.Wait(s.Context())
		s.answerWith(answer{fields: []any{"ok", 1}, after: time.Second})
		began := time.Now()
		go func() { _, _ = s.x.Run(s.Context(), find()) }()
		synctest.Wait()
		if s.x.Wait(s.Context()); time.Since(began) != time.Second {
			t.Errorf("it waited %v", time.Since(began))
		}
		cleanup := s.x.BeginCleanup()
		ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
		defer cancel()
		if s.x.Wait(ctx); time.Since(began) != time.Minute+time.Second || s.x.Stats().Cleaning != 0 {
			t.Errorf("it waited %v, %d are left behind", time.Since(began), s.x.Stats().Cleaning)
		}
		if cleanup.Leave(); s.x.Stats().Cleaning != 1 {
			t.Error("a cleanup in the background is not counted")
		}
		time.AfterFunc(time.Second, cleanup.End)
		if s.x.Wait(s.Context()); time.Since(began) != time.Minute+2*time.Second || s.x.Stats().Cleaning != 0 {
			t.Errorf("it waited %v, %d are left behind", time.Since(began), s.x.Stats().Cleaning)
		}
		cleanup = s.x.BeginCleanup()
		cleanup.End()
		if cleanup.Leave(); s.x.Stats().Cleaning != 0 {
			t.Error("a cleanup that is over is in the background")
		}
	})
}
