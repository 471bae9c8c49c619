package exec

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
)

// An unacknowledged write asks for no reply, does not wait for one, and has neither a session nor a number.
func TestAnUnacknowledgedWrite(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		op := insert(s)
		op.WriteConcern = &options.WriteConcern{W: 0}
		s.answerWith(answer{silent: true})
		out := s.run(op)
		time.Sleep(time.Millisecond)
		q := s.wantAsked("insert")[0]
		if q.flags != wire.MoreToCome || out.Reply != nil || !q.command.Lookup("lsid").IsZero() || !q.command.Lookup("txnNumber").IsZero() || s.inUse() != 0 {
			s.Errorf("flags %d, reply %v, %v", q.flags, out.Reply, q.command)
		}
		if s.run(insert(s)); s.wantAsked("insert")[0].flags != 0 {
			s.Error("an acknowledged write asks for no reply")
		}
	})
}

func cursor(id int64) answer {
	return ok("cursor", bson.Doc("id", id, "firstBatch", bson.A{}, "ns", "db.c"))
}

// The cursor of a router behind a load balancer keeps its connection, and its commands use it.
func TestACursorKeepsItsConnection(t *testing.T) {
	for _, tt := range []struct {
		kind   string
		id     int64
		answer Answer
		kept   bool
	}{
		{"balanced", 5, OpenCursor, true}, {"balanced", 0, OpenCursor, false}, {"balanced", 5, OneReply, false},
		{"router", 5, OpenCursor, false}, {"member", 5, OpenCursor, false},
	} {
		play(t, tt.kind, 1, nil, func(s *scene) {
			s.answerWith(cursor(tt.id))
			op := find()
			op.Answer = tt.answer
			out := s.run(op)
			first := s.wantAsked("find")[0]
			held := s.x.Topology.Servers()[0].PoolStats().ForCursors
			if (out.Conn != nil) != tt.kept || (held == 1) != tt.kept || (s.inUse() == 1) != tt.kept {
				s.Fatalf("%+v: %d connections are held, %d in use", tt, held, s.inUse())
			}
			if (out.Session != nil) != (tt.id != 0 && tt.answer == OpenCursor) {
				s.Errorf("%+v: session %v", tt, out.Session)
			}
			other := find()
			s.run(other)
			next := &Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: out.Server, Conn: out.Conn, Session: out.Session}
			s.run(next)
			asked := s.wantAsked("find", "getMore")
			if tt.kept && (asked[1].conn != first.conn || asked[0].conn == first.conn) {
				s.Errorf("%+v: the cursor is on connection %d, its next batch on %d", tt, first.conn, asked[1].conn)
			}
			if out.Session != nil && asked[1].command.Lookup("lsid").String() != first.command.Lookup("lsid").String() {
				s.Errorf("%+v: the next batch has another session", tt)
			}
			if s.x.Release(&out); out.Conn != nil || s.inUse() != 0 {
				s.Errorf("%+v: %d connections are in use", tt, s.inUse())
			}
		})
	}
}

// A command on a cursor is not retried, because only one server has the cursor.
func TestACommandOfACursorIsNotRetried(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(failWith(134)) // a read would be repeated
		op := find()
		op.Server = s.x.Topology.Servers()[0]
		if _, err := s.x.Run(s.Context(), op); !fault.HasErrorCode(err, 134) {
			s.Error(err)
		}
		s.wantAsked("find")
	})
}

// The commands of a cursor go to its server, wherever other commands go.
func TestACursorStaysOnItsServer(t *testing.T) {
	play(t, "router", 3, nil, func(s *scene) {
		for _, server := range s.x.Topology.Servers() {
			for range 4 {
				s.run(&Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: server})
			}
			for _, q := range s.wantAsked("getMore", "getMore", "getMore", "getMore") {
				if q.server != server.Address() {
					s.Errorf("the cursor of %s was continued on %s", server.Address(), q.server)
				}
			}
		}
	})
}

// A stream of batches arrives on one connection, without requests.
func TestAStreamOfBatches(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		s.answerWith(answer{fields: []any{"ok", 1, "n", 1}, more: true}, ok("n", 2))
		first := &Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: s.x.Topology.Servers()[0], Answer: BatchStream}
		out := s.run(first)
		if s.wantAsked("getMore")[0].flags != wire.ExhaustAllowed || !out.MoreToCome || out.Conn == nil || s.inUse() != 1 {
			s.Fatalf("%+v, %d in use", out, s.inUse())
		}
		next := &Operation{DB: "db", Command: &command.GetMore{ID: 5, Collection: "c"}, Server: out.Server, Conn: out.Conn, Answer: AwaitedBatch}
		last := s.run(next)
		if n, _ := last.Reply.Lookup("n").AsInt64OK(); n != 2 || last.MoreToCome || last.Conn != nil {
			s.Errorf("%+v", last)
		}
		s.wantAsked()
		s.x.Release(&out)
		if s.inUse() != 0 {
			s.Errorf("%d in use", s.inUse())
		}
	})
}

