package exec

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// scene is an Executor whose servers answer what a test says, in the time of a synctest bubble. Only the servers are
// fakes: topology, pools and connections are those of the driver, over pipes.
type scene struct {
	*testing.T
	x       *Executor
	kind    string // member, standalone, router or balanced
	hosts   []string
	wire    int32
	id      int // the last connection number of the servers
	batch   int // maxWriteBatchSize
	options *options.Client

	mu      sync.Mutex
	answers []answer // to the next commands; a server with none left answers ok
	asked   []question
	dials   int
	open    int // open connections, including those of monitors
	refuses string

	helloTakes  time.Duration
	sessionless bool // no server reports how long its sessions last
}

// question is a command that a server got.
type question struct {
	server    string
	conn      int // the number of the connection, which monitors share
	command   bson.Raw
	sequences map[string]int // the number of documents in each section of kind 1
	flags     wire.MsgFlag
	size      int
	at        time.Time
}

func (q *question) name() string {
	for key := range q.command.All() {
		return key
	}
	return ""
}

// answer is what a server does with a command.
type answer struct {
	fields []any         // the fields of the reply
	after  time.Duration // the server takes so long
	breaks bool          // the connection breaks instead
	silent bool          // there is no reply, and the connection stays
	more   bool          // another reply follows, without a request
	with   func()        // happens when the command has arrived
}

func ok(fields ...any) answer { return answer{fields: append([]any{"ok", 1}, fields...)} }

func failWith(code int, fields ...any) answer {
	return answer{fields: append([]any{"ok", 0, "code", code, "errmsg", "no"}, fields...)}
}

// overload is the answer of a server that refuses work.
func overload(fields ...any) answer {
	return failWith(462, append([]any{"errorLabels", bson.A{"SystemOverloadedError", "RetryableError"}}, fields...)...)
}

var breakConnection = answer{breaks: true}

// play runs a test in a scene with the given number of servers of a kind. It applies changes before the client
// connects.
func play(t *testing.T, kind string, servers int, changes func(s *scene), test func(s *scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{T: t, kind: kind, wire: 25, id: 77, batch: 3, options: &options.Client{
			ServerMonitoringMode: new(options.MonitorPoll), ServerSelectionTimeout: new(time.Second), MinPoolSize: new(0),
		}}
		s.hosts = []string{"a:1", "b:1", "c:1"}[:servers]
		switch kind {
		case "balanced":
			s.options.LoadBalanced = new(true)
		case "member":
			s.options.ReplicaSet = new("rs")
		}
		s.x = &Executor{
			Sessions: session.NewPool(), Clock: new(session.Clock), Commands: new(Publisher), RetryReads: true, RetryWrites: true,
			ServerSelectionTimeout: time.Second, MaxAdaptiveRetries: 2, Random: func() float64 { return 1 },
		}
		if changes != nil {
			changes(s)
		}
		s.x.Topology = topology.New(topology.Config{
			Hosts: s.hosts, Options: s.options, Auth: s.x.Auth, ServerAPI: s.x.ServerAPI,
			Dialer: &conn.Dialer{NetDialer: s, RequestIDs: new(atomic.Int32)},
		})
		s.x.Topology.Connect()
		synctest.Wait()
		defer s.close()
		test(s)
	})
}

// close closes the client and checks that nothing is left.
func (s *scene) close() {
	if err := s.x.Topology.Close(context.Background()); err != nil {
		s.Error(err)
	}
	time.Sleep(time.Minute) // a server may still be slow
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != 0 {
		s.Errorf("%d connections are left", s.open)
	}
}

// answerWith sets the answers to the next commands.
func (s *scene) answerWith(answers ...answer) {
	s.mu.Lock()
	s.answers = append(s.answers, answers...)
	s.mu.Unlock()
}

// takeQuestions returns the commands since the last call.
func (s *scene) takeQuestions() []question {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// wantAsked compares the names of the commands since the last call, and returns the commands.
func (s *scene) wantAsked(names ...string) []question {
	s.Helper()
	asked := s.takeQuestions()
	var got []string
	for i := range asked {
		got = append(got, asked[i].name())
	}
	if !slices.Equal(got, names) {
		s.Fatalf("the servers were asked %v, want %v", got, names)
	}
	return asked
}

// inUse counts the connections of the pools that are checked out.
func (s *scene) inUse() (n int64) {
	for _, server := range s.x.Topology.Servers() {
		n += int64(server.PoolStats().InUse())
	}
	return n
}

// DialContext opens a connection to a server of the scene.
func (s *scene) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if address == s.refuses {
		return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true} // says nothing about an overload
	}
	ours, theirs := net.Pipe()
	s.dials++
	s.open++
	number := s.dials
	go func() {
		s.serve(ours, address, number)
		ours.Close()
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	return theirs, nil
}

