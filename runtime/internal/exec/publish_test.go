package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/tracing"
)

// eventLog collects the events of commands.
type eventLog struct {
	started   []*event.CommandStarted
	succeeded []*event.CommandSucceeded
	failed    []*event.CommandFailed
}

func (h *eventLog) listen(s *scene) {
	s.x.Commands.Events.Monitor = &event.CommandMonitor{
		Started:   func(_ context.Context, e *event.CommandStarted) { h.started = append(h.started, e) },
		Succeeded: func(_ context.Context, e *event.CommandSucceeded) { h.succeeded = append(h.succeeded, e) },
		Failed:    func(_ context.Context, e *event.CommandFailed) { h.failed = append(h.failed, e) },
	}
}

func TestEventsOfACommand(t *testing.T) {
	for _, kind := range []string{"member", "balanced"} {
		var h eventLog
		play(t, kind, 1, h.listen, func(s *scene) {
			answer := ok("n", 1)
			answer.after = 5 * time.Millisecond
			s.answerWith(answer)
			cmd := &command.InsertMany{Collection: "c", Documents: []bson.Raw{raw(s.T, "_id", 1), raw(s.T, "_id", 2)}}
			out := s.run(&Operation{DB: "db", Command: cmd, Batch: cmd, ID: 9})
			began, ended := h.started[0], h.succeeded[0]
			if began.CommandName != "insert" || began.DatabaseName != "db" || began.OperationID != 9 || began.RequestID == 0 ||
				began.DriverConnectionID == 0 || began.ServerConnectionID == nil || *began.ServerConnectionID != 77 ||
				began.ConnectionID != fmt.Sprintf("a:1[-%d]", began.DriverConnectionID) || (began.ServiceID != nil) != (kind == "balanced") {
				s.Errorf("%s: %+v", kind, began)
			}
			if second, _ := began.Command.Lookup("documents", "1", "_id").AsInt64OK(); second != 2 || began.Command.Lookup("$db").IsZero() {
				s.Errorf("%s: %v", kind, began.Command)
			}
			if ended.CommandName != "insert" || ended.RequestID != began.RequestID || ended.OperationID != 9 || ended.Duration != 5*time.Millisecond ||
				string(ended.Reply) != string(out.Reply) || len(h.failed) != 0 {
				s.Errorf("%s: %+v", kind, ended)
			}
		})
	}
}

// Events have the server's connection number, unless an old server does not send it.
func TestEventsHaveTheServersConnectionID(t *testing.T) {
	for id, want := range []*int64{nil, new(int64(1))} {
		var h eventLog
		play(t, "member", 1, func(s *scene) { h.listen(s); s.id = id }, func(s *scene) {
			s.run(find())
			if got := h.started[0].ServerConnectionID; (got == nil) != (want == nil) || got != nil && *got != *want {
				s.Errorf("connection %d is %v", id, got)
			}
		})
	}
}

// Each command of an operation that succeeds or fails has its own pair of events.
func TestEventsOfFailures(t *testing.T) {
	var h eventLog
	play(t, "member", 1, h.listen, func(s *scene) {
		s.answerWith(failWith(91, "errorLabels", bson.A{"x"}), breakConnection)
		if _, err := s.x.Run(s.Context(), find()); err == nil {
			s.Error("it succeeded")
		}
		if len(h.started) != 2 || len(h.failed) != 2 || len(h.succeeded) != 0 {
			s.Fatalf("%d started, %d failed, %d succeeded", len(h.started), len(h.failed), len(h.succeeded))
		}
		if h.started[0].OperationID != h.started[1].OperationID || h.started[0].RequestID == h.started[1].RequestID || h.failed[1].RequestID != h.started[1].RequestID {
			s.Errorf("%+v, %+v", h.started[0], h.started[1])
		}
		if !fault.HasErrorCode(h.failed[0].Failure, 91) || !fault.IsNetworkError(h.failed[1].Failure) {
			s.Errorf("%v, %v", h.failed[0].Failure, h.failed[1].Failure)
		}
	})
	h = eventLog{}
	play(t, "member", 1, h.listen, func(s *scene) { // a write concern error is a success
		s.answerWith(ok("writeConcernError", bson.Doc("code", 64, "errmsg", "x")), answer{silent: true})
		s.run(insert(s))
		op := insert(s)
		op.WriteConcern = &options.WriteConcern{W: 0}
		s.run(op)
		time.Sleep(time.Millisecond)
		if len(h.succeeded) != 2 || h.succeeded[0].Reply.Lookup("writeConcernError").IsZero() || h.succeeded[1].Reply.String() != `{"ok":1}` {
			s.Errorf("%+v", h)
		}
	})
}