// A late reply does not break the connection, unless a cursor or a transaction keeps it.
func TestALateReply(t *testing.T) {
	for _, tt := range []struct {
		kind string
		of   Answer
		lost bool
	}{{"member", OneReply, false}, {"member", OpenCursor, false}, {"balanced", OneReply, false}, {"balanced", OpenCursor, true}} {
		play(t, tt.kind, 1, nil, func(s *scene) {
			ctx, cancel := context.WithTimeout(s.Context(), time.Second)
			defer cancel()
			late := ok("n", 1)
			late.after = 1500 * time.Millisecond
			s.answerWith(late)
			op := find()
			op.Answer = tt.of
			if _, err := s.x.Run(ctx, op); !errors.Is(err, context.DeadlineExceeded) {
				s.Error(err)
			}
			time.Sleep(2 * time.Second)
			was := s.wantAsked("find")[0].conn
			if s.run(find()); (s.wantAsked("find")[0].conn != was) != tt.lost {
				s.Errorf("%+v: the next operation is on another connection: %t", tt, !tt.lost)
			}
		})
	}
}

// socketTimeoutMS bounds a read, except for operations with a timeoutMS.
func TestSocketTimeout(t *testing.T) {
	play(t, "member", 1, func(s *scene) {
		s.x.SocketTimeout = time.Second
		s.options.SocketTimeout = new(time.Second)
		s.x.RetryReads = false
	}, func(s *scene) {
		slow := answer{fields: []any{"ok", 1}, after: 3 * time.Second}
		s.answerWith(slow)
		op := find()
		op.Timeout = new(time.Minute)
		s.run(op)
		s.answerWith(slow)
		began := time.Now()
		if _, err := s.x.Run(s.Context(), find()); !fault.IsNetworkError(err) || time.Since(began) != time.Second {
			s.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// Sending a command renews its session, so the pool does not drop it.
func TestSessionsAreTouched(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := s.startSession(operation.ExplicitSession)
		time.Sleep(29*time.Minute + 30*time.Second) // the server drops it after 30
		op := find()
		op.Session = c
		s.run(op)
		s.x.ReleaseServerSession(c.Server())
		s.run(find())
		asked := s.wantAsked("find", "find")
		if asked[0].command.Lookup("lsid").String() != asked[1].command.Lookup("lsid").String() {
			s.Error("a session that was just used is taken for an old one")
		}
	})
}

func TestReadPreferenceOfACommand(t *testing.T) {
	secondary := &options.ReadPreference{Mode: options.SecondaryPreferred, TagSets: []options.TagSet{}}
	writes := &command.Aggregate{Collection: "c", Pipeline: bson.RawArray(bson.EmptyDocument()), Writes: true}
	for _, tt := range []struct {
		kind string
		wire int32
		op   Operation
		want string // the mode, empty for none
		to   string // empty for any
	}{
		{"member", 25, Operation{Command: find().Command}, "", "a:1"},
		{"member", 25, Operation{Command: find().Command, ReadPreference: secondary}, "secondaryPreferred", "b:1"},
		{"router", 25, Operation{Command: find().Command, ReadPreference: secondary}, "secondaryPreferred", ""},
		{"router", 25, Operation{Command: find().Command}, "", ""},
		{"standalone", 25, Operation{Command: find().Command, ReadPreference: secondary}, "", ""},
		{"member", 25, Operation{Command: writes, ReadPreference: secondary}, "secondaryPreferred", "b:1"},
		{"member", 12, Operation{Command: writes, ReadPreference: secondary}, "", "a:1"},
		{"router", 12, Operation{Command: writes, ReadPreference: secondary}, "", ""},
		{"balanced", 12, Operation{Command: writes, ReadPreference: secondary}, "", ""},
		{"balanced", 25, Operation{Command: writes, ReadPreference: secondary}, "secondaryPreferred", ""},
		{"member", 25, Operation{Command: &command.InsertOne{Collection: "c"}, ReadPreference: secondary}, "", "a:1"},
	} {
		servers := 2
		if tt.kind == "standalone" || tt.kind == "balanced" {
			servers = 1
		}
		play(t, tt.kind, servers, func(s *scene) { s.wire = tt.wire }, func(s *scene) {
			tt.op.DB = "db"
			s.run(&tt.op)
			q := s.takeQuestions()[0]
			if mode, _ := q.command.Lookup("$readPreference", "mode").StringOK(); mode != tt.want || tt.to != "" && q.server != tt.to {
				s.Errorf("%s, wire version %d: %v to %s, want %q to %s", tt.kind, tt.wire, q.command, q.server, tt.want, tt.to)
			}
		})
	}
}

// If a credential has expired, the connection authenticates again, once, and the command is sent again.
func TestReauthentication(t *testing.T) {
	login := func(s *scene) {
		var err error
		s.x.Auth, err = auth.New(&options.Credential{AuthMechanism: new("PLAIN"), AuthSource: new("$external"), Username: new("u"), Password: new("p")}, auth.Config{})
		if err != nil {
			s.Fatal(err)
		}
	}
	done := ok("conversationId", 1, "done", true, "payload", []byte{})
	play(t, "member", 1, func(s *scene) { login(s); s.answerWith(done) }, func(s *scene) {
		s.answerWith(failWith(391), done)
		s.run(find())
		asked := s.wantAsked("saslStart", "find", "saslStart", "find")
		if asked[1].conn != asked[3].conn || asked[2].conn != asked[1].conn || s.x.Stats().Retries != 0 {
			s.Errorf("connections %d and %d", asked[1].conn, asked[3].conn)
		}
		s.answerWith(failWith(391), done, failWith(391))
		if _, err := s.x.Run(s.Context(), find()); !fault.HasErrorCode(err, 391) {
			s.Error(err)
		}
		s.wantAsked("find", "saslStart", "find")
	})
	slow := done
	slow.after = 3 * time.Second
	play(t, "member", 1, func(s *scene) {
		login(s)
		s.answerWith(done)
		s.x.SocketTimeout, s.x.RetryReads = time.Second, false
		s.options.SocketTimeout = new(time.Second)
	}, func(s *scene) {
		s.answerWith(failWith(391), slow)
		op := find()
		op.Timeout = new(time.Minute)
		s.run(op) // socketTimeoutMS does not count
		s.answerWith(failWith(391), slow)
		if _, err := s.x.Run(s.Context(), find()); err == nil {
			s.Error("a login has taken longer than socketTimeoutMS")
		}
	})
}

// crypt replaces commands and replies.
type crypt struct {
	encrypt, decrypt bson.Raw
	err              error
	off              bool
	with             func() // happens before a reply is decrypted
}

func (c *crypt) Encrypt(_ context.Context, db string, cmd bson.Raw) (bson.Raw, error) {
	if db != "db" || !cmd.Lookup("$db").IsZero() {
		return nil, errors.New("the command has fields of its own already")
	}
	return c.encrypt, c.err
}
func (c *crypt) Decrypt(context.Context, bson.Raw) (bson.Raw, error) {
	if c.with != nil {
		c.with()
	}
	return c.decrypt, c.err
}
func (c *crypt) Encrypts() bool { return !c.off }

// The driver sends the encrypted command, and returns the decrypted reply.
func TestEncryptionOfAnOperation(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		c := &crypt{encrypt: raw(s.T, "secret", 1), decrypt: raw(s.T, "open", 1)}
		s.x.Crypt = c
		if out := s.run(insert(s)); !bytes.Equal(out.Reply, c.decrypt) {
			s.Errorf("%v", out.Reply)
		}
		if q := s.wantAsked("secret")[0]; len(q.sequences) != 0 || q.command.Lookup("$db").IsZero() {
			s.Errorf("%v", q.command)
		}
		c.off = true
		s.run(insert(s))
		if q := s.wantAsked("insert")[0]; q.sequences["documents"] != 1 {
			s.Errorf("%v", q.sequences)
		}
		c.err = errors.New("no key")
		_, err := s.x.Run(s.Context(), insert(s))
		if e, ok := errors.AsType[fault.EncryptionError](err); !ok || !e.Reply || !errors.Is(err, c.err) || s.inUse() != 0 {
			s.Errorf("%#v", err)
		}
		ctx, cancel := context.WithCancel(s.Context())
		c.with = cancel
		if _, err = s.x.Run(ctx, insert(s)); !errors.Is(err, c.err) || strings.Contains(err.Error(), "given up") {
			s.Errorf("no retry was given up: %v", err)
		}
		c.off = false
		s.takeQuestions()
		_, err = s.x.Run(s.Context(), insert(s))
		if e, ok := errors.AsType[fault.EncryptionError](err); !ok || e.Reply || e.Operation != "insert" || s.inUse() != 0 {
			s.Errorf("%#v", err)
		}
		s.wantAsked()
	})
}

