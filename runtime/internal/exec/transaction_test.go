package exec

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// beginTransaction returns a session whose transaction has had its first command.
func (s *scene) beginTransaction(kind operation.SessionKind) *session.Client {
	s.Helper()
	c := s.startSession(kind)
	if err := c.Start(session.Transaction{}); err != nil {
		s.Fatal(err)
	}
	op := find()
	op.Session = c
	s.run(op)
	s.wantAsked("find")
	return c
}

// startCommit moves the transaction of a session to its commit.
func (s *scene) startCommit(c *session.Client) {
	c.Transaction().State, _ = txn.Next(c.Transaction().State, txn.Commit)
}

// The commands of a transaction stay on one router, or on one connection behind a load balancer, until it is over.
func TestATransactionIsPinned(t *testing.T) {
	for _, kind := range []string{"member", "router", "balanced"} {
		servers := 1
		if kind == "router" {
			servers = 3
		}
		play(t, kind, servers, nil, func(s *scene) {
			c := s.beginTransaction(operation.ExplicitSession)
			if (c.PinnedServer() != nil) != (kind != "member") || (c.PinnedConnection() != nil) != (kind == "balanced") {
				s.Fatalf("%s: pinned to %v, %v", kind, c.PinnedServer(), c.PinnedConnection())
			}
			var held int
			for _, server := range s.x.Topology.Servers() {
				held += server.PoolStats().ForTransactions
			}
			if (held == 1) != (kind == "balanced") || s.inUse() != int64(held) {
				s.Errorf("%s: %d connections are held, %d in use", kind, held, s.inUse())
			}
			pinned := c.PinnedServer()
			for range 5 {
				op := insert(s)
				op.Session = c
				if out := s.run(op); pinned != nil && out.Server != pinned {
					s.Errorf("%s: a command went to %s", kind, out.Server.Address())
				}
			}
			asked := s.wantAsked("insert", "insert", "insert", "insert", "insert")
			for _, q := range asked {
				if kind == "balanced" && q.conn != asked[0].conn || q.command.Lookup("autocommit").String() != "false" || !q.command.Lookup("startTransaction").IsZero() {
					s.Errorf("%s: %v on connection %d", kind, q.command, q.conn)
				}
			}
			s.startCommit(c)
			s.answerWith(ok(), breakConnection)
			s.run(&Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
			if s.wantAsked("commitTransaction")[0].server != asked[0].server && kind == "router" {
				s.Errorf("%s: the commit went elsewhere", kind)
			}
			op := find()
			op.Session = c
			s.run(op)
			if c.PinnedServer() != nil || c.PinnedConnection() != nil || s.inUse() != 0 || c.Transaction().State != txn.None {
				s.Errorf("%s: the next operation leaves %v, %v, %d in use, %v", kind, c.PinnedServer(), c.PinnedConnection(), s.inUse(), c.Transaction().State)
			}
		})
	}
}

// The connection of a transaction goes back when the session begins another transaction or leaves this one, even
// without a command in between.
func TestATransactionGivesItsConnectionBack(t *testing.T) {
	for name, next := range map[string]func(c *session.Client) error{
		"another transaction":   func(c *session.Client) error { return c.Start(session.Transaction{}) },
		"no transaction at all": func(c *session.Client) error { c.Leave(); return nil },
	} {
		play(t, "balanced", 1, nil, func(s *scene) {
			c := s.beginTransaction(operation.ExplicitSession)
			s.startCommit(c)
			s.run(&Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
			if s.inUse() != 1 {
				s.Fatalf("%s: %d connections are held after the commit, which may have to be repeated on it", name, s.inUse())
			}
			if err := next(c); err != nil || s.inUse() != 0 || c.PinnedServer() != nil || c.PinnedConnection() != nil {
				s.Errorf("%s: %v, %d connections are held, pinned to %v, %v", name, err, s.inUse(), c.PinnedServer(), c.PinnedConnection())
			}
		})
	}
}

// The first command starts the transaction; an error that unpins gives the connection back.
func TestTheFirstCommandOfATransaction(t *testing.T) {
	play(t, "balanced", 1, nil, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		if err := c.Start(session.Transaction{ReadPreference: &options.ReadPreference{Mode: options.Primary}}); err != nil {
			s.Fatal(err)
		}
		s.answerWith(breakConnection)
		op := find()
		op.Session = c
		_, err := s.x.Run(s.Context(), op)
		q := s.wantAsked("find")[0]
		if q.command.Lookup("startTransaction").String() != "true" || !fault.HasErrorLabel(err, fault.LabelTransientTransactionError) {
			s.Errorf("%v, %v", q.command, err)
		}
		if c.PinnedConnection() != nil || s.inUse() != 0 || c.Transaction().State != txn.InProgress || !c.Server().IsDirty() {
			s.Errorf("pinned to %v, %d in use, %v, dirty %t", c.PinnedConnection(), s.inUse(), c.Transaction().State, c.Server().IsDirty())
		}
	})
}

// A transaction reads only from the primary.
func TestReadPreferenceInATransaction(t *testing.T) {
	play(t, "member", 2, nil, func(s *scene) {
		secondary := &options.ReadPreference{Mode: options.Secondary}
		for _, tt := range []struct {
			name    string
			of, txn *options.ReadPreference
			command Command
			fails   bool
		}{
			{"of the transaction", nil, secondary, &command.Find{Collection: "c", Filter: bson.EmptyDocument()}, true},
			{"of a read, which does not count", secondary, nil, &command.Find{Collection: "c", Filter: bson.EmptyDocument()}, false},
			{"of a write, which does not count", nil, secondary, &command.InsertOne{Collection: "c", Document: raw(s.T, "_id", 1)}, false},
			{"of the program's own command", secondary, nil, loginPing{}, true},
			{"a primary for the program's own command", &options.ReadPreference{Mode: options.Primary}, nil, loginPing{}, false},
			{"none for the program's own command", nil, nil, loginPing{}, false},
			{"a primary", nil, &options.ReadPreference{Mode: options.Primary}, &command.Find{Collection: "c", Filter: bson.EmptyDocument()}, false},
		} {
			c := s.startSession(operation.ExplicitSession)
			if err := c.Start(session.Transaction{ReadPreference: tt.txn}); err != nil {
				s.Fatal(err)
			}
			_, err := s.x.Run(s.Context(), &Operation{DB: "db", Command: tt.command, Session: c, ReadPreference: tt.of})
			if (err != nil) != tt.fails || tt.fails && err.Error() != "mongo: "+txn.ReadPreferenceNotPrimary() {
				s.Errorf("%s: %v", tt.name, err)
			}
			if asked := s.takeQuestions(); !tt.fails && asked[0].server != "a:1" {
				s.Errorf("%s: %s, a secondary, was asked", tt.name, asked[0].server)
			}
		}
	})
}

// A killCursors before the transaction's first command is not part of it.
func TestKillCursorsBeforeATransactionBegins(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		if err := c.Start(session.Transaction{}); err != nil {
			s.Fatal(err)
		}
		kill := func() question {
			s.run(&Operation{DB: "db", Command: &command.KillCursors{Collection: "c", Cursors: []int64{1}}, Session: c})
			return s.wantAsked("killCursors")[0]
		}
		if q := kill(); !q.command.Lookup("txnNumber").IsZero() || c.Transaction().State != txn.Starting {
			s.Errorf("%v", q.command)
		}
		op := find()
		op.Session = c
		s.run(op)
		s.takeQuestions()
		if q := kill(); q.command.Lookup("autocommit").IsZero() {
			s.Errorf("%v", q.command)
		}
	})
}

