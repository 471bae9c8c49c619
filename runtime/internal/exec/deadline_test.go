package exec

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// newCountCommand returns a command whose own timeoutMS is own.
func newCountCommand(own *time.Duration) *command.EstimatedDocumentCount {
	return &command.EstimatedDocumentCount{Options: &options.EstimatedDocumentCount{Timeout: own}}
}

// newTimedSession returns a session inside a withTransaction with a timeout.
func newTimedSession(at time.Time) *session.Client {
	s := session.NewExplicit(session.NewPool().Acquire(0, time.Time{}), operation.ExplicitSession, bson.Timestamp{})
	s.SetDeadline(at)
	return s
}

// The context of a command ends when the table says, and no later than the context of the call.
func TestBoundSetsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		of := func(d time.Duration) *time.Duration { return &d }
		for _, tt := range []struct {
			name string
			op   Operation
			want time.Duration // 0 = none
			err  error
		}{
			{"nothing", Operation{Command: newCountCommand(nil)}, 0, nil},
			{"its own", Operation{Command: newCountCommand(of(time.Second)), Timeout: of(time.Hour)}, time.Second, nil},
			{"inherited", Operation{Command: newCountCommand(nil), Timeout: of(time.Hour)}, time.Hour, nil},
			{"lifted", Operation{Command: newCountCommand(of(0)), Timeout: of(time.Hour)}, 0, nil},
			{"negative", Operation{Command: newCountCommand(of(-1))}, 0, fault.ErrNegativeTimeout},
			{"of the session", Operation{Command: newCountCommand(nil), Timeout: of(time.Hour), Session: newTimedSession(began.Add(time.Minute))}, time.Minute, nil},
			{"of a session without a limit", Operation{Command: newCountCommand(nil), Timeout: of(time.Hour), Session: newTimedSession(time.Time{})}, 0, nil},
			{"twice", Operation{Command: newCountCommand(of(1)), Session: newTimedSession(began)}, 0, errTimeoutInTransaction},
			{"of its call", Operation{Command: newCountCommand(nil), Timeout: of(time.Hour), Part: timeout.GetMore}, 0, nil},
		} {
			ctx, cancel, err := new(Executor).bound(t.Context(), &tt.op)
			deadline, limited := ctx.Deadline()
			if !errors.Is(err, tt.err) || limited != (tt.want > 0) || limited && deadline.Sub(began) != tt.want {
				t.Errorf("%s: %v, %v", tt.name, deadline.Sub(began), err)
			}
			cancel()
		}
	})
}

// All messages of an operation share the deadline of the first. Operations that read its results share it, too.
func TestMessagesShareADeadline(t *testing.T) {
	first := &Operation{Command: newCountCommand(new(time.Hour)), Timeout: new(time.Minute)}
	ctx, cancel, err := new(Executor).Bound(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	results := &Operation{Command: &command.GetMore{}}
	results.ContinuesWithin(first)
	for _, op := range []*Operation{first, results} {
		same, _, err := new(Executor).bound(ctx, op)
		if err != nil || same != ctx || op.timing.Clock != timeout.Limited {
			t.Errorf("%v: %v, another context: %t, %v", op.Part, op.timing.Clock, same != ctx, err)
		}
	}
	if *results.Timeout != time.Hour {
		t.Errorf("the results have the timeout %v", *results.Timeout)
	}
	inherited := &Operation{Command: newCountCommand(nil), Timeout: new(time.Minute)}
	if results.ContinuesWithin(inherited); *results.Timeout != time.Minute {
		t.Errorf("the results have the timeout %v", *results.Timeout)
	}
	negative := &Operation{Command: newCountCommand(new(time.Duration(-1)))}
	if _, _, err := new(Executor).Bound(t.Context(), negative); err == nil || negative.Part != timeout.Start {
		t.Errorf("a refused operation is a %v, %v", negative.Part, err)
	}
}

func TestCheckTimeout(t *testing.T) {
	s := newTimedSession(time.Time{})
	for _, tt := range []struct {
		own  *time.Duration
		s    *session.Client
		want error
	}{
		{nil, s, nil}, {new(time.Second), nil, nil}, {new(time.Second), s, errTimeoutInTransaction}, {new(time.Duration(-1)), nil, fault.ErrNegativeTimeout},
	} {
		if err := CheckTimeout(tt.own, tt.s); !errors.Is(err, tt.want) {
			t.Errorf("%v: %v, want %v", tt.own, err, tt.want)
		}
	}
}

// maxTimeMS is the time left when the command is written, less a round trip. A retry has less than the try before it,
// and nothing is sent that cannot be answered in time.
func TestMaxTimeShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, roundTrip = 100 * time.Millisecond, 10 * time.Millisecond
		op := &Operation{Command: newCountCommand(new(limit))}
		ctx, cancel, err := new(Executor).bound(t.Context(), op)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		e := &execution{op: op, meta: op.Command.Meta(), try: try{server: &topology.Server{}, minRTT: roundTrip}}
		for spent := time.Duration(0); spent <= limit; spent += 30 * time.Millisecond {
			dst, start := bson.AppendDocumentStart(nil)
			dst, err := e.appendMaxTime(ctx, dst, &emitted.Env{})
			late := spent >= limit-roundTrip
			if late != errors.Is(err, ErrNotSent) || late != errors.Is(e.checkTimeLeft(ctx), ErrNotSent) || late != fault.IsTimeout(err) {
				t.Errorf("after %v: %v, %v", spent, err, e.checkTimeLeft(ctx))
			}
			var want int64
			if !late {
				want = (limit - roundTrip - spent).Milliseconds()
			}
			if ms, _ := bson.Raw(bson.AppendDocumentEnd(dst, start)).Lookup("maxTimeMS").AsInt64OK(); ms != want {
				t.Errorf("after %v: maxTimeMS %d, want %d", spent, ms, want)
			}
			time.Sleep(30 * time.Millisecond)
		}
	})
}