// serve answers the commands on a connection until it breaks.
func (s *scene) serve(c net.Conn, address string, number int) {
	for {
		head := make([]byte, wire.HeaderSize)
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		msg := append(head, make([]byte, int(binary.LittleEndian.Uint32(head))-len(head))...)
		if _, err := io.ReadFull(c, msg[len(head):]); err != nil {
			return
		}
		if wire.OpCode(binary.LittleEndian.Uint32(msg[12:])) == wire.OpQuery {
			query := bson.Raw(msg[wire.HeaderSize+4+len("admin.$cmd")+1+8:])
			if !s.send(c, msg, wire.OpReply, 0, s.hello(address, query)) {
				return
			}
			continue
		}
		q := question{
			server: address, conn: number, command: slices.Clone(conn.Body(msg)), sequences: map[string]int{}, size: len(msg), at: time.Now(),
			flags: wire.MsgFlag(binary.LittleEndian.Uint32(msg[wire.HeaderSize:])),
		}
		for name, docs := range conn.Sequences(msg) {
			for ; len(docs) > 0; docs = docs[binary.LittleEndian.Uint32(docs):] {
				q.sequences[name]++
			}
		}
		if name := q.name(); name == wire.Hello || name == wire.LegacyHello {
			if !s.send(c, msg, wire.OpMsg, 0, s.hello(address, q.command)) {
				return
			}
			continue
		}
		if !s.carryOut(c, msg, q) {
			return
		}
	}
}

// carryOut answers a command, and reports whether the connection goes on.
func (s *scene) carryOut(c net.Conn, msg []byte, q question) bool {
	for {
		s.mu.Lock()
		a := ok()
		if len(s.answers) > 0 {
			a, s.answers = s.answers[0], s.answers[1:]
		}
		if q.command != nil {
			s.asked = append(s.asked, q)
		}
		s.mu.Unlock()
		if a.with != nil {
			a.with()
		}
		time.Sleep(a.after)
		flags := wire.MsgFlag(0)
		if a.more {
			flags = wire.MoreToCome
		}
		switch {
		case a.breaks:
			return false
		case a.silent || q.flags&wire.MoreToCome != 0:
			return true
		case !s.send(c, msg, wire.OpMsg, flags, raw(s.T, a.fields...)):
			return false
		case !a.more:
			return true
		}
		q = question{}                                  // the stream goes on with the next answer,
		binary.LittleEndian.PutUint32(msg[4:], replyID) // which follows this one
	}
}

// replyID is the number of every reply.
const replyID = 1 << 20

func (s *scene) send(c net.Conn, request []byte, op wire.OpCode, flags wire.MsgFlag, body bson.Raw) bool {
	out := make([]byte, wire.HeaderSize)
	binary.LittleEndian.PutUint32(out[4:], replyID)
	copy(out[8:], request[4:8])
	binary.LittleEndian.PutUint32(out[12:], uint32(op))
	if op == wire.OpReply {
		out = append(out, make([]byte, 4+8+4)...)
		out = binary.LittleEndian.AppendUint32(out, 1)
	} else {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(flags)), wire.KindBody)
	}
	out = append(out, body...)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	_, err := c.Write(out)
	return err == nil
}

// allowItems changes how many items the servers take at once.
func (s *scene) allowItems(items int) {
	s.mu.Lock()
	s.batch = items
	s.mu.Unlock()
}

func (s *scene) batchSize() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.batch
}

// setHelloTakes changes how long the servers take for a handshake or a check.
func (s *scene) setHelloTakes(d time.Duration) {
	s.mu.Lock()
	s.helloTakes = d
	s.mu.Unlock()
}

// refuse makes every connection to a server fail. With the address "" all connections succeed again.
func (s *scene) refuse(address string) {
	s.mu.Lock()
	s.refuses = address
	s.mu.Unlock()
}

// hello returns a server's reply to hello. The first member is the primary.
func (s *scene) hello(address string, command bson.Raw) bson.Raw {
	s.mu.Lock()
	takes, sessionless := s.helloTakes, s.sessionless
	s.mu.Unlock()
	time.Sleep(takes)
	fields := []any{"ok", 1, "helloOk", true, "minWireVersion", 0, "maxWireVersion", s.wire, "maxBsonObjectSize", 1 << 10,
		"maxMessageSizeBytes", 4 << 20, "maxWriteBatchSize", s.batchSize(), "connectionId", s.id}
	if !sessionless {
		fields = append(fields, "logicalSessionTimeoutMinutes", 30)
	}
	primary := "ismaster"
	if !command.Lookup(wire.Hello).IsZero() {
		primary = "isWritablePrimary"
	}
	fields = append(fields, primary, s.kind != "member" || address == "a:1")
	switch s.kind {
	case "member":
		hosts := bson.A{}
		for _, host := range s.hosts {
			hosts = append(hosts, host)
		}
		fields = append(fields, "setName", "rs", "hosts", hosts, "me", address, "secondary", address != "a:1", "setVersion", 1)
	case "router":
		fields = append(fields, "msg", "isdbgrid")
	case "balanced":
		fields = append(fields, "msg", "isdbgrid", "serviceId", bson.ObjectID{1, 2, 3})
	}
	return raw(s.T, fields...)
}