// A command with less time than a round trip to the server is not sent.
func TestLessThanARoundTrip(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.helloTakes = 10 * time.Millisecond }, func(s *scene) {
		time.Sleep(5 * time.Minute) // the round trip time is an average
		s.run(find())               // there is a connection
		s.takeQuestions()
		for _, tt := range []struct {
			left time.Duration
			sent bool
		}{{9 * time.Millisecond, false}, {30 * time.Millisecond, true}} {
			op := find()
			op.Timeout = &tt.left
			_, err := s.x.Run(s.Context(), op)
			if sent := len(s.takeQuestions()) == 1; sent != tt.sent || (err == nil) != sent || errors.Is(err, ErrNotSent) == sent {
				s.Errorf("%v: sent %t, %v", tt.left, sent, err)
			}
		}
	})
}

// An error of the server names the command, the server and the code. An unreadable reply is an error of the connection.
func TestErrorsOfReplies(t *testing.T) {
	play(t, "member", 1, func(s *scene) { s.x.RetryReads = false }, func(s *scene) {
		s.answerWith(failWith(11600))
		_, err := s.x.Run(s.Context(), find())
		if e, ok := errors.AsType[fault.CommandError](err); !ok || e.Command != "find" || e.Address != "a:1" || e.Code != errcode.InterruptedAtShutdown || e.Message != "no" {
			s.Errorf("%#v", err)
		}
		if !strings.Contains(err.Error(), "a:1") {
			s.Error(err)
		}
	})
}
