package exec

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// A retry is another try with the same number and the same session, and is counted.
func TestARetrySendsTheSameAgain(t *testing.T) {
	for name, first := range map[string]answer{
		"a broken connection": breakConnection, "a code": failWith(91, "errorLabels", bson.A{"RetryableWriteError"}),
		"a write concern": ok("writeConcernError", bson.Doc("code", 91, "errmsg", "x"), "errorLabels", bson.A{"RetryableWriteError"}),
	} {
		play(t, "member", 1, nil, func(s *scene) {
			s.answerWith(first, ok("n", 1))
			out := s.run(insert(s))
			asked := s.wantAsked("insert", "insert")
			for _, field := range []string{"lsid", "txnNumber"} {
				if was, is := asked[0].command.Lookup(field), asked[1].command.Lookup(field); was.IsZero() || !was.Equal(is) {
					s.Errorf("%s: %s is %v, and then %v", name, field, was, is)
				}
			}
			if n, _ := out.Reply.Lookup("n").AsInt64OK(); n != 1 || s.x.Stats().Retries != 1 || out.Sent != 1 || s.inUse() != 0 {
				s.Errorf("%s: %v, %+v", name, out.Reply, s.x.Stats())
			}
		})
	}
}

// The caller gets the error of the second try, unless that error says nothing about the operation.
func TestTheErrorOfSeveralTries(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []answer
		code    int
		sent    int
	}{
		{"the second", []answer{failWith(91), failWith(189)}, 189, 1},
		{"the first, where the second wrote nothing", []answer{failWith(91, "errorLabels", bson.A{"RetryableWriteError"}),
			failWith(189, "errorLabels", bson.A{"RetryableWriteError", "NoWritesPerformed"})}, 91, 1},
	} {
		play(t, "member", 1, nil, func(s *scene) {
			s.answerWith(tt.answers...)
			op := find()
			if strings.HasPrefix(tt.name, "the first") {
				op = insert(s)
			}
			_, err := s.x.Run(s.Context(), op)
			if c, _ := errors.AsType[fault.CommandError](err); int(c.Code) != tt.code || c.Address != "a:1" || len(s.takeQuestions()) != 2 {
				s.Errorf("%s: %v", tt.name, err)
			}
			if got := s.x.Stats(); got.Retries != 1 || got.Failed != 1 || s.inUse() != 0 {
				s.Errorf("%s: %+v", tt.name, got)
			}
		})
	}
}