// Events of a command that may hold secrets have neither its fields, nor its reply, nor the server's error text.
func TestSensitiveCommands(t *testing.T) {
	var h eventLog
	tracer := &tracer{}
	play(t, "member", 1, func(s *scene) { h.listen(s); s.x.Commands.Tracing.Tracer = tracer }, func(s *scene) {
		s.answerWith(ok("payload", "secret"), failWith(18, "errmsg", "secret", "codeName", "AuthenticationFailed"), breakConnection)
		for range 2 {
			_, _ = s.x.Run(s.Context(), &Operation{DB: "admin", Command: loginPing{}})
		}
		if _, err := s.x.Run(s.Context(), &Operation{DB: "admin", Command: loginPing{}}); err == nil {
			s.Error("it succeeded")
		}
		if len(h.started) != 3 || len(h.started[0].Command) != 5 || len(h.succeeded[0].Reply) != 5 || len(h.failed) != 2 {
			s.Fatalf("%+v", h)
		}
		e, ok := errors.AsType[fault.CommandError](h.failed[0].Failure)
		if !ok || e.Code != 18 || e.Message != "" || e.Raw != nil || e.Command != "saslStart" || e.Address != "a:1" || e.Name != "AuthenticationFailed" {
			s.Errorf("%#v", h.failed[0].Failure)
		}
		if !fault.IsNetworkError(h.failed[1].Failure) {
			s.Errorf("%#v", h.failed[1].Failure)
		}
		if stripReply(errors.New("x")).Error() != "x" {
			s.Error("an error of another kind is changed")
		}
		if slices.ContainsFunc(tracer.spans, func(s *span) bool { return s.name == "saslStart" && s.attribute("db.command.name").Text != "" }) {
			s.Error("a sensitive command has a span")
		}
	})
}

type loginPing struct{ *command.Ping }

func (loginPing) Append(dst []byte, _ *emitted.Env) ([]byte, error) {
	dst, _ = bson.AppendDocumentStart(dst)
	return bson.AppendStringElement(bson.AppendInt32Element(dst, "saslStart", 1), "payload", "secret"), nil
}
func (loginPing) Meta() command.Meta {
	return command.Meta{Command: "saslStart", Operation: "saslStart"}
}

// tracer collects spans.
type tracer struct{ spans []*span }

type span struct {
	name       string
	parent     *span
	began      time.Time
	attributes []options.SpanAttribute
	ended      int
	err        error
}

type spanKey struct{}

func (t *tracer) Start(ctx context.Context, name string, began time.Time, attributes []options.SpanAttribute) options.Span {
	parent, _ := ctx.Value(spanKey{}).(*span)
	s := &span{name: name, parent: parent, began: began, attributes: slices.Clone(attributes)}
	t.spans = append(t.spans, s)
	return s
}
func (s *span) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, spanKey{}, s)
}
func (s *span) Traceparent() string { return "of " + s.name }
func (s *span) SetAttributes(attributes []options.SpanAttribute) {
	s.attributes = append(s.attributes, attributes...)
}
func (s *span) End(err error) { s.ended++; s.err = err }

func (s *span) attribute(key string) options.SpanAttribute {
	i := slices.IndexFunc(s.attributes, func(a options.SpanAttribute) bool { return a.Key == key })
	if i < 0 {
		return options.SpanAttribute{}
	}
	return s.attributes[i]
}

