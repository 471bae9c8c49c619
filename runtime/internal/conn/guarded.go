package conn

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"reflect"
	"syscall"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/callback"
)

// DialerName and tlsName are what errors call the program's Dialer and its TLS configuration.
const (
	DialerName = "Dialer"
	tlsName    = "TLSConfig"
)

// DialWith opens a connection with a function of the program, which errors call name. It returns when the context ends,
// even if the function does not, and closes a connection that comes too late.
func DialWith(ctx context.Context, name string, open func(context.Context) (net.Conn, error)) (net.Conn, error) {
	nc, err := callback.Call(ctx, name, func(ctx context.Context) (net.Conn, error) {
		nc, err := open(ctx)
		if err == nil && isNil(nc) {
			return nil, callback.NothingError(name, "a connection")
		}
		return nc, err
	}, func(late net.Conn) { late.Close() })
	if err != nil {
		return nil, err
	}
	return guard(nc, name), nil
}

func isNil(nc net.Conn) bool {
	v := reflect.ValueOf(nc)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// guard wraps a connection of the program so that a panic in it becomes an error: goroutines of the driver use it. It
// returns a plain socket unchanged.
func guard(nc net.Conn, name string) net.Conn {
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		return nc
	}
	return guardedConn{nc, name}
}

// guardedConn returns an error where a method of the program's connection panics.
type guardedConn struct {
	net.Conn
	name string
}

func (g guardedConn) Read(b []byte) (n int, err error) {
	defer callback.Recover(g.name, &err)
	if n, err = g.Conn.Read(b); n < 0 || n > len(b) {
		return 0, fault.CallbackError{Callback: g.name, Problem: fmt.Sprintf("has a connection that read %d bytes of %d", n, len(b))}
	}
	return n, err
}

func (g guardedConn) Write(b []byte) (n int, err error) {
	defer callback.Recover(g.name, &err)
	if n, err = g.Conn.Write(b); n < 0 || n > len(b) {
		return 0, fault.CallbackError{Callback: g.name, Problem: fmt.Sprintf("has a connection that wrote %d bytes of %d", n, len(b))}
	}
	return n, err
}

func (g guardedConn) Close() (err error) {
	if exited := callback.RunInGoroutine(g.name, func() {
		defer callback.Recover(g.name, &err)
		err = g.Conn.Close()
	}); exited != nil {
		return exited
	}
	return err
}

func (g guardedConn) SetDeadline(t time.Time) (err error) {
	defer callback.Recover(g.name, &err)
	return g.Conn.SetDeadline(t)
}

func (g guardedConn) SetReadDeadline(t time.Time) (err error) {
	defer callback.Recover(g.name, &err)
	return g.Conn.SetReadDeadline(t)
}

func (g guardedConn) SetWriteDeadline(t time.Time) (err error) {
	defer callback.Recover(g.name, &err)
	return g.Conn.SetWriteDeadline(t)
}

// socketOf returns what is below TLS and guards, if it has a socket that can be checked.
func socketOf(nc net.Conn) (socket syscall.Conn, ok bool) {
	for {
		switch c := nc.(type) {
		case guardedConn:
			nc = c.Conn
		case *securedConn:
			nc = c.records.Conn // anything that TLS sends now is a close
		default:
			socket, ok = nc.(syscall.Conn)
			return socket, ok
		}
	}
}

// guardedDialer returns a copy of a net.Dialer whose functions return an error where they would panic. Package net
// calls them in goroutines of its own.
func guardedDialer(d *net.Dialer) *net.Dialer {
	guarded := *d
	if control := d.ControlContext; control != nil {
		guarded.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
			return runGuarded(ctx, func(ctx context.Context) error { return control(ctx, network, address, c) })
		}
	} else if control := d.Control; control != nil {
		guarded.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
			return runGuarded(ctx, func(context.Context) error { return control(network, address, c) })
		}
	}
	if r := d.Resolver; r != nil && r.Dial != nil {
		guarded.Resolver = &net.Resolver{
			PreferGo: r.PreferGo, StrictErrors: r.StrictErrors,
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				return DialWith(ctx, DialerName, func(ctx context.Context) (net.Conn, error) { return r.Dial(ctx, network, address) })
			},
		}
	}
	return &guarded
}

// runGuarded calls a function of the program's Dialer and turns a panic into an error.
func runGuarded(ctx context.Context, f func(context.Context) error) error {
	_, err := callback.Call(ctx, DialerName, func(ctx context.Context) (struct{}, error) { return struct{}{}, f(ctx) }, nil)
	return err
}

// Guard wraps nc, which this TLS secures. A read may call functions of the program, to store a session or to log a key;
// if one of them panics, the wrapped connection returns an error.
func (t *TLS) Guard(nc net.Conn) net.Conn {
	if !t.fromProgram {
		return nc
	}
	return guardedConn{nc, tlsName}
}

// shakeHands runs the handshake of TLS. It calls functions of the program's configuration, if there is one.
func (t *TLS) shakeHands(ctx context.Context, secured *tls.Conn) error {
	if !t.fromProgram {
		return secured.HandshakeContext(ctx)
	}
	_, err := callback.Call(ctx, tlsName, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, secured.HandshakeContext(ctx)
	}, nil)
	return err
}
