package conn_test

import (
	"context"
	"net"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The next message reuses the memory of a large message, until a garbage collection.
func TestLargeMessagesShareMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	c := dial(t, &conn.Dialer{}, mongotest.Start(t).Hosts()[0])
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	command := bson.AppendInt32Element(nil, "ping", 1)
	command = bson.AppendStringElement(command, "comment", string(make([]byte, size)))
	command = bson.AppendStringElement(command, "$db", "admin")
	large := c.Begin(0)
	large, start := append(large, 0, 0, 0, 0), len(large)
	large = append(large, command...)
	large = bson.AppendDocumentEnd(large, start)
	if _, err := c.RoundTrip(t.Context(), large, false); err != nil {
		t.Fatal(err)
	}
	if next := c.Begin(0); cap(next) < size || &next[:1][0] != &large[:1][0] {
		t.Errorf("the next message has memory for %d bytes, and not that of the one before", cap(next))
	}
	ping(t, c)
	runtime.GC()
	if next := c.Begin(0); cap(next) >= size {
		t.Errorf("after a garbage collection the next message still has memory for %d bytes", cap(next))
	}
}

// A large reply is read into the memory of its own operation. A small reply never is.
func TestReplyMemory(t *testing.T) {
	d := mongotest.Start(t)
	c := dial(t, &conn.Dialer{}, d.Hosts()[0])
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
		t.Fatal(err)
	}
	store := func(id int32, size int) {
		insert, _ := bson.Marshal(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", id, "s", string(make([]byte, size)))}))
		if _, err := c.RunCommand(t.Context(), "shop", insert); err != nil {
			t.Fatal(err)
		}
	}
	const large, larger, small = 1, 2, 3
	store(large, 2<<20)
	store(larger, 6<<20) // more than is allocated on the word of its length
	store(small, 100)
	find := func(ctx context.Context, id int32, memory *[]byte) (bson.Raw, error) {
		msg := c.Begin(0)
		command, _ := bson.Marshal(bson.Doc("find", "c", "filter", bson.Doc("_id", id), "$db", "shop"))
		reply, err := c.Exchange(ctx, append(msg, command...), conn.Terms{Memory: memory})
		return reply.Body, err
	}
	var memory []byte
	uses := func(id int32, terms *[]byte) bool {
		t.Helper()
		reply, err := find(t.Context(), id, terms)
		if ok, _ := reply.Lookup("ok").AsInt64OK(); err != nil || ok != 1 {
			t.Fatalf("%v, %v", reply, err)
		}
		clear(memory[:cap(memory)])
		return reply.Lookup("ok").IsZero() // it was in that memory
	}
	for _, step := range []struct {
		name string
		id   int32
		want bool
	}{
		{"the first large reply", large, true}, {"the second one", large, true}, {"a larger one", larger, true},
		{"a large one again", large, true}, {"a small one", small, false},
	} {
		if got := uses(step.id, &memory); got != step.want {
			t.Errorf("%s is in the memory of its operation: %v, want %v", step.name, got, step.want)
		}
	}
	if uses(large, nil) {
		t.Error("a reply is in the memory of an operation that has ended")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := find(ended, large, &memory); err == nil || c.IsBroken() {
		t.Fatalf("%v, broken: %v; want an error before anything was written", err, c.IsBroken())
	}
	if uses(large, nil) {
		t.Error("a reply is in the memory of an operation that was cancelled before it was sent")
	}
}

// While a message is encoded, a method of a document may send another message on the same connection. Each message
// keeps its own memory, id and reply.
func TestAMessageInsideAnother(t *testing.T) {
	c := dial(t, &conn.Dialer{}, mongotest.Start(t).Hosts()[0])
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
		t.Fatal(err)
	}
	outer := c.Begin(0)
	ping(t, c)
	command, _ := bson.Marshal(bson.Doc("buildInfo", 1, "$db", "admin"))
	outer = append(outer, command...)
	reply, err := c.RoundTrip(t.Context(), outer, false)
	if version := reply.Body.Lookup("version"); err != nil || version.IsZero() {
		t.Errorf("%v, %v; want the reply to the outer message", reply.Body, err)
	}
	if !c.Settled() {
		t.Error("something is left on the connection")
	}
}

// panickingConn is a socket of the program that panics.
type panickingConn struct {
	net.Conn
	reads, writes bool
}

func (p *panickingConn) Read(b []byte) (int, error) {
	if p.reads {
		panic("reading")
	}
	return p.Conn.Read(b)
}

func (p *panickingConn) Write(b []byte) (int, error) {
	if p.writes {
		panic("writing")
	}
	return p.Conn.Write(b)
}

// If the socket panics during an exchange, the connection does not count as settled: it may have sent a part.
func TestAPanicInTheMiddleOfAnExchange(t *testing.T) {
	d := mongotest.Start(t)
	for name, set := range map[string]func(p *panickingConn){
		"while it writes": func(p *panickingConn) { p.writes = true },
		"while it reads":  func(p *panickingConn) { p.reads = true },
	} {
		t.Run(name, func(t *testing.T) {
			nc, err := net.Dial("tcp", d.Hosts()[0])
			if err != nil {
				t.Fatal(err)
			}
			socket := &panickingConn{Conn: nc}
			c := conn.New(socket, d.Hosts()[0], nil)
			defer c.Close()
			ping(t, c)
			if !c.Settled() {
				t.Fatal("it is not settled after a ping")
			}
			set(socket)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("it did not panic")
					}
				}()
				ping(t, c)
			}()
			if c.Settled() {
				t.Error("it counts as settled")
			}
		})
	}
}