// An operation has a span with one span inside for each of its commands.
func TestSpansOfAnOperation(t *testing.T) {
	var spans tracer
	play(t, "member", 1, func(s *scene) { s.x.Commands.Tracing = tracing.Settings{Tracer: &spans, QueryTextMaxLength: 100} }, func(s *scene) {
		s.answerWith(failWith(91), cursor(5))
		s.run(find())
		if len(spans.spans) != 3 {
			s.Fatalf("%d spans", len(spans.spans))
		}
		whole, failed, last := spans.spans[0], spans.spans[1], spans.spans[2]
		if whole.name != "find db.c" || whole.parent != nil || failed.parent != whole || last.parent != whole || last.name != "find" ||
			whole.attribute("db.collection.name").Text != "c" || whole.attribute("db.operation.name").Text != "find" {
			s.Errorf("%+v, %+v, %+v", whole, failed, last)
		}
		for _, a := range spans.spans {
			if a.ended != 1 || (a.err != nil) != (a == failed) {
				s.Errorf("%s ended %d times, with %v", a.name, a.ended, a.err)
			}
		}
		if failed.attribute("db.response.status_code").Text != "91" || failed.attribute("exception.message").Text == "" ||
			last.attribute("db.mongodb.cursor_id").Number != 5 || last.attribute("server.address").Text != "a" || last.attribute("server.port").Number != 1 ||
			last.attribute("db.mongodb.server_connection_id").Number != 77 || last.attribute("db.mongodb.driver_connection_id").Number == 0 ||
			!strings.Contains(last.attribute("db.query.text").Text, `"find"`) {
			s.Errorf("%+v, %+v", failed.attributes, last.attributes)
		}
		s.answerWith(breakConnection, breakConnection)
		_, err := s.x.Run(s.Context(), find())
		whole = spans.spans[3]
		if !fault.IsNetworkError(err) || whole.err.Error() != err.Error() || whole.attribute("exception.message").Text == "" || spans.spans[4].attribute("db.response.status_code").Text != "" {
			s.Errorf("%+v, %v", whole, err)
		}
		ctx := context.WithValue(s.Context(), tracedKey{}, options.Span(whole))
		if _, err := s.x.Run(ctx, find()); err != nil || len(spans.spans) != 7 {
			s.Errorf("an operation inside another has a span of its own: %d, %v", len(spans.spans), err)
		}
	})
}

// A panic ends the span.
func TestSpanOfAPanic(t *testing.T) {
	var spans tracer
	play(t, "member", 1, func(s *scene) { s.x.Commands.Tracing.Tracer = &spans }, func(s *scene) {
		func() {
			defer func() { _ = recover() }()
			_, _ = s.x.Run(s.Context(), &Operation{DB: "db", Command: panickingPing{}})
		}()
		if len(spans.spans) != 1 || spans.spans[0].ended != 1 || spans.spans[0].err == nil {
			s.Errorf("%+v", spans.spans)
		}
	})
}

// A command without a comment gets the traceparent as its comment.
func TestTheCommentOfASpan(t *testing.T) {
	for _, tt := range []struct {
		comment any
		wire    int32
		on      bool
		want    string
	}{{nil, 25, true, "of find db.c"}, {"own", 25, true, "own"}, {nil, 8, true, ""}, {nil, 25, false, ""}} {
		var spans tracer
		play(t, "member", 1, func(s *scene) {
			s.wire = tt.wire
			s.x.Commands.Tracing = tracing.Settings{Tracer: &spans, Comment: tt.on}
		}, func(s *scene) {
			op := find()
			op.Command = &command.Find{Collection: "c", Filter: bson.EmptyDocument(), Options: &options.Find{Comment: tt.comment}}
			s.run(op)
			if got, _ := s.wantAsked("find")[0].command.Lookup("comment").StringOK(); got != tt.want {
				s.Errorf("%+v: %q", tt, got)
			}
		})
	}
}

// The spans of a transaction's operations are inside the transaction's span, which begins with the transaction.
func TestSpanOfATransaction(t *testing.T) {
	var spans tracer
	play(t, "member", 1, func(s *scene) { s.x.Commands.Tracing.Tracer = &spans }, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		began := time.Now().Add(-time.Second)
		if err := c.Start(session.Transaction{Began: began}); err != nil {
			s.Fatal(err)
		}
		op := find()
		op.Session = c
		s.run(op)
		whole := spans.spans[0]
		if whole.name != "transaction" || !whole.began.Equal(began) || spans.spans[1].parent != whole || c.Span != options.Span(whole) {
			s.Fatalf("%+v, %+v", whole, spans.spans[1])
		}
		s.startCommit(c)
		s.run(&Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		if commit := spans.spans[3]; commit.parent != whole || len(spans.spans) != 5 {
			s.Errorf("%+v", commit)
		}
		c.EndSpan(nil)
		s.run(&Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		if again := spans.spans[5]; again.parent != nil || c.Span != nil {
			s.Errorf("%+v", again)
		}
		op = find()
		op.Session = c
		s.run(op)
		if after := spans.spans[7]; after.parent != nil || c.Span != nil {
			s.Errorf("%+v", after)
		}
	})
}
