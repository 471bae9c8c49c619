package conn_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

func dial(t *testing.T, d *conn.Dialer, address string) *conn.Conn {
	t.Helper()
	c, err := d.Dial(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func ping(t *testing.T, c *conn.Conn) {
	t.Helper()
	command, err := bson.Marshal(bson.Doc("ping", int32(1)))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.RunCommand(t.Context(), "admin", command)
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		t.Fatalf("ping: %v", reply)
	}
}

func TestHandshakeReadsTheServersLimits(t *testing.T) {
	d := mongotest.Start(t, mongotest.Version("8.0"))
	c := dial(t, &conn.Dialer{}, d.Hosts()[0])
	hello, err := c.Handshake(t.Context(), &conn.Handshake{})
	if err != nil {
		t.Fatal(err)
	}
	if !hello.HelloOK || hello.MaxWireVersion != 25 || hello.MaxWriteBatchSize != wire.DefaultMaxWriteBatchSize || hello.ConnectionID == 0 {
		t.Errorf("hello = %+v", hello)
	}
	ping(t, c)
}

func TestEachCompressorCarriesMessages(t *testing.T) {
	d := mongotest.Start(t)
	for _, id := range []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd} {
		t.Run(id.String(), func(t *testing.T) {
			c := dial(t, &conn.Dialer{}, d.Hosts()[0])
			if _, err := c.Handshake(t.Context(), &conn.Handshake{Compressors: []wire.CompressorID{id}, ZlibLevel: -1}); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				msg := c.Begin(0)
				start := len(msg)
				msg, _ = bson.AppendDocumentStart(msg)
				msg = bson.AppendInt32Element(msg, "ping", 1)
				msg = bson.AppendStringElement(msg, "$db", "admin")
				msg = bson.AppendDocumentEnd(msg, start)
				reply, err := c.RoundTrip(t.Context(), msg, true)
				if err != nil {
					t.Fatal(err)
				}
				if ok, _ := reply.Body.Lookup("ok").AsFloat64OK(); ok != 1 {
					t.Fatalf("reply %v", reply.Body)
				}
			}
		})
	}
}

func TestDeadlineInterruptsARead(t *testing.T) {
	d := mongotest.Start(t)
	hold := make(chan struct{})
	defer close(hold)
	d.Control("ping", func(mongotest.Command) mongotest.Answer { <-hold; return mongotest.Answer{Drop: true} })
	command, _ := bson.Marshal(bson.Doc("ping", int32(1)))
	untilBroken(t, 30*time.Millisecond, func(ctx context.Context) bool {
		c := dial(t, &conn.Dialer{}, d.Hosts()[0])
		_, err := c.RunCommand(ctx, "admin", command)
		if !errors.Is(err, context.DeadlineExceeded) || !fault.IsTimeout(err) {
			t.Errorf("err = %v, want the deadline", err)
		}
		if !c.IsBroken() {
			return false
		}
		if _, err := c.RunCommand(t.Context(), "admin", command); !errors.Is(err, conn.ErrClosed) {
			t.Errorf("a second use: %v", err)
		}
		return true
	})
}

func TestCancellationInterruptsARead(t *testing.T) {
	d := mongotest.Start(t)
	c := dial(t, &conn.Dialer{}, d.Hosts()[0])
	ctx, cancel := context.WithCancel(t.Context())
	hold := make(chan struct{})
	defer close(hold)
	d.Control("ping", func(mongotest.Command) mongotest.Answer { cancel(); <-hold; return mongotest.Answer{Drop: true} })
	command, _ := bson.Marshal(bson.Doc("ping", int32(1)))
	if _, err := c.RunCommand(ctx, "admin", command); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

// refusingAddress returns an address that refuses connections. An open connection keeps its local port, so no listener
// can be given it.
func refusingAddress(t *testing.T) *net.TCPAddr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().(*net.TCPAddr)
}

func TestDialReportsTheKindOfAnError(t *testing.T) {
	closed := refusingAddress(t)
	plain := mongotest.Start(t)
	cases := []struct {
		name    string
		dialer  *conn.Dialer
		address string
		want    fault.NetworkKind
	}{
		{"refused", &conn.Dialer{}, closed.String(), fault.NetworkIO},
		{"not TLS", &conn.Dialer{TLS: mustTLS(t, conn.TLSOptions{Insecure: true})}, plain.Hosts()[0], fault.NetworkIO},
		{"unknown name", &conn.Dialer{NetDialer: unknownNameDialer{}}, "nowhere.invalid:1", fault.NetworkDNS},
		{"proxy gone", &conn.Dialer{Proxy: &conn.Proxy{Host: "127.0.0.1", Port: closed.Port}}, plain.Hosts()[0], fault.NetworkProxy},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tc.dialer.Dial(t.Context(), tc.address)
			var network fault.NetworkError
			if !errors.As(err, &network) || network.Kind != tc.want {
				t.Errorf("err = %v (%+v), want kind %d", err, network, tc.want)
			}
		})
	}
}

type unknownNameDialer struct{}

func (unknownNameDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, &net.DNSError{Name: "nowhere.invalid", IsNotFound: true}
}

func mustTLS(t *testing.T, o conn.TLSOptions) *conn.TLS {
	t.Helper()
	secured, err := conn.NewTLS(o)
	if err != nil {
		t.Fatal(err)
	}
	return secured
}