// Retries after an overload pause, longer each time. The server may set the base of the pause.
func TestPausesAfterAnOverload(t *testing.T) {
	for _, tt := range []struct {
		name  string
		with  [2][]any
		waits []time.Duration
	}{
		{"as specified", [2][]any{}, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}},
		{"as the server says", [2][]any{{"baseBackoffMS", 7}, {"baseBackoffMS", 7}}, []time.Duration{14 * time.Millisecond, 28 * time.Millisecond}},
		{"as it says now", [2][]any{{"baseBackoffMS", 7}, {"baseBackoffMS", 9}}, []time.Duration{14 * time.Millisecond, 36 * time.Millisecond}},
		{"as specified again", [2][]any{{"baseBackoffMS", 7}, nil}, []time.Duration{14 * time.Millisecond, 400 * time.Millisecond}},
	} {
		play(t, "member", 1, nil, func(s *scene) {
			s.answerWith(overload(tt.with[0]...), overload(tt.with[1]...), ok())
			s.run(find())
			asked := s.wantAsked("find", "find", "find")
			var waits []time.Duration
			for i := range asked[1:] {
				waits = append(waits, asked[i+1].at.Sub(asked[i].at))
			}
			if !slices.Equal(waits, tt.waits) || s.x.Stats().Retries != 2 {
				s.Errorf("%s: waits of %v, %d retries", tt.name, waits, s.x.Stats().Retries)
			}
			s.answerWith(overload(), overload(), overload())
			if _, err := s.x.Run(s.Context(), find()); !fault.HasErrorCode(err, 462) || len(s.takeQuestions()) != 3 {
				s.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

// If no time is left for a pause, the operation ends at once.
func TestNoTimeForAPause(t *testing.T) {
	for left, retries := range map[time.Duration]int64{199 * time.Millisecond: 0, 200 * time.Millisecond: 0, 201 * time.Millisecond: 1} {
		play(t, "member", 1, nil, func(s *scene) {
			ctx, cancel := context.WithTimeout(s.Context(), left)
			defer cancel()
			s.answerWith(overload(), overload())
			began := time.Now()
			_, err := s.x.Run(ctx, find())
			if !fault.HasErrorCode(err, 462) || s.x.Stats().Retries != retries || time.Since(began) != 200*time.Millisecond*time.Duration(retries) {
				s.Errorf("%v: %d retries, %v after %v", left, s.x.Stats().Retries, err, time.Since(began))
			}
			if strings.Contains(err.Error(), "given up") {
				s.Errorf("%v: no retry was given up: %v", left, err)
			}
		})
	}
}

// The end of the context ends the retries, and the error tells of both.
func TestAnInterruptedRetry(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		ctx, cancel := context.WithCancel(s.Context())
		s.answerWith(overload(), answer{silent: true, with: func() { time.AfterFunc(time.Second, cancel) }})
		_, err := s.x.Run(ctx, find())
		if !errors.Is(err, context.Canceled) {
			s.Errorf("%v", err)
		}
		s.takeQuestions()
		ctx, cancel = context.WithCancel(s.Context())
		s.answerWith(overload(), overload())
		time.AfterFunc(250*time.Millisecond, cancel)
		_, err = s.x.Run(ctx, find())
		if !fault.HasErrorCode(err, 462) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "(the retry was given up: context canceled)") {
			s.Errorf("%v", err)
		}
		s.wantAsked("find", "find")
		ctx, cancel = context.WithCancel(s.Context())
		s.answerWith(overload())
		time.AfterFunc(50*time.Millisecond, cancel) // before the first retry
		if _, err = s.x.Run(ctx, find()); !fault.HasErrorCode(err, 462) || !errors.Is(err, context.Canceled) {
			s.Errorf("%v", err)
		}
	})
}

// A retry avoids the servers of all earlier tries.
func TestARetryAvoidsItsServers(t *testing.T) {
	for range 5 { // the first choice is random
		play(t, "router", 3, nil, func(s *scene) {
			s.answerWith(overload(), overload())
			s.run(find())
			var servers []string
			for _, q := range s.takeQuestions() {
				servers = append(servers, q.server)
			}
			if slices.Sort(servers); !slices.Equal(servers, []string{"a:1", "b:1", "c:1"}) {
				s.Errorf("the tries went to %v", servers)
			}
		})
	}
}

// A server that cannot be reached fails the try. Discovery is told about a broken connection.
func TestDiscoveryHearsOfErrors(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(failWith(1))
		generation := func() uint64 { return s.x.Topology.Servers()[0].PoolStats().Generation }
		if _, err := s.x.Run(s.Context(), find()); err == nil || generation() != 0 {
			s.Errorf("%v, generation %d", err, generation())
		}
		s.answerWith(breakConnection)
		op := find()
		op.Command = &command.BuildInfo{}
		s.x.RetryReads = false
		if _, err := s.x.Run(s.Context(), op); !fault.IsNetworkError(err) || generation() != 1 {
			s.Errorf("%v, generation %d", err, generation())
		}
		time.Sleep(time.Minute) // the server is found again
		s.mu.Lock()
		s.refuses = "a:1"
		s.mu.Unlock()
		if _, err := s.x.Run(s.Context(), op); err == nil {
			s.Error("a server that refuses connections answers")
		}
		op = find()
		op.ReadPreference = &options.ReadPreference{Mode: options.Secondary}
		began := time.Now()
		_, err := s.x.Run(s.Context(), op)
		if !errors.As(err, new(fault.ServerSelectionError)) || time.Since(began) != time.Second || s.x.Stats().Timeouts[TimeoutSelection] != 1 {
			s.Errorf("%v, %+v", err, s.x.Stats())
		}
	})
}