// The next command of a session waits for its cleanups, but no longer than its own time allows.
func TestACommandWaitsForCleanups(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		cleanup := c.BeginKill()
		defer cleanup.End()
		op := find()
		op.Session, op.Timeout = c, new(time.Second)
		_, err := s.x.Run(s.Context(), op)
		if !errors.As(err, new(fault.TimeoutError)) || !strings.Contains(err.Error(), "still ending a cursor or a transaction") {
			s.Errorf("%v", err)
		}
		s.wantAsked()
	})
}

// A retry of the command that ends a transaction sends the recovery token of the reply before it.
func TestTheLatestRecoveryTokenIsSent(t *testing.T) {
	news := []any{"errorLabels", bson.A{"RetryableWriteError"}, "recoveryToken", bson.Doc("n", 2)}
	concern := append([]any{"writeConcernError", bson.Doc("code", 91, "errmsg", "x")}, news...)
	for _, first := range []answer{ok(concern...), failWith(91, news...)} {
		for _, end := range []Command{
			&command.CommitTransaction{RecoveryToken: raw(t, "n", 1)}, &command.AbortTransaction{RecoveryToken: raw(t, "n", 1)},
		} {
			play(t, "router", 2, nil, func(s *scene) {
				c := s.beginTransaction(operation.ExplicitSession)
				if _, commits := end.(*command.CommitTransaction); commits {
					s.startCommit(c)
				}
				s.answerWith(first, ok())
				s.run(&Operation{DB: "admin", Command: end, Session: c})
				name := end.Meta().Command
				for i, q := range s.wantAsked(name, name) {
					if n, _ := q.command.Lookup("recoveryToken", "n").AsInt64OK(); n != int64(i+1) {
						s.Errorf("%s after %v: try %d sends %v", name, first.fields, i+1, q.command)
					}
				}
			})
		}
	}
}

// A commit whose result the server calls unknown unpins the router, and the next commit has the write concern majority.
func TestACommitThatTheServerCallsUnknown(t *testing.T) {
	play(t, "router", 2, nil, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.startCommit(c)
		s.answerWith(failWith(1, "errorLabels", bson.A{fault.LabelUnknownTransactionCommitResult}))
		_, err := s.x.Run(s.Context(), &Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		t := c.Transaction()
		if !fault.HasErrorCode(err, 1) || c.PinnedServer() != nil || t.Commits != operation.CommitSent || t.CommitBefore != operation.CommitOpen {
			s.Errorf("%v, pinned to %v, %v, %v", err, c.PinnedServer(), t.Commits, t.CommitBefore)
		}
	})
}
