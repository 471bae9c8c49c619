package conn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/compress"
)

// The driver caps the numbers that a server sends.
func TestNumbersOfAHelloAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		value                any
		bson, message, batch int32
	}{
		{"none", nil, wire.DefaultMaxBSONObjectSize, wire.DefaultMaxMessageSizeBytes, wire.DefaultMaxWriteBatchSize},
		{"zero", 0, wire.DefaultMaxBSONObjectSize, wire.DefaultMaxMessageSizeBytes, wire.DefaultMaxWriteBatchSize},
		{"negative", -1, wire.DefaultMaxBSONObjectSize, wire.DefaultMaxMessageSizeBytes, wire.DefaultMaxWriteBatchSize},
		{"no number", "many", wire.DefaultMaxBSONObjectSize, wire.DefaultMaxMessageSizeBytes, wire.DefaultMaxWriteBatchSize},
		{"small", 1000, 1000, 1000, 1000},
		{"the greatest int32", math.MaxInt32, wire.GreatestMaxBSONObjectSize, wire.GreatestMaxMessageSizeBytes, wire.GreatestMaxWriteBatchSize},
		{"the greatest int64", int64(math.MaxInt64), wire.GreatestMaxBSONObjectSize, wire.GreatestMaxMessageSizeBytes, wire.GreatestMaxWriteBatchSize},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := bson.Doc("ok", 1, "logicalSessionTimeoutMinutes", int64(math.MaxInt64))
			if tt.value != nil {
				reply = append(reply, bson.Doc("maxBsonObjectSize", tt.value, "maxMessageSizeBytes", tt.value, "maxWriteBatchSize", tt.value)...)
			}
			raw, err := bson.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			h := parseHello(raw)
			if h.MaxBSONObjectSize != tt.bson || h.MaxMessageSizeBytes != tt.message || h.MaxWriteBatchSize != tt.batch {
				t.Errorf("got %d, %d, %d", h.MaxBSONObjectSize, h.MaxMessageSizeBytes, h.MaxWriteBatchSize)
			}
			if *h.LogicalSessionTimeout < time.Hour {
				t.Errorf("logicalSessionTimeoutMinutes overflows to %v", *h.LogicalSessionTimeout)
			}
		})
	}
}

// Negative numbers count as 0: the wire version of the first server, and a session that has expired.
func TestNumbersOfAHelloBelowZero(t *testing.T) {
	for value, want := range map[int]time.Duration{-1: 0, 0: 0, 1: time.Minute, 30: 30 * time.Minute} {
		h := parseHello(mustMarshal(t, bson.Doc("maxWireVersion", value, "logicalSessionTimeoutMinutes", value)))
		if h.MaxWireVersion != int32(max(value, 0)) || *h.LogicalSessionTimeout != want {
			t.Errorf("%d: version %d, %v", value, h.MaxWireVersion, *h.LogicalSessionTimeout)
		}
	}
}

// OP_COMPRESSED, "MongoDB Handshake Amendment": the compressor is the first in the client's list that the server lists,
// too.
func TestTheClientsOrderPicksTheCompressor(t *testing.T) {
	const snappy, zlib, zstd = wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd
	for _, tt := range []struct {
		name    string
		offered []wire.CompressorID
		server  any
		want    wire.CompressorID
	}{
		{"the same order", []wire.CompressorID{snappy, zlib}, bson.A{"snappy", "zlib"}, snappy},
		{"the opposite order", []wire.CompressorID{zstd, zlib, snappy}, bson.A{"snappy", "zlib", "zstd"}, zstd},
		{"the server lacks the first", []wire.CompressorID{zstd, zlib, snappy}, bson.A{"snappy", "zlib"}, zlib},
		{"the server adds others", []wire.CompressorID{zlib}, bson.A{"lz5", "snappy", 7, "zlib"}, zlib},
		{"none in common", []wire.CompressorID{zlib}, bson.A{"snappy"}, wire.CompressorNoop},
		{"no list", []wire.CompressorID{zlib}, nil, wire.CompressorNoop},
		{"a list that is none", []wire.CompressorID{zlib}, "zlib", wire.CompressorNoop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := bson.Doc("ok", 1)
			if tt.server != nil {
				reply = bson.Doc("ok", 1, "compression", tt.server)
			}
			raw, err := bson.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			var c Conn
			c.negotiate(&Handshake{Compressors: tt.offered, ZlibLevel: 3}, raw)
			want := compressor{id: tt.want, level: 3}
			if tt.want == wire.CompressorNoop {
				want = compressor{}
			}
			if c.compressor != want {
				t.Errorf("%+v, want %+v", c.compressor, want)
			}
		})
	}
}

