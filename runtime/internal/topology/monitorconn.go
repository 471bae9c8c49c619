package topology

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// monitorConn is a monitor's connection. It has done the handshake and is never authenticated.
type monitorConn interface {
	// Handshake is the reply to the hello of the handshake, and how long it took.
	Handshake() (reply bson.Raw, elapsed time.Duration)

	// Check runs hello. With a topologyVersion, the server waits up to maxAwait for its state to change. It may then
	// send further replies without being asked; more reports that it will.
	Check(ctx context.Context, topologyVersion bson.Raw, maxAwait time.Duration) (reply bson.Raw, more bool, err error)

	// Next reads the next reply that the server sends without being asked.
	Next(ctx context.Context) (reply bson.Raw, more bool, err error)

	Close() error
}

// wireMonitorConn is a monitorConn over the wire.
type wireMonitorConn struct {
	*conn.Conn
	serverAPI []byte
}

// dialMonitor opens a connection for a monitor.
//
// Server Monitoring, "Servers are monitored with dedicated sockets".
func (t *Topology) dialMonitor(ctx context.Context, address string) (monitorConn, error) {
	if t.cfg.dialMonitor != nil {
		return t.cfg.dialMonitor(ctx, address)
	}
	handshake := t.cfg.handshake()
	c, err := t.cfg.Dialer.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	usable := false
	defer func() {
		if !usable { // the program's own connection may have ended the goroutine
			c.Close() // report the error of the handshake, not this one
		}
	}()
	if _, err := c.Handshake(ctx, &handshake); err != nil {
		return nil, err
	}
	usable = true
	return &wireMonitorConn{Conn: c, serverAPI: handshake.ServerAPI}, nil
}

func (c *wireMonitorConn) Handshake() (bson.Raw, time.Duration) {
	return c.Hello().Raw, c.Hello().Elapsed
}

func (c *wireMonitorConn) Check(ctx context.Context, topologyVersion bson.Raw, maxAwait time.Duration) (bson.Raw, bool, error) {
	exhaust := topologyVersion != nil
	reply, err := c.AwaitHello(ctx, topologyVersion, maxAwait, exhaust, c.serverAPI)
	return reply.Body, reply.MoreToCome, err
}

func (c *wireMonitorConn) Next(ctx context.Context) (bson.Raw, bool, error) {
	reply, err := c.Receive(ctx)
	if err == nil {
		err = reply.Body.Validate()
	}
	return reply.Body, reply.MoreToCome, err
}
