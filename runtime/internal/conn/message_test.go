package conn

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// OP_MSG, "Sections": RequestID, Body and Sequences find the parts of a message.
func TestThePartsOfAMessage(t *testing.T) {
	c := New(&oneSidedConn{in: bytes.NewReader(nil)}, "a:1", new(atomic.Int32))
	one, two := bson.Doc("x", 1), bson.Doc("x", 2)
	body, first, second := mustMarshal(t, bson.Doc("insert", "c")), mustMarshal(t, one), mustMarshal(t, two)
	msg := append(c.Begin(0), body...)
	for _, identifier := range []string{"documents", "nsInfo"} {
		before := len(msg)
		var start int
		msg, start = BeginSequence(msg, identifier)
		if got := len(msg) - before; got != SequenceOverhead(identifier) {
			t.Errorf("%s adds %d bytes, want %d", identifier, SequenceOverhead(identifier), got)
		}
		msg = EndSequence(append(append(msg, first...), second...), start)
	}
	if got := RequestID(msg); got != 1 {
		t.Errorf("request %d", got)
	}
	if !bytes.Equal(Body(msg), body) {
		t.Errorf("body %v", Body(msg))
	}
	var identifiers []string
	for identifier, documents := range Sequences(msg) {
		identifiers = append(identifiers, identifier)
		if !bytes.Equal(documents, append(append([]byte{}, first...), second...)) {
			t.Errorf("%s holds %x", identifier, documents)
		}
	}
	if strings.Join(identifiers, " ") != "documents nsInfo" {
		t.Errorf("sequences %q", identifiers)
	}
	for range Sequences(msg) {
		break // a caller may have seen enough
	}
	SetMoreToCome(msg)
	SetExhaustAllowed(msg)
	if flags := binary.LittleEndian.Uint32(msg[wire.HeaderSize:]); flags != 1<<1|1<<16 {
		t.Errorf("flags %b", flags)
	}
}