// The header of a compressed reply names its compressor, which may be any that the client has offered. A server that
// was offered none, or has accepted none, must not compress.
//
// OP_COMPRESSED, "MongoDB Handshake Amendment".
func TestAReplyIsDecompressedAsItsHeaderSays(t *testing.T) {
	const noop, snappy, zlib, zstd = wire.CompressorNoop, wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd
	type ids = []wire.CompressorID
	all := ids{snappy, zlib, zstd}
	for _, tt := range []struct {
		name     string
		offered  ids
		accepted bson.A // the hello's reply; nil = it has not come yet
		allowed  ids
	}{
		{"nothing was offered", nil, nil, nil},
		{"nothing was offered, and the server accepts something", nil, bson.A{"zlib"}, nil},
		{"the server has not answered yet", ids{zlib, zstd}, nil, ids{noop, zlib, zstd}},
		{"the server accepts all", all, bson.A{"snappy", "zlib", "zstd"}, ids{noop, snappy, zlib, zstd}},
		{"the server accepts one", all, bson.A{"zlib"}, ids{noop, snappy, zlib, zstd}},
		{"one was offered", ids{snappy}, bson.A{"snappy"}, ids{noop, snappy}},
		{"the server accepts none", all, bson.A{}, nil},
		{"the server accepts another one", ids{snappy}, bson.A{"zstd"}, nil},
	} {
		for _, sent := range (ids{noop, snappy, zlib, zstd}) {
			t.Run(fmt.Sprintf("%s, %s", tt.name, sent), func(t *testing.T) {
				plain := []byte{0, 0, 0, 0, 0, 5, 0, 0, 0, 0}
				packed, err := new(compress.Coders).Append(nil, plain, sent, wire.ZlibNoCompression)
				if err != nil {
					t.Fatal(err)
				}
				c := connOfReply(compressedMessage(sent, len(plain), packed))
				c.offered = tt.offered
				if tt.accepted != nil {
					hello, _ := bson.Marshal(bson.Doc("ok", 1, "compression", tt.accepted))
					c.negotiate(&Handshake{Compressors: tt.offered}, hello)
				}
				reply, err := c.readReply(nil)
				if want := slices.Contains(tt.allowed, sent); (err == nil && len(reply.Body) == 5) != want {
					t.Errorf("reply %v, error %v; want it to be read: %t", reply.Body, err, want)
				}
				if err != nil && !strings.Contains(err.Error(), "not negotiated") {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}

func TestACompressedReplyKeepsToItsBounds(t *testing.T) {
	plain := []byte{0, 0, 0, 0, 0, 5, 0, 0, 0, 0}
	for _, tt := range []struct {
		name    string
		id      wire.CompressorID
		claimed int
		wants   string
	}{
		{"noop claims more than it holds", wire.CompressorNoop, len(plain) + 1, "does not decompress"},
		{"noop claims less than it holds", wire.CompressorNoop, len(plain) - 1, "does not decompress"},
		{"noop claims more than a message may have", wire.CompressorNoop, wire.DefaultMaxMessageSizeBytes, "at most"},
		{"zlib claims more than a message may have", wire.CompressorZlib, wire.DefaultMaxMessageSizeBytes, "at most"},
		{"negative size", wire.CompressorNoop, -1, "at most"},
		{"unknown compressor", 4, len(plain), "no compressor with the id 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := connOfReply(compressedMessage(tt.id, tt.claimed, plain))
			c.offered = []wire.CompressorID{wire.CompressorZlib, tt.id}
			_, err := c.readReply(nil)
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Errorf("error %v, want %q", err, tt.wants)
			}
		})
	}
}

// compressedMessage returns an OP_COMPRESSED message.
func compressedMessage(id wire.CompressorID, claimed int, packed []byte) []byte {
	body := binary.LittleEndian.AppendUint32(nil, uint32(wire.OpMsg))
	body = binary.LittleEndian.AppendUint32(body, uint32(claimed))
	body = append(body, byte(id))
	return message(int32(wire.OpCompressed), append(body, packed...)...)
}

// connOfReply returns a connection whose next reply is msg.
func connOfReply(msg []byte) *Conn {
	c := New(&oneSidedConn{in: bytes.NewReader(msg)}, "a:1", new(atomic.Int32))
	c.awaited = 1
	return c
}

// A hello whose error message is not UTF-8 is a reply with replacement characters, not a broken connection.
func TestAHelloWithTextThatIsNotUTF8IsAReply(t *testing.T) {
	raw, err := bson.Marshal(bson.Doc("ok", 0, "errmsg", "bad value: ??", "code", 2))
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte("??"), []byte{0xff, 0xfe}, 1)
	_, hello := greet(t, &Handshake{}, raw)
	if text, _ := hello.Raw.Lookup("errmsg").StringOK(); text != "bad value: \uFFFD" {
		t.Errorf("errmsg %q", text)
	}
}

// MongoDB Handshake Tests, "Test 2: Test that the driver accepts an arbitrary auth mechanism".
func TestHandshakeProse2AcceptsAnArbitraryMechanism(t *testing.T) {
	raw, err := bson.Marshal(bson.Doc("ok", 1, "maxWireVersion", 25, "saslSupportedMechs", bson.A{"FooBar"}))
	if err != nil {
		t.Fatal(err)
	}
	if _, hello := greet(t, &Handshake{}, raw); len(hello.SASLSupportedMechs) != 1 || hello.SASLSupportedMechs[0] != "FooBar" {
		t.Errorf("saslSupportedMechs %q", hello.SASLSupportedMechs)
	}
}

// Versioned API, "Handshake behavior": a client that declared a version never falls back to the legacy hello, whatever
// the server says about helloOk.
func TestADeclaredAPIKeepsToHello(t *testing.T) {
	raw, err := bson.Marshal(bson.Doc("ok", 1, "maxWireVersion", 9))
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*Handshake{
		wire.Hello: {ServerAPI: bson.AppendStringElement(nil, "apiVersion", "1")}, wire.LegacyHello: {},
	} {
		c, _ := greet(t, h, raw)
		msg, err := c.helloMessage(nil, 0, false, h.ServerAPI)
		if err != nil || !bytes.Contains(msg, append([]byte(name), 0)) {
			t.Errorf("a later greeting is %q, %v", msg, err)
		}
	}
}

// greet makes a server answer the first message with a document.
func greet(t *testing.T, h *Handshake, raw bson.Raw) (*Conn, *Hello) {
	t.Helper()
	body := append([]byte{0, 0, 0, 0, 0}, raw...)
	client, server := net.Pipe()
	t.Cleanup(func() { server.Close() })
	go func() {
		request := make([]byte, 4096)
		n, _ := server.Read(request)
		reply := message(int32(wire.OpMsg), body...)
		copy(reply[8:12], request[4:min(n, 8)])
		server.Write(reply)
	}()
	c := New(client, "a:1", new(atomic.Int32))
	t.Cleanup(func() { c.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hello, err := c.Handshake(ctx, h)
	if err != nil {
		t.Fatal(err)
	}
	return c, hello
}