// The time left of timeoutMS is sent as maxTimeMS, and a late reply is a timeout error.
func TestTimeoutOfAnOperation(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		op := find()
		op.Timeout = new(10 * time.Second)
		s.answerWith(answer{silent: true})
		began := time.Now()
		_, err := s.x.Run(s.Context(), op)
		if !errors.As(err, new(fault.TimeoutError)) || time.Since(began) != 10*time.Second || s.x.Stats().Timeouts[TimeoutNetwork] != 1 {
			s.Errorf("%v after %v, %+v", err, time.Since(began), s.x.Stats())
		}
		if ms, _ := s.wantAsked("find")[0].command.Lookup("maxTimeMS").AsInt64OK(); ms != 10_000 {
			s.Errorf("maxTimeMS is %d", ms)
		}
		op = find()
		op.Timeout = new(10 * time.Second)
		s.answerWith(failWith(50))
		if _, err := s.x.Run(s.Context(), op); !errors.As(err, new(fault.TimeoutError)) || s.x.Stats().Timeouts[TimeoutServer] != 1 {
			s.Errorf("%v, %+v", err, s.x.Stats())
		}
	})
}

// Under timeoutMS, serverSelectionTimeoutMS limits selection and check-out together, and waitQueueTimeoutMS does not
// apply.
func TestTimeToFindAConnection(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.options.MaxPoolSize, s.options.WaitQueueTimeout = new(1), new(50*time.Millisecond) }, func(s *scene) {
		for _, tt := range []struct {
			timeout time.Duration
			want    time.Duration
		}{{0, 50 * time.Millisecond}, {time.Minute, time.Second}, {300 * time.Millisecond, 300 * time.Millisecond}} {
			s.answerWith(answer{fields: []any{"ok", 1}, after: 5 * time.Second})
			done := make(chan error)
			go func() { _, err := s.x.Run(s.Context(), find()); done <- err }()
			time.Sleep(time.Millisecond)
			op := find()
			if tt.timeout > 0 {
				op.Timeout = &tt.timeout
			}
			began := time.Now()
			_, err := s.x.Run(s.Context(), op)
			if waited := time.Since(began); !errors.As(err, new(fault.WaitQueueTimeoutError)) || waited != tt.want {
				s.Errorf("%v: %v after %v, want %v", tt.timeout, err, waited, tt.want)
			}
			if (tt.timeout > 0) != errors.As(err, new(fault.TimeoutError)) && tt.want == tt.timeout {
				s.Errorf("%v: %#v", tt.timeout, err)
			}
			<-done
		}
		if got := s.x.Stats().Timeouts[TimeoutCheckOut]; got == 0 {
			s.Errorf("%+v", s.x.Stats())
		}
	})
}

// If there is no connection by then, the operation ends, even if its timeout leaves time for another try.
func TestNoOtherTryWhenTheTimeToFindAConnectionIsOver(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.setHelloTakes(5 * time.Second)
		op := find()
		op.Timeout = new(time.Minute)
		began := time.Now()
		if _, err := s.x.Run(s.Context(), op); err == nil || time.Since(began) != time.Second || s.x.Stats().Retries != 0 {
			s.Errorf("%v after %v and %d retries", err, time.Since(began), s.x.Stats().Retries)
		}
		s.setHelloTakes(0)
	})
	slow := func(s *scene) { s.helloTakes = 400 * time.Millisecond }
	play(t, "member", 1, slow, func(s *scene) { // the time begins with the choice of the server, which takes a part of it
		time.AfterFunc(200*time.Millisecond, func() { s.setHelloTakes(5 * time.Second) })
		op := find()
		op.Timeout = new(time.Minute)
		began := time.Now()
		if _, err := s.x.Run(s.Context(), op); err == nil || time.Since(began) != time.Second {
			s.Errorf("%v after %v", err, time.Since(began))
		}
		s.setHelloTakes(0)
	})
}

