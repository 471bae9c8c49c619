package exec

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/observe"
)

// A write whose write concern was not satisfied has a reply and the labels of the failure, but no error.
func TestAWriteConcernThatFailsIsAnOutcome(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(ok("n", 1, "writeConcernError", bson.Doc("code", 64, "errmsg", "x"), "errorLabels", bson.A{"own"}))
		out := s.run(insert(s))
		if n, _ := out.Reply.Lookup("n").AsInt64OK(); n != 1 || !slices.Equal(out.Labels, []string{"own"}) || out.Server == nil || s.inUse() != 0 {
			s.Errorf("%+v", out)
		}
		s.answerWith(ok("n", 0, "writeErrors", bson.A{bson.Doc("index", 0, "code", 7)}, "errorLabels", bson.A{"own"}))
		if out = s.run(insert(s)); out.Labels != nil || out.Reply.Lookup("writeErrors").IsZero() {
			s.Errorf("%+v", out)
		}
	})
}

// Reads of a snapshot session use the time that the first read got, and need servers that support snapshots.
func TestSnapshotsOfASession(t *testing.T) {
	for _, reply := range []answer{
		ok("cursor", bson.Doc("id", int64(0), "firstBatch", bson.A{}, "atClusterTime", timestampAt(9))),
		ok("values", bson.A{}, "atClusterTime", timestampAt(9)), // as distinct has it
	} {
		play(t, "member", 1, nil, func(s *scene) {
			c := s.startSession(operation.SnapshotSession)
			s.answerWith(reply)
			for range 2 {
				op := find()
				op.Session = c
				s.run(op)
			}
			asked := s.wantAsked("find", "find")
			if got := asked[0].command.Lookup("readConcern").String(); got != `{"level":"snapshot"}` {
				s.Error(got)
			}
			if at, _ := timestampOf(asked[1].command.Lookup("readConcern", "atClusterTime")); at != timestampAt(9) {
				s.Error(asked[1].command)
			}
		})
	}
	play(t, "member", 1, func(s *scene) { s.wire = 12 }, func(s *scene) {
		op := find()
		op.Session = s.startSession(operation.SnapshotSession)
		if _, err := s.x.Run(s.Context(), op); err == nil {
			s.Error("an old server reads a snapshot")
		}
		s.wantAsked()
	})
}

// A field that is too large for later commands is not kept, and one warning says so.
func TestAClusterTimeThatIsTooLarge(t *testing.T) {
	var log warnings
	play(t, "member", 1, func(s *scene) {
		s.x.Commands.Events.Log = observe.NewLogger(&options.Client{Logger: slog.New(&log)}, func(string) string { return "" })
	}, func(s *scene) {
		huge := bson.Doc("clusterTime", timestampAt(5), "signature", strings.Repeat("x", 1<<20))
		s.answerWith(ok("$clusterTime", huge), ok("$clusterTime", huge))
		s.run(find())
		s.run(find())
		if s.run(find()); !s.takeQuestions()[2].command.Lookup("$clusterTime").IsZero() || len(log.texts) != 1 || !strings.Contains(log.texts[0], "a:1 sent a $clusterTime") {
			s.Errorf("%q", log.texts)
		}
	})
}

type warnings struct{ texts []string }

func (w *warnings) Enabled(_ context.Context, l slog.Level) bool { return l == slog.LevelWarn }
func (w *warnings) WithAttrs([]slog.Attr) slog.Handler           { return w }
func (w *warnings) WithGroup(string) slog.Handler                { return w }
func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	w.texts = append(w.texts, r.Message)
	return nil
}

func TestFailuresAreCountedByKind(t *testing.T) {
	duplicate := fault.WriteErrors{{Code: errcode.DuplicateKey}}
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fault.TimeoutError{Err: errors.New("x")}, FailureTimeout}, {context.Canceled, FailureCanceled}, {fault.CommandError{Code: 1}, FailureServer},
		{fault.WriteException{WriteErrors: duplicate}, FailureDuplicateKey}, {fault.WriteException{WriteErrors: fault.WriteErrors{{Code: 1}}}, FailureWrite},
		{fault.WriteException{}, FailureWriteConcern}, {fault.NetworkError{}, FailureNetwork}, {errors.New("x"), FailureOther},
	} {
		if got := failureKind(tt.err); got != tt.want {
			t.Errorf("%#v is %d, want %d", tt.err, got, tt.want)
		}
	}
	statement := func(code int) bson.D { return bson.Doc("index", 0, "code", code) }
	for _, tt := range []struct {
		reply  bson.Raw
		want   int
		failed bool
	}{
		{raw(t, "ok", 1, "nErrors", 0), FailureWriteConcern, false},
		{raw(t, "ok", 1, "writeErrors", bson.A{statement(11000)}), FailureDuplicateKey, true},
		{raw(t, "ok", 1, "writeErrors", bson.A{statement(1)}), FailureWrite, true},
		{raw(t, "ok", 1, "nErrors", 1), FailureWrite, true},
		{raw(t, "ok", 1, "nErrors", 1, "cursor", bson.Doc("firstBatch", bson.A{statement(11000)})), FailureDuplicateKey, true},
		{raw(t, "ok", 1, "nErrors", 2, "cursor", bson.Doc("firstBatch", bson.A{statement(1), statement(11000)})), FailureWrite, true},
		{raw(t, "ok", 1, "writeConcernError", bson.D{}), FailureWriteConcern, true},
	} {
		if got, failed := failedWrites(tt.reply); got != tt.want || failed != tt.failed {
			t.Errorf("%v is %d, %t", tt.reply, got, failed)
		}
	}
}
