package exec

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// lines collects the messages of a log and their attributes about decisions.
type lines struct{ all []string }

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }
func (l *lines) Handle(_ context.Context, r slog.Record) error {
	fields := map[string]string{}
	r.Attrs(func(a slog.Attr) bool { fields[a.Key] = a.Value.String(); return true })
	l.all = append(l.all, fields["operation"]+" "+fields["operationId"]+": "+fields["event"]+", "+fields["verdict"]+": "+fields["rows"])
	return nil
}

// Each verdict, except that on the reply, has a line that says which rows led to it, and why.
func TestDecisionsAreExplained(t *testing.T) {
	var log lines
	play(t, "member", 1, func(s *scene) {
		s.x.Commands.Events.Log = observe.NewLogger(&options.Client{
			Logger: slog.New(&log), LogLevels: &options.LogLevels{Operation: new(slog.LevelDebug - 4)},
		}, func(string) string { return "" })
	}, func(s *scene) {
		s.answerWith(failWith(91))
		s.run(find())
		var events []string
		for _, line := range log.all {
			event, _, _ := strings.Cut(strings.TrimPrefix(line, "find 1: "), ":")
			events = append(events, event)
		}
		want := "Start, ContextAlone; Begun, Select; Selected, CheckOut; CheckedOut, Encode; Encoded, Send; Stumbled, Fail; " +
			"Failed, Select; Selected, CheckOut; CheckedOut, Encode; Encoded, Send"
		if got := strings.Join(events, "; "); got != want {
			s.Errorf("%s", got)
		}
		if begun := log.all[1]; !strings.Contains(begun, ": policy: Read (The operation is a retryable read and retryReads is on), course: Begin (") {
			s.Error(begun)
		}
	})
}

func TestSessionTimeoutsAreBounded(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		op := find()
		op.MinWireVersion, op.TooOld = 25, errors.New("too old")
		s.run(op)
	})
	for minutes, want := range map[int64]time.Duration{30: 30 * time.Minute, 1 << 62: 153722867 * time.Minute, -1: 0} {
		d := &description.Topology{Type: description.ReplicaSetWithPrimary, LogicalSessionTimeoutMinutes: &minutes}
		if got := sessionTimeout(d); got != want {
			t.Errorf("%d minutes are %v", minutes, got)
		}
		if d.Type = description.LoadBalanced; sessionTimeout(d) != 0 {
			t.Error("sessions expire behind a load balancer")
		}
	}
	limits := limitsOf(&description.Server{MaxBSONObjectSize: 7, MaxMessageSizeBytes: 8, MaxWriteBatchSize: 9})
	if limits.MaxBSONObjectSize != 7 || limits.MaxMessageSizeBytes != 8 || limits.MaxWriteBatchSize != 9 {
		t.Errorf("%+v", limits)
	}
	if limits = limitsOf(&description.Server{MaxWriteBatchSize: -1}); limits.MaxBSONObjectSize != 16<<20 || limits.MaxWriteBatchSize != 100_000 {
		t.Errorf("%+v", limits)
	}
}

// An operation that panics gives its implicit session back, dirty if something may have been sent.
func TestTheSessionOfAPanic(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		for _, reached := range []bool{false, true} {
			server := s.x.AcquireServerSession()
			e := &execution{x: s.x, session: session.NewImplicit(server), ownsSession: true, reached: reached}
			if e.giveUp(); server.IsDirty() != reached || (s.x.AcquireServerSession() == server) == reached {
				s.Errorf("reached %t: dirty %t", reached, server.IsDirty())
			}
		}
	})
}

// For the server of a cursor, the time to find a connection begins at the check-out.
func TestTimeToFindAConnectionOfACursor(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.options.MaxPoolSize = new(1) }, func(s *scene) {
		s.answerWith(answer{fields: []any{"ok", 1}, after: 5 * time.Second})
		done := make(chan error)
		go func() { _, err := s.x.Run(s.Context(), find()); done <- err }()
		time.Sleep(time.Millisecond)
		op := &Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: s.x.Topology.Servers()[0], Timeout: new(time.Minute)}
		began := time.Now()
		_, err := s.x.Run(s.Context(), op)
		if waited := time.Since(began); !errors.As(err, new(fault.WaitQueueTimeoutError)) || waited != time.Second {
			s.Errorf("%v after %v", err, waited)
		}
		<-done
	})
}

// An operation encodes with its own marshal options.
func TestMarshalOptionsOfAnOperation(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		op := find()
		op.Marshal = &bson.MarshalOptions{NilSliceAsEmpty: true}
		op.Command = &command.Find{Collection: "c", Filter: bson.EmptyDocument(), Options: &options.Find{Comment: struct{ List []int }{}}}
		s.run(op)
		if got := s.wantAsked("find")[0].command.Lookup("comment").String(); got != `{"list":[]}` {
			s.Error(got)
		}
		c := s.startSession(operation.ExplicitSession)
		e := &execution{op: op, session: c}
		if e.belongsToTransaction() {
			s.Error("an operation outside of a transaction has joined one")
		}
	})
}
