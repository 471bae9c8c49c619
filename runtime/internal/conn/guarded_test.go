package conn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
)

type dialFunc func(context.Context) (net.Conn, error)

func (f dialFunc) DialContext(ctx context.Context, _, _ string) (net.Conn, error) { return f(ctx) }

// brokenConn panics in one of its methods.
type brokenConn struct {
	net.Conn
	method string
}

func (c *brokenConn) boom(method string) {
	if c.method == method {
		panic("boom")
	}
}
func (c *brokenConn) Read(b []byte) (int, error) {
	c.boom("Read")
	if c.method == "too much" {
		return len(b) + 1, nil
	}
	return c.Conn.Read(b)
}
func (c *brokenConn) Write(b []byte) (int, error) {
	c.boom("Write")
	return c.Conn.Write(b)
}
func (c *brokenConn) Close() error { c.boom("Close"); return c.Conn.Close() }
func (c *brokenConn) SetDeadline(t time.Time) error {
	c.boom("SetDeadline")
	return c.Conn.SetDeadline(t)
}
func (c *brokenConn) SetReadDeadline(t time.Time) error {
	c.boom("SetReadDeadline")
	return c.Conn.SetReadDeadline(t)
}
func (c *brokenConn) SetWriteDeadline(t time.Time) error {
	c.boom("SetWriteDeadline")
	return c.Conn.SetWriteDeadline(t)
}
func (c *brokenConn) SyscallConn() (syscall.RawConn, error) {
	c.boom("SyscallConn")
	return nil, errors.New("no socket")
}

// A dialer that panics, ends its goroutine or returns nothing makes the dial fail, with a name in the error.
func TestADialerThatBreaksItsContract(t *testing.T) {
	for name, tt := range map[string]struct {
		dialer NetDialer
		want   string
	}{
		"panics":          {dialFunc(func(context.Context) (net.Conn, error) { panic("boom") }), "Dialer panicked: boom"},
		"exits":           {dialFunc(func(context.Context) (net.Conn, error) { runtime.Goexit(); return nil, nil }), "Goexit"},
		"returns nothing": {dialFunc(func(context.Context) (net.Conn, error) { return nil, nil }), "Dialer returned neither a connection nor an error"},
		"returns a nil pointer": {dialFunc(func(context.Context) (net.Conn, error) { return (*brokenConn)(nil), nil }),
			"Dialer returned neither"},
		"has a Control that panics": {&net.Dialer{Control: func(string, string, syscall.RawConn) error { panic("boom") }},
			"Dialer panicked: boom"},
		"has a ControlContext that exits": {&net.Dialer{ControlContext: func(context.Context, string, string, syscall.RawConn) error {
			runtime.Goexit()
			return nil
		}}, "Goexit"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, proxy := range []*Proxy{nil, {Host: "127.0.0.1", Port: 1080}} {
				_, err := (&Dialer{NetDialer: tt.dialer, Proxy: proxy, ConnectTimeout: time.Minute}).Dial(t.Context(), "127.0.0.1:1")
				if _, ok := errors.AsType[fault.CallbackError](err); !ok || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

// A nil *net.Dialer counts as none, and a Resolver's Dial that panics gives an error.
func TestUnusualNetDialers(t *testing.T) {
	if _, ok := (&Dialer{NetDialer: (*net.Dialer)(nil)}).netDialer().(*net.Dialer); !ok {
		t.Error("a nil *net.Dialer is used")
	}
	broken := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		panic("boom")
	}}}
	_, err := (&Dialer{NetDialer: broken, ConnectTimeout: time.Minute}).Dial(t.Context(), "nowhere.invalid:1")
	if err == nil || !strings.Contains(err.Error(), "Dialer panicked: boom") {
		t.Errorf("got %v", err)
	}
}

// A connection of the program may read or write nothing and say why. One that returns an impossible count breaks.
func TestCountsOfAConnection(t *testing.T) {
	full := errors.New("full")
	for _, tt := range []struct {
		n       int
		err     error
		refused bool
	}{{0, full, false}, {3, nil, false}, {-1, full, true}, {4, nil, true}} {
		nc := guard(&countingConn{n: tt.n, err: tt.err}, "Dialer")
		for name, call := range map[string]func([]byte) (int, error){"Read": nc.Read, "Write": nc.Write} {
			n, err := call([]byte("abc"))
			broken, refused := errors.AsType[fault.CallbackError](err)
			if refused != tt.refused || !refused && (err != tt.err || n != tt.n) {
				t.Errorf("%s, %+v: %d, %v", name, tt, n, err)
			}
			did := map[string]string{"Read": "read", "Write": "wrote"}[name]
			if want := fmt.Sprintf("has a connection that %s %d bytes of 3", did, tt.n); refused && broken.Problem != want {
				t.Errorf("%s says %q, want %q", name, broken.Problem, want)
			}
		}
	}
}

type countingConn struct {
	net.Conn
	n   int
	err error
}

func (c *countingConn) Write([]byte) (int, error) { return c.n, c.err }
func (c *countingConn) Read([]byte) (int, error)  { return c.n, c.err }

// leavingConn ends the goroutine that closes it.
type leavingConn struct{ net.Conn }

func (*leavingConn) Close() error { runtime.Goexit(); return nil }

// The methods of the program's connection run in goroutines of the driver.
func TestAConnectionThatPanics(t *testing.T) {
	for _, method := range []string{"Read", "Write", "SetDeadline", "too much"} {
		t.Run(method, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			go func() { // a peer that never answers but reads
				b := make([]byte, 1<<10)
				for {
					if _, err := far.Read(b); err != nil {
						return
					}
					if method == "too much" {
						far.Write(b[:1])
					}
				}
			}()
			d := &Dialer{NetDialer: dialFunc(func(context.Context) (net.Conn, error) { return &brokenConn{near, method}, nil })}
			c, err := d.Dial(t.Context(), "a:1")
			if err != nil {
				t.Fatal(err)
			}
			if method == "SetDeadline" {
				c.prepareInterrupt()
				c.interrupt() // as the end of a context does, in a goroutine of its own
				<-c.settled
			}
			_, err = c.Handshake(t.Context(), &Handshake{})
			if broken, ok := errors.AsType[fault.CallbackError](err); !ok || broken.Callback != "Dialer" {
				t.Errorf("got %v", err)
			}
			if method != "SetDeadline" && !c.IsBroken() { // without a deadline, nothing was written
				t.Error("the connection can still be used")
			}
		})
	}
	if err := guard(&leavingConn{}, "Dialer").Close(); err == nil || !strings.Contains(err.Error(), "Dialer") {
		t.Errorf("a Close that ends its goroutine returned %v", err)
	}
	for _, method := range []string{"Close", "SetReadDeadline", "SyscallConn"} {
		near, far := net.Pipe()
		defer far.Close()
		nc := guard(&brokenConn{near, method}, "Dialer")
		if isSilent(nc) {
			t.Errorf("%s: the connection counts as alive", method)
		}
		if err := nc.Close(); (method == "Close") != (err != nil) {
			t.Errorf("%s: Close returned %v", method, err)
		}
	}
}
