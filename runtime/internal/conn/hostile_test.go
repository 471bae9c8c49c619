package conn_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// reply is the header of an OP_MSG that answers the request and claims a length.
func reply(request []byte, length int) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(length))
	out = append(out, 1, 0, 0, 0)
	out = append(out, request[4:8]...)
	return binary.LittleEndian.AppendUint32(out, uint32(wire.OpMsg))
}

// TestHostileServers covers servers that do everything except answer. The client gets a typed error within its
// deadline, the connection is unusable afterwards, and closing it leaves neither a socket nor a goroutine.
func TestHostileServers(t *testing.T) {
	for _, tc := range []struct {
		name    string
		timeout bool // the deadline ends the wait
		kind    fault.NetworkKind
		serve   func(nc *net.TCPConn, request []byte)
	}{
		{"garbage", false, fault.NetworkProtocol, func(nc *net.TCPConn, _ []byte) { nc.Write(bytes.Repeat([]byte("HTTP/1.1 400 Bad Request\r\n"), 9)) }},
		{"nothing at all", true, fault.NetworkIO, func(*net.TCPConn, []byte) {}},
		{"part of a header", true, fault.NetworkIO, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, 26)[:7]) }},
		{"part of a body", true, fault.NetworkIO, func(nc *net.TCPConn, r []byte) { nc.Write(append(reply(r, 26), 0, 0, 0)) }},
		// CSOT, "Command Execution": the timeout covers all reads of a reply together.
		{"a reply in drops", true, fault.NetworkIO, func(nc *net.TCPConn, r []byte) {
			for _, err := nc.Write(reply(r, 1<<20)); err == nil; _, err = nc.Write([]byte{0}) {
				time.Sleep(time.Millisecond)
			}
		}},
		{"a truncated header", false, fault.NetworkIO, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, 26)[:7]); nc.CloseWrite() }},
		{"a truncated body", false, fault.NetworkIO, func(nc *net.TCPConn, r []byte) { nc.Write(append(reply(r, 26), 0, 0, 0)); nc.CloseWrite() }},
		{"half a close", false, fault.NetworkIO, func(nc *net.TCPConn, _ []byte) { nc.CloseWrite() }},
		{"a reset", false, fault.NetworkIO, func(nc *net.TCPConn, _ []byte) { nc.SetLinger(0); nc.Close() }},
		{"too large a message", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, wire.DefaultMaxMessageSizeBytes+1)) }},
		{"a negative length", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, -1)) }},
		{"a length below the header's", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, 15)) }},
		{"an empty message", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) { nc.Write(reply(r, 16)) }},
		{"an answer to another request", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) {
			out := append(reply(r, 26), 0, 0, 0, 0, 0, 5, 0, 0, 0, 0)
			out[8]++
			nc.Write(out)
		}},
		{"a required flag that nobody knows", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) {
			nc.Write(append(reply(r, 26), 1<<2, 0, 0, 0, 0, 5, 0, 0, 0, 0))
		}},
		{"the last required flag", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) {
			nc.Write(append(reply(r, 26), 0, 1<<7, 0, 0, 0, 5, 0, 0, 0, 0))
		}},
		{"a document beyond the message", false, fault.NetworkProtocol, func(nc *net.TCPConn, r []byte) {
			nc.Write(append(reply(r, 26), 0, 0, 0, 0, 0, 50, 0, 0, 0, 0))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wait := time.Minute
			if tc.timeout {
				wait = 100 * time.Millisecond
			}
			untilBroken(t, wait, func(ctx context.Context) bool {
				address, gone := serveHostile(t, tc.serve)
				c := dial(t, &conn.Dialer{}, address)
				_, err := c.Handshake(ctx, &conn.Handshake{})
				var network fault.NetworkError
				if !errors.As(err, &network) || network.Address != address {
					t.Fatalf("err = %#v, want a NetworkError of %s", err, address)
				}
				if network.Kind != tc.kind {
					t.Errorf("kind %d, want %d, of %v", network.Kind, tc.kind, err)
				}
				if fault.IsTimeout(err) != tc.timeout {
					t.Errorf("IsTimeout = %v for %v", !tc.timeout, err)
				}
				broken := c.IsBroken()
				c.Close()
				<-gone
				wantNoGoroutine(t)
				return broken
			})
		})
	}
}

// OP_MSG, "flagBits": the optional bits, from 16 on, may mean anything.
func TestOptionalFlagsAreIgnored(t *testing.T) {
	address, gone := serveHostile(t, func(nc *net.TCPConn, r []byte) {
		nc.Write(append(reply(r, 26), 0, 0, 0xff, 0xff, 0, 5, 0, 0, 0, 0))
	})
	c := dial(t, &conn.Dialer{}, address)
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil || c.IsBroken() {
		t.Errorf("broken %v, %v", c.IsBroken(), err)
	}
	c.Close()
	<-gone
}

// untilBroken calls f with a deadline and doubles it each time, until f reports that its connection is unusable. A
// connection that had no time to write is still good: on a busy machine even a far deadline may pass that early.
func untilBroken(t *testing.T, wait time.Duration, f func(context.Context) (broken bool)) {
	t.Helper()
	for range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		began := time.Now()
		broken := f(ctx)
		if took := time.Since(began); took > wait+10*time.Second {
			t.Errorf("it took %v", took)
		}
		if cancel(); broken {
			return
		}
		wait *= 2
	}
	t.Error("the connection would be used again")
}

// serveHostile serves one connection: it reads a message, lets serve answer, and waits for the client to close. It
// closes gone when the client has closed its socket.
func serveHostile(t *testing.T, serve func(nc *net.TCPConn, request []byte)) (address string, gone chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		head := make([]byte, wire.HeaderSize)
		if _, err := io.ReadFull(nc, head); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, nc, int64(binary.LittleEndian.Uint32(head))-wire.HeaderSize); err != nil {
			return
		}
		serve(nc.(*net.TCPConn), head)
		io.Copy(io.Discard, nc)
	}()
	return l.Addr().String(), gone
}

// wantNoGoroutine fails when a goroutine runs code of the connection.
func wantNoGoroutine(t *testing.T) {
	t.Helper()
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 2); err != nil {
		t.Fatal(err)
	}
	for _, stack := range strings.Split(all.String(), "\n\n") {
		if strings.Contains(stack, "onion/runtime/internal/conn.") {
			t.Errorf("a goroutine is left:\n%s", stack)
		}
	}
}
