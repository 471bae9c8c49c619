package conn

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// dialogue is a socket that notes what is written and which deadlines are set, and may refuse a write.
type dialogue struct {
	oneSidedConn
	wrote     []byte
	deadlines []time.Time
	refuses   error
}

func (d *dialogue) Write(b []byte) (int, error) {
	if d.refuses != nil {
		return 0, d.refuses
	}
	d.wrote = append(d.wrote, b...)
	return len(b), nil
}

func (d *dialogue) SetReadDeadline(t time.Time) error {
	d.deadlines = append(d.deadlines, t)
	return nil
}

// newDialogue is a connection whose server says the given bytes.
func newDialogue(says []byte) (*Conn, *dialogue) {
	d := &dialogue{oneSidedConn: oneSidedConn{in: strings.NewReader(string(says))}}
	return New(d, "a:1", new(atomic.Int32)), d
}

// RoundTrip and Send write a message in compressed form, unless it must not be compressed.
func TestAMessageGoesOutCompressed(t *testing.T) {
	for _, tt := range []struct {
		bound        time.Duration
		compressible bool
		want         wire.OpCode
	}{{0, true, wire.OpCompressed}, {time.Second, true, wire.OpCompressed}, {0, false, wire.OpMsg}, {time.Second, false, wire.OpMsg}} {
		c, socket := newDialogue(message(int32(wire.OpMsg), 0, 0, 0, 0, 0, 5, 0, 0, 0, 0))
		c.compressor = compressor{id: wire.CompressorSnappy}
		c.SetIOTimeout(tt.bound)
		_, err := c.RoundTrip(t.Context(), requestMessage(c), tt.compressible)
		if h := parseHeader(socket.wrote); err != nil || h.opCode != tt.want || int(h.length) != len(socket.wrote) || h.requestID != 1 {
			t.Errorf("%+v: %+v, %v", tt, h, err)
		}
	}
}

// A connection keeps the buffer of a compressed message for the next one, unless it is large.
func TestTheBufferOfACompressedMessageIsKept(t *testing.T) {
	c, _ := newDialogue(nil)
	c.compressor = compressor{id: wire.CompressorSnappy}
	large := make([]byte, 4*keptBufferSize)
	_, _ = rand.Read(large) // what snappy cannot make small
	for range 2 {
		first, err := c.compress(message(int32(wire.OpMsg), 1, 2, 3))
		if err != nil || cap(c.compressBuffer) == 0 || &first[0] != &c.compressBuffer[:1][0] {
			t.Fatalf("%d bytes are kept, %v", cap(c.compressBuffer), err)
		}
		kept := &first[0]
		if _, err := c.compress(message(int32(wire.OpMsg), large...)); err != nil || &c.compressBuffer[:1][0] != kept {
			t.Fatalf("another buffer of %d bytes is kept, %v", cap(c.compressBuffer), err)
		}
	}
}

// lateDialogue is a dialogue whose server takes a while for its first byte.
type lateDialogue struct {
	*dialogue
	takes time.Duration
}

func (d *lateDialogue) Read(b []byte) (int, error) {
	time.Sleep(d.takes)
	d.takes = 0
	return d.dialogue.Read(b)
}

// A handshake says how long the server took, for its round trip time.
func TestTheTimeOfAHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, socket := newDialogue(message(int32(wire.OpMsg), 0, 0, 0, 0, 0, 5, 0, 0, 0, 0))
		c := New(&lateDialogue{socket, 30 * time.Millisecond}, "a:1", new(atomic.Int32))
		hello, err := c.Handshake(t.Context(), &Handshake{LoadBalanced: true})
		if err != nil || hello.Elapsed != 30*time.Millisecond {
			t.Errorf("%+v, %v", hello, err)
		}
	})
}

// A read has the deadline of the I/O timeout or of the context, whichever is earlier.
func TestDeadlinesOfARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ bound, context, want time.Duration }{
			{0, 0, 0}, {1, 0, 1}, {time.Second, 0, time.Second}, {0, time.Minute, time.Minute},
			{time.Second, time.Minute, time.Second}, {time.Minute, time.Second, time.Second},
		} {
			c, socket := newDialogue(nil)
			c.SetIOTimeout(tt.bound)
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if tt.context > 0 {
				ctx, cancel = context.WithTimeout(ctx, tt.context)
			}
			_, _ = c.Receive(ctx)
			cancel()
			if got := socket.deadlines[0]; got.IsZero() != (tt.want == 0) || tt.want > 0 && time.Until(got) != tt.want {
				t.Errorf("%+v: the deadline is in %v", tt, time.Until(got))
			}
		}
	})
}

