package mongo_test

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// exitingConn is a connection one of whose methods ends the calling goroutine, left times.
type exitingConn struct {
	net.Conn
	method string
	left   *atomic.Int64
}

func (c *exitingConn) exit(method string) {
	if c.method == method && c.left.Add(-1) >= 0 {
		runtime.Goexit()
	}
}

func (c *exitingConn) Read(b []byte) (int, error)  { c.exit("Read"); return c.Conn.Read(b) }
func (c *exitingConn) Write(b []byte) (int, error) { c.exit("Write"); return c.Conn.Write(b) }
func (c *exitingConn) Close() error                { defer c.exit("Close"); return c.Conn.Close() }
func (c *exitingConn) SetDeadline(t time.Time) error {
	c.exit("SetDeadline")
	return c.Conn.SetDeadline(t)
}
func (c *exitingConn) SetReadDeadline(t time.Time) error {
	c.exit("SetReadDeadline")
	return c.Conn.SetReadDeadline(t)
}
func (c *exitingConn) SetWriteDeadline(t time.Time) error {
	c.exit("SetWriteDeadline")
	return c.Conn.SetWriteDeadline(t)
}

type dialerFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialerFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}

// If a program's connection ends the goroutines of monitors, pools and cleanups, connections are lost. Monitors go on,
// pools lose no places, and Close returns.
func TestAClientSurvivesConnectionsThatEndItsGoroutines(t *testing.T) {
	for _, method := range []string{"Read", "Write", "Close", "SetDeadline", "SetReadDeadline", "SetWriteDeadline"} {
		for _, streaming := range []string{"poll", "stream"} {
			t.Run(method+", "+streaming, func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					var left atomic.Int64
					left.Store(12)
					client := s.connect("maxPoolSize=2&minPoolSize=2&heartbeatFrequencyMS=500&serverMonitoringMode="+streaming, &options.Client{
						Dialer: dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
							nc, err := s.d.Dialer().DialContext(ctx, network, address)
							return &exitingConn{nc, method, &left}, err
						}),
					})
					for range 30 { // some of these goroutines end, too
						timedOperation(t, client)
						time.Sleep(time.Second)
					}
					if method == "Close" {
						left.Store(3)
					} else {
						left.Store(-1 << 40)
					}
					if err := timedOperation(t, client); err != nil {
						t.Errorf("after all connections behave: %v", err)
					}
					for _, server := range client.Stats().Topology.Servers {
						if p := server.Pool; p.InUse != 0 || p.Establishing != 0 || p.Waiting != 0 {
							t.Errorf("the pool of %s keeps %+v", server.Address, p)
						}
					}
					if in := client.Stats().Operations.InFlight; in != 0 {
						t.Errorf("%d operations are in flight", in)
					}
					ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
					defer cancel()
					if err := client.Close(ctx); err != nil {
						t.Errorf("Close: %v", err)
					}
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}

// timedOperation pings the primary from a goroutine of its own. The error is nil if the connection has ended that
// goroutine.
func timedOperation(t *testing.T, client *mongo.Client) error {
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err = client.Ping(ctx, nil)
	}()
	<-done
	return err
}