func TestCommandsWithoutMaxTime(t *testing.T) {
	for _, tt := range []struct {
		name  string
		left  time.Duration
		op    Operation
		known bool
		sent  bool // whether an option sends maxTimeMS
		want  bool
	}{
		{"under a timeout", time.Hour, Operation{Timeout: new(time.Hour)}, true, false, true},
		{"with the deadline of a context", time.Hour, Operation{}, true, false, true},
		{"without any", 0, Operation{}, true, false, false},
		{"with more than fits", math.MaxInt32*time.Millisecond + time.Hour, Operation{}, true, false, false},
		{"with an option", time.Hour, Operation{}, true, true, false},
		{"of the program", time.Hour, Operation{}, false, false, false},
		{"of the program, under a timeout", time.Hour, Operation{Timeout: new(time.Hour)}, false, false, true},
		{"a batch", time.Hour, Operation{Timeout: new(time.Hour), Part: timeout.GetMore}, true, false, false},
		{"the first of a cursor with iterations", time.Hour, Operation{Timeout: new(time.Hour), Span: timeout.EachNext}, true, false, false},
	} {
		ctx, cancel := t.Context(), context.CancelFunc(noCancel)
		if tt.left > 0 {
			ctx, cancel = context.WithTimeout(ctx, tt.left)
		}
		tt.op.Command = newCountCommand(nil)
		bounded, end, err := new(Executor).bound(ctx, &tt.op)
		if err != nil {
			t.Fatal(err)
		}
		e := &execution{op: &tt.op}
		if tt.known {
			e.meta.Access = command.Read
		}
		dst, err := e.appendMaxTime(bounded, nil, &emitted.Env{MaxTimeSent: tt.sent})
		if err != nil || len(dst) > 0 != tt.want {
			t.Errorf("%s: %x, %v", tt.name, dst, err)
		}
		end()
		cancel()
	}
}

// An error has the type of a timeout under timeoutMS, once, whether the clock, the server or a socket reports it.
func TestErrorsOfTimeouts(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-1))
	defer cancel()
	server, other := fault.CommandError{Code: errcode.MaxTimeMSExpired}, errors.New("other")
	told := fault.TimeoutError{Operation: "x", Err: other}
	wrapped := fault.EncryptionError{Err: told}
	limited := Operation{Command: newCountCommand(nil), timing: timeout.State{Clock: timeout.Limited}}
	for _, tt := range []struct {
		name        string
		clock       timeout.Clock
		ctx         context.Context
		err         error
		same, again bool // whether the error is unchanged: by Run, by AsTimeout
	}{
		{"none", timeout.Limited, over, nil, true, true},
		{"of the server", timeout.Limited, t.Context(), server, false, false},
		{"of the server, without a bound", timeout.Endless, t.Context(), server, false, false},
		{"of the server, without timeoutMS", timeout.WithoutTimeout, over, server, true, true},
		{"another", timeout.Limited, t.Context(), other, true, true},
		{"another, too late", timeout.Limited, over, other, false, true},
		{"cancelled", timeout.Limited, over, context.Canceled, true, true},
		{"told", timeout.Limited, over, told, true, true},
		{"told, inside another", timeout.Limited, over, wrapped, false, true},
	} {
		limited.timing.Clock = tt.clock
		e := &execution{op: &limited, meta: limited.Command.Meta()}
		out := Outcome{timing: limited.timing, operation: "count"}
		for how, got := range map[string]error{"Run": e.markTimedOut(tt.ctx, tt.err), "AsTimeout": limited.AsTimeout(tt.err), "of an outcome": out.AsTimeout(tt.err)} {
			same := tt.again
			if how == "Run" {
				same = tt.same
			}
			want := tt.err
			if !same {
				want = fault.TimeoutError{Operation: "count", Err: tt.err}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s returns %#v", tt.name, how, got)
			}
		}
	}
}

func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if Expired(ctx) || Expired(t.Context()) {
			t.Error("it has expired at once")
		}
		time.Sleep(time.Second - time.Nanosecond)
		if Expired(ctx) {
			t.Error("it has expired before its time")
		}
		time.Sleep(time.Nanosecond)
		if !Expired(ctx) {
			t.Error("it has not expired")
		}
		cancel()
		ended, end := context.WithCancel(t.Context())
		if end(); !Expired(ended) {
			t.Error("a cancelled context may go on")
		}
	})
}