func mustMarshal(t *testing.T, v any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Server Monitoring, "Awaitable hello or legacy hello Protocol": the hello of a monitor depends on what it knows about
// the server.
func TestWhatAMonitorAsks(t *testing.T) {
	version := mustMarshal(t, bson.Doc("counter", int64(7)))
	api := bson.AppendStringElement(nil, "apiVersion", "1")
	for _, tt := range []struct {
		name    string
		helloOK bool
		version bson.Raw
		await   time.Duration
		exhaust bool
		api     []byte
		want    string // the command, empty for an error
	}{
		{name: "a server of whom nothing is known", want: `{"isMaster":1,"helloOk":true,"$db":"admin"}`},
		{name: "a server that knows hello", helloOK: true, want: `{"hello":1,"$db":"admin"}`},
		{name: "the next change", helloOK: true, version: version, await: 10 * time.Second, exhaust: true,
			want: `{"hello":1,"topologyVersion":{"counter":7},"maxAwaitTimeMS":10000,"$db":"admin"}`},
		{name: "no wait", helloOK: true, version: version, want: `{"hello":1,"topologyVersion":{"counter":7},"maxAwaitTimeMS":0,"$db":"admin"}`},
		{name: "a wait below 0", helloOK: true, version: version, await: -1},
		{name: "a declared version", helloOK: true, api: api, want: `{"hello":1,"$db":"admin","apiVersion":"1"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := New(&oneSidedConn{in: bytes.NewReader(nil)}, "a:1", new(atomic.Int32))
			c.hello.HelloOK = tt.helloOK
			msg, err := c.helloMessage(tt.version, tt.await, tt.exhaust, tt.api)
			if (err != nil) != (tt.want == "") {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			if got := Body(msg).String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if exhaust := flagsOf(msg)&wire.ExhaustAllowed != 0; exhaust != tt.exhaust {
				t.Errorf("exhaustAllowed %t", exhaust)
			}
		})
	}
}

// Versioned API, "Handshake behavior": a client that begins with hello goes on with it.
func TestHelloGoesOnWithHello(t *testing.T) {
	for name, tt := range map[string]struct {
		h    Handshake
		says bool // the server says helloOk
		want bool
	}{
		"an old server":         {},
		"a server that says so": {says: true, want: true},
		"a declared version":    {h: Handshake{ServerAPI: bson.AppendStringElement(nil, "apiVersion", "1")}, want: true},
		"a load balancer":       {h: Handshake{LoadBalanced: true}, want: true},
	} {
		reply := mustMarshal(t, bson.Doc("ok", 1, "maxWireVersion", 25, "helloOk", tt.says))
		c := connOfReply(message(int32(wire.OpMsg), append([]byte{0, 0, 0, 0, 0}, reply...)...))
		hello, err := c.Handshake(t.Context(), &tt.h)
		if err != nil || hello.HelloOK != tt.want || c.Hello().HelloOK != tt.want {
			t.Errorf("%s: %+v, %v", name, hello, err)
		}
	}
	broken := append([]byte{0, 0, 0, 0, 0}, mustMarshal(t, bson.Doc("ok", "text"))...)
	broken[len(broken)-2] = 7 // the text has no end
	c := connOfReply(message(int32(wire.OpMsg), broken...))
	if hello, err := c.Handshake(t.Context(), &Handshake{}); err == nil || hello != nil || c.IsAlive() ||
		!strings.Contains(err.Error(), "reading the hello of a:1") {
		t.Errorf("a malformed reply: %v, %v", hello, err)
	}
}

// An error says what was wrong with a message.
func TestErrorsNameWhatIsWrongWithAMessage(t *testing.T) {
	section := func(kind byte, size int32, rest ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 0, kind}, uint32(size)), rest...)
	}
	empty := []byte{0, 5, 0, 0, 0, 0}
	for _, tt := range []struct {
		name string
		msg  []byte
		want string
	}{
		{"opcode", message(1), "a message of opcode 1"},
		{"no flags", message(int32(wire.OpMsg), 0, 0, 0), "without flags (3 bytes)"},
		{"flags", message(int32(wire.OpMsg), 4, 0, 0, 0), "unknown flag bits 0x4"},
		{"no body", message(int32(wire.OpMsg), 0, 0, 0, 0), "no body section"},
		{"two bodies", message(int32(wire.OpMsg), append(append([]byte{0, 0, 0, 0}, empty...), empty...)...), "two body sections"},
		{"an unknown kind", message(int32(wire.OpMsg), section(2, 5, 0)...), "a section of kind 2"},
		{"a kind without a size", message(int32(wire.OpMsg), 0, 0, 0, 0, 1, 5, 0, 0), "a section of kind 1 without a size"},
		{"a size beyond the message", message(int32(wire.OpMsg), section(0, 6, 0)...), "a section of 6 bytes where 5 are left"},
		{"a size that is too small", message(int32(wire.OpMsg), section(0, 4, 0)...), "a section of 4 bytes where 5 are left"},
		{"an end that is none", message(int32(wire.OpMsg), section(0, 5, 1)...), "does not end in a zero byte"},
		{"no room for a checksum", message(int32(wire.OpMsg), 1, 0, 0, 0, 0, 0, 0), "too short for its checksum"},
	} {
		c := connOfReply(tt.msg)
		if _, err := c.Receive(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) || c.IsAlive() {
			t.Errorf("%s: %v, want it to say %q", tt.name, err, tt.want)
		}
	}
}

// If a context has ended before a message is written, the message fails and the connection stays good.
func TestAMessageThatCannotBeginLeavesTheConnection(t *testing.T) {
	for name, send := range map[string]func(ctx context.Context, c *Conn, msg []byte) error{
		"RoundTrip": func(ctx context.Context, c *Conn, msg []byte) error {
			_, err := c.RoundTrip(ctx, msg, false)
			return err
		},
		"Send": func(ctx context.Context, c *Conn, msg []byte) error { return c.Send(ctx, msg, false) },
	} {
		near, far := net.Pipe()
		defer far.Close()
		c := New(near, "a:1", new(atomic.Int32))
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := send(ctx, c, append(c.Begin(0), mustMarshal(t, bson.Doc("ping", 1))...))
		if network, ok := err.(fault.NetworkError); !ok || network.Doing != "writing a message to" || network.Address != "a:1" || !c.IsAlive() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
