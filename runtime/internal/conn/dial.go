package conn

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/compress"
)

// NetDialer opens network connections. *net.Dialer implements it.
type NetDialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Dialer opens connections to servers. It is safe for concurrent use. Its fields do not change after the first Dial.
type Dialer struct {
	// NetDialer opens the socket; nil means a net.Dialer with keep-alive.
	NetDialer NetDialer

	// TLS secures the connections. nil means no TLS.
	TLS *TLS

	// Proxy is the SOCKS5 proxy between the driver and the server, if there is one.
	Proxy *Proxy

	// ConnectTimeout limits the time for the socket, TLS and the proxy together. With 0 only the context limits it.
	ConnectTimeout time.Duration

	// RequestIDs numbers the messages of all connections that this dialer opens.
	RequestIDs *atomic.Int32

	coders compress.Coders
}

// keepAlive is the interval that server and drivers agree on: 300 s of silence, then a probe every 10 s, 9 times.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 120 * time.Second, Interval: 10 * time.Second, Count: 9}

// Dial opens a connection to address, which is a host:port or the path of a unix domain socket. The caller does the
// handshake. The error is a fault.NetworkError whose kind says what failed, because the reason matters: an overloaded
// server drops sockets, but overload never causes a wrong certificate.
func (d *Dialer) Dial(ctx context.Context, address string) (*Conn, error) {
	if d.ConnectTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d.ConnectTimeout, &connectTimeoutError{d.ConnectTimeout})
		defer cancel()
	}
	nc, err := d.open(ctx, address)
	if err != nil {
		return nil, err
	}
	if d.TLS != nil && networkOf(address) != "unix" {
		if nc, err = d.secure(ctx, nc, address); err != nil {
			return nil, err
		}
	}
	c := New(nc, address, d.RequestIDs)
	c.sharedCoders = &d.coders
	return c, nil
}

func (d *Dialer) open(ctx context.Context, address string) (net.Conn, error) {
	if d.Proxy != nil && networkOf(address) != "unix" {
		return d.Tunnel(ctx, address)
	}
	nc, err := d.netDialer().DialContext(ctx, networkOf(address), address)
	if err != nil {
		return nil, establishError(ctx, dialKind(err), "connecting to", address, err)
	}
	return nc, nil
}

func (d *Dialer) netDialer() NetDialer {
	given, ok := d.NetDialer.(*net.Dialer)
	switch {
	case d.NetDialer == nil, ok && given == nil:
		return &net.Dialer{KeepAliveConfig: keepAlive}
	case ok:
		return guardedDialer(given)
	}
	return interruptibleDialer{d.NetDialer}
}

// interruptibleDialer returns when the context ends, even if the user's dialer does not, and does not panic.
type interruptibleDialer struct{ NetDialer }

func (d interruptibleDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return DialWith(ctx, DialerName, func(ctx context.Context) (net.Conn, error) {
		return d.NetDialer.DialContext(ctx, network, address)
	})
}

func (d *Dialer) secure(ctx context.Context, nc net.Conn, address string) (net.Conn, error) {
	records := &records{Conn: nc}
	secured, err := d.TLS.Client(ctx, records, address)
	if err != nil {
		nc.Close()
		return nil, establishError(ctx, tlsKind(err), fault.HandshakeTLS, address, err)
	}
	return d.TLS.Guard(&securedConn{secured, records}), nil
}

// networkOf returns the network of an address. The address of a unix domain socket is a path.
func networkOf(address string) string {
	if strings.Contains(address, "/") || strings.HasSuffix(address, ".sock") {
		return "unix"
	}
	return "tcp"
}

func dialKind(err error) fault.NetworkKind {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fault.NetworkDNS
	}
	return fault.NetworkIO
}

// tlsKind distinguishes a handshake that the network cut off from one that TLS itself refused.
func tlsKind(err error) fault.NetworkKind {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var revoked *RevocationError
	switch {
	case isAlert(err), errors.As(err, &verification), errors.As(err, &record), errors.As(err, &revoked):
		return fault.NetworkCertificate
	case isNetwork(err):
		return fault.NetworkIO
	}
	return fault.NetworkCertificate
}

// isAlert reports whether one side has refused TLS: the version, or the certificate of the other side. Package tls
// wraps alerts in an error of the network, but they are not network failures, and overload never causes one.
//
// CMAP, "Connection Pool": Backpressure-enabled.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "remote error" || op.Op == "local error")
}

// establishError reports that a connection could not be opened, and whether the context was the reason.
func establishError(ctx context.Context, kind fault.NetworkKind, doing, address string, err error) error {
	if deadline, ok := ctx.Deadline(); ok && isTimeout(err) && !time.Now().Before(deadline) {
		<-ctx.Done() // the socket's timer may fire a moment before the context's own, which says why there was a deadline
	}
	if ctx.Err() != nil {
		err = &interruptedError{cause: context.Cause(ctx), err: err}
	}
	return fault.NetworkError{Address: address, Doing: doing, Kind: kind, Err: err}
}

// connectTimeoutError is the cause of a context that ended because of connectTimeoutMS.
type connectTimeoutError struct{ after time.Duration }

func (e *connectTimeoutError) Error() string {
	return fmt.Sprintf("connectTimeoutMS (%v) ran out", e.after)
}
func (e *connectTimeoutError) Timeout() bool { return true }
func (e *connectTimeoutError) Unwrap() error { return context.DeadlineExceeded }