// A checksum covers the whole message before it.
func TestChecksumsOfReplies(t *testing.T) {
	reply := message(int32(wire.OpMsg), 1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0)
	covered := reply[:len(reply)-wire.MsgChecksumSize]
	binary.LittleEndian.PutUint32(reply[len(covered):], crc32.Checksum(covered, crc32.MakeTable(crc32.Castagnoli)))
	if got, err := connOfReply(reply).Receive(t.Context()); err != nil || len(got.Body) != 5 {
		t.Errorf("%v, %v", got.Body, err)
	}
	for i := range reply {
		if i < wire.HeaderSize || i >= len(covered) {
			continue
		}
		wrong := append([]byte{}, reply...)
		wrong[i] ^= 0x80
		if _, err := connOfReply(wrong).Receive(t.Context()); err == nil {
			t.Errorf("byte %d may be another one", i)
		}
	}
	reply[len(reply)-1]++
	if _, err := connOfReply(reply).Receive(t.Context()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a wrong checksum: %v", err)
	}
}

// A network error names the address and what the connection was doing.
func TestFailuresSayWhatWasDone(t *testing.T) {
	gone := errors.New("gone")
	none := dialFunc(func(context.Context) (net.Conn, error) { return nil, gone })
	dial := func(d *Dialer) error { _, err := d.Dial(t.Context(), "a:1"); return err }
	write := func(bound time.Duration) error {
		c, socket := newDialogue(nil)
		c.SetIOTimeout(bound)
		socket.refuses = gone
		_, err := c.RoundTrip(t.Context(), requestMessage(c), false)
		return err
	}
	hello := func() error {
		broken := mustMarshal(t, bson.Doc("ok", "text"))
		broken[len(broken)-2] = 7
		_, err := connOfReply(replyOf(0, broken)).AwaitHello(t.Context(), nil, 0, false, nil)
		return err
	}
	read := func() error { _, err := connOfReply(nil).Receive(t.Context()); return err }
	for doing, err := range map[string]error{
		"reading a reply from":                   read(),
		"connecting to":                          dial(&Dialer{NetDialer: none}),
		"connecting through the SOCKS5 proxy to": dial(&Dialer{NetDialer: none, Proxy: &Proxy{Host: "p", Port: 1080}}),
		"writing a message to":                   write(0),
		"writing a message to ":                  write(time.Second),
		"reading the hello of":                   hello(),
	} {
		failed, ok := errors.AsType[fault.NetworkError](err)
		if !ok || failed.Doing != strings.TrimSpace(doing) || failed.Address != "a:1" {
			t.Errorf("%s: %#v", doing, err)
		}
	}
}

// A read that fails because Close was called says so.
func TestAReadThatACloseInterrupts(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := New(near, "a:1", nil)
	failed := make(chan error)
	go func() { _, err := c.RoundTrip(t.Context(), requestMessage(c), false); failed <- err }()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	readRequest(far) // the other side waits for the reply
	c.Close()
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

// newExpiredContext is a context whose deadline has passed.
func newExpiredContext(t *testing.T) context.Context {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	t.Cleanup(cancel)
	return ctx
}

// Only a read that ended because of its deadline, and nothing else, may be continued later.
func TestReadsThatRanOutOfTime(t *testing.T) {
	socket := &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"the deadline", socket, true},
		{"the end of the stream", errors.Join(socket, io.EOF), false},
		{"an end inside a message", fmt.Errorf("%w: %w", socket, io.ErrUnexpectedEOF), false},
		{"something else", errors.New("reset"), false},
	} {
		if got := ranOutOfTime(newExpiredContext(t), tt.err); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
		if ranOutOfTime(t.Context(), tt.err) {
			t.Errorf("%s, without a deadline", tt.name)
		}
	}
}

// Errors of the socket differ from errors in its bytes.
func TestErrorsOfTheSocket(t *testing.T) {
	for _, err := range []error{
		context.Canceled, context.DeadlineExceeded, os.ErrDeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		&net.OpError{Op: "read", Err: syscall.ECONNRESET}, &net.DNSError{},
	} {
		if !isNetwork(fmt.Errorf("reading: %w", err)) {
			t.Errorf("%v is not of the network", err)
		}
	}
	if isNetwork(protocolErrorf("a strange message")) {
		t.Error("a strange message is of the network")
	}
}

// Only replies from a certain size on use their operation's memory.
func TestTheLeastReplyThatUsesMemory(t *testing.T) {
	for size, uses := range map[int]bool{minLentSize - 1: false, minLentSize: true} {
		c, _ := newDialogue(make([]byte, size))
		c.borrowReader()
		var memory []byte
		if _, err := c.readAll(size, &memory); err != nil || (memory != nil) != uses {
			t.Errorf("%d bytes use it: %t, %v", size, memory != nil, err)
		}
	}
}

// A large reply uses memory of exactly its size, but not memory that is one byte too small.
func TestMemoryOfAReplyThatFits(t *testing.T) {
	reply := lateReply(0, minLentSize)
	for missing, fits := range map[int]bool{0: true, 1: false} {
		c, _ := newDialogue(reply)
		memory := make([]byte, len(reply)-missing)
		first := &memory[0]
		c.borrowReader()
		msg, err := c.readAll(len(reply), &memory)
		if err != nil || string(msg) != string(reply) || &memory[0] != &msg[0] || (first == &msg[0]) != fits {
			t.Errorf("%d bytes are missing: it is in the memory: %t, %v", missing, first == &msg[0], err)
		}
	}
}
