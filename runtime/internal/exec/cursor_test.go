package exec

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// getMore returns the operation that fetches the next batch of an outcome's cursor.
func getMore(out *Outcome) *Operation {
	return &Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: out.Server, Conn: out.Conn, Session: out.Session}
}

// A transaction keeps its connection, whatever cursors it opens.
func TestACursorInATransactionTakesNoConnection(t *testing.T) {
	play(t, "balanced", 1, nil, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.answerWith(cursor(5))
		op := find()
		op.Session, op.Answer = c, OpenCursor
		out := s.run(op)
		if out.Conn != nil || c.PinnedConnection() == nil {
			s.Fatalf("the cursor has %v, the transaction %v", out.Conn, c.PinnedConnection())
		}
		s.run(getMore(&out))
		if asked := s.wantAsked("find", "getMore"); asked[0].conn != asked[1].conn {
			s.Errorf("the cursor is on connection %d, its next batch on %d", asked[0].conn, asked[1].conn)
		}
		s.x.Release(&out)
		if stats := s.x.Topology.Servers()[0].PoolStats(); stats.ForTransactions != 1 || stats.ForCursors != 0 {
			s.Errorf("%+v", stats)
		}
		c.Leave()
	})
}

// The cursor of an operation in the program's session uses that session.
func TestACursorKeepsTheSessionOfTheProgram(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		for id, kept := range map[int64]*session.Client{5: c, 0: nil} {
			s.answerWith(cursor(id))
			op := find()
			op.Session, op.Answer = c, OpenCursor
			if out := s.run(op); out.Session != kept {
				s.Errorf("the cursor %d has the session %v", id, out.Session)
			}
		}
	})
}

// If a reply is late on a connection that a cursor keeps, the connection breaks: the next command would read that
// reply.
func TestALateBatchCostsTheConnection(t *testing.T) {
	play(t, "balanced", 1, nil, func(s *scene) {
		s.answerWith(cursor(5))
		op := find()
		op.Answer = OpenCursor
		out := s.run(op)
		late := ok("n", 1)
		late.after = 1500 * time.Millisecond
		s.answerWith(late)
		ctx, cancel := context.WithTimeout(s.Context(), time.Second)
		defer cancel()
		if _, err := s.x.Run(ctx, getMore(&out)); !errors.Is(err, context.DeadlineExceeded) || !out.Conn.Conn.IsBroken() {
			s.Errorf("%v, the connection is broken: %t", err, out.Conn.Conn.IsBroken())
		}
		s.x.Release(&out)
	})
}

// After an overload has ended a stream of batches, the driver sends a new request.
func TestAStreamOfBatchesIsAskedForAgain(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(answer{fields: []any{"ok", 1, "n", 1}, more: true}, overload(), answer{fields: []any{"ok", 1, "n", 2}, more: true}, ok())
		op := getMore(&Outcome{Server: s.x.Topology.Servers()[0]})
		op.Answer = BatchStream
		out := s.run(op)
		next := getMore(&out)
		next.Answer = AwaitedBatch
		ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
		defer cancel()
		again, err := s.x.Run(ctx, next)
		if err != nil {
			s.Fatal(err)
		}
		if n, _ := again.Reply.Lookup("n").AsInt64OK(); n != 2 || !again.MoreToCome {
			s.Errorf("%+v", again)
		}
		if asked := s.wantAsked("getMore", "getMore"); asked[1].flags != wire.ExhaustAllowed || asked[1].conn != asked[0].conn {
			s.Errorf("flags %d on connection %d, before on %d", asked[1].flags, asked[1].conn, asked[0].conn)
		}
		s.x.Release(again)
	})
}

// A command on a cursor leaves time for a round trip to the cursor's server.
func TestLessThanARoundTripToTheServerOfACursor(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.helloTakes = 10 * time.Millisecond }, func(s *scene) {
		time.Sleep(5 * time.Minute) // until the average round trip time has settled
		s.run(find())               // there is a connection
		s.takeQuestions()
		op := getMore(&Outcome{Server: s.x.Topology.Servers()[0]})
		op.Timeout = new(9 * time.Millisecond)
		if _, err := s.x.Run(s.Context(), op); !errors.Is(err, ErrNotSent) {
			s.Error(err)
		}
		s.wantAsked()
	})
}

// Servers that do not report how long a session lasts have no sessions, except behind a load balancer.
func TestSessionsNeedAServerThatReportsTheirTimeout(t *testing.T) {
	for kind, sessions := range map[string]bool{"member": false, "router": false, "balanced": true} {
		play(t, kind, 1, func(s *scene) { s.sessionless = true }, func(s *scene) {
			s.run(insert(s))
			q := s.wantAsked("insert")[0]
			if q.command.Lookup("lsid").IsZero() == sessions || q.command.Lookup("txnNumber").IsZero() == sessions {
				s.Errorf("%s: %v", kind, q.command)
			}
		})
	}
}

// A transaction keeps its number even if its session is dirty.
func TestATransactionKeepsItsNumber(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.answerWith(breakConnection)
		op := find()
		op.Session = c
		if _, err := s.x.Run(s.Context(), op); err == nil || !c.Server().IsDirty() {
			s.Fatalf("%v, dirty %t", err, c.Server().IsDirty())
		}
		time.Sleep(time.Minute) // until the server is found again
		s.run(&Operation{DB: "admin", Command: &command.AbortTransaction{}, Session: c})
		asked := s.wantAsked("find", "abortTransaction")
		if was, is := asked[0].command.Lookup("txnNumber"), asked[1].command.Lookup("txnNumber"); was.IsZero() || !was.Equal(is) {
			s.Errorf("the number is %v, and then %v", was, is)
		}
	})
}