// Whether a write of several items may be retried is known only once its message is written.
func TestAWriteThatMayNotBeRepeated(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cmd   deletes
		from  int
		tries int
	}{
		{"all of them may", deletes{many: 9, n: 3}, 0, 2},
		{"one may not", deletes{many: 1, n: 3}, 0, 1},
		{"one of an earlier message may not", deletes{many: 1, n: 6}, 3, 2},
		{"one of a later message may not", deletes{many: 3, n: 6}, 0, 2},
	} {
		play(t, "member", 1, nil, func(s *scene) {
			s.answerWith(breakConnection)
			_, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: &tt.cmd, Batch: &tt.cmd, From: tt.from})
			asked := s.takeQuestions()
			if len(asked) != tt.tries || (err == nil) != (tt.tries == 2) || asked[0].command.Lookup("txnNumber").IsZero() != (tt.tries == 1) {
				s.Errorf("%s: %d tries, %v", tt.name, len(asked), err)
			}
		})
	}
}

// The outcome of an error reports how many items were sent: none without a connection, and none of a message that cannot
// be written.
func TestNothingIsSentWithoutAConnection(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.refuse("a:1")
		cmd := &deletes{many: 1, n: 6}
		out, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: cmd, Batch: cmd, From: 3})
		if err == nil || out.Sent != 0 {
			s.Errorf("%d items were sent, %v", out.Sent, err)
		}
		s.wantAsked()
		s.refuse("")
		cmd.fails, cmd.err = 2, errors.New("no BSON type")
		if out, err = s.x.Run(s.Context(), &Operation{DB: "db", Command: cmd, Batch: cmd, From: 1}); !errors.Is(err, cmd.err) || out.Sent != 0 {
			s.Errorf("%d items were sent, %v", out.Sent, err)
		}
		s.wantAsked()
		cmd.err = nil
		s.answerWith(failWith(1))
		if out, err = s.x.Run(s.Context(), &Operation{DB: "db", Command: cmd, Batch: cmd, From: 1}); err == nil || out.Sent != s.batch {
			s.Errorf("%d items were sent, %v", out.Sent, err)
		}
		cmd = &deletes{many: 9, n: 6}
		s.answerWith(answer{breaks: true, with: func() { s.allowItems(2) }}, failWith(1))
		if out, err = s.x.Run(s.Context(), &Operation{DB: "db", Command: cmd, Batch: cmd}); err == nil || out.Sent != 3 {
			s.Errorf("%d items were sent by two tries, %v", out.Sent, err)
		}
	})
}

// A second commit of a transaction has the write concern majority, because the first may have taken place.
func TestACommitIsRepeatedWithAMajority(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.startCommit(c)
		for range 2 {
			s.run(&Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		}
		asked := s.wantAsked("commitTransaction", "commitTransaction")
		if !asked[0].command.Lookup("writeConcern").IsZero() || asked[1].command.Lookup("writeConcern", "w").String() != `"majority"` {
			s.Errorf("%v, then %v", asked[0].command, asked[1].command)
		}
	})
}

// deletes are statements of which one deletes many documents.
type deletes struct {
	many, n int
	fails   int // the item that cannot be encoded, if there is an err
	err     error
}

func (d *deletes) Append(dst []byte, env *emitted.Env) ([]byte, error) {
	return (&command.BulkDelete{Collection: "c"}).Append(dst, env)
}
func (d *deletes) Meta() command.Meta {
	m := (&command.BulkDelete{}).Meta()
	if d.many < d.n {
		m.Retry = 0
	}
	return m
}
func (d *deletes) Timeout() *time.Duration { return nil }
func (d *deletes) Items() int              { return d.n }
func (d *deletes) AppendItem(dst []byte, i int, _ *emitted.Env) ([]byte, error) {
	if d.err != nil && i >= d.fails {
		return nil, d.err
	}
	dst, start := bson.AppendDocumentStart(dst)
	return bson.AppendDocumentEnd(bson.AppendInt32Element(dst, "i", int32(i)), start), nil
}
func (d *deletes) RetryableItems(from, n int) bool { return d.many < from || d.many >= from+n }
