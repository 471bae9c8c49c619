package checkout

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/mongotest"
	"github.com/specdrivers/onion/runtime/pool"
)

// Server is what an integration case needs of its server.
type Server struct {
	Versions  []Versions // any of them; none is any version
	FailPoint bson.D
}

// Versions are server versions from Min to Max, both included; an empty bound is none.
type Versions struct{ Min, Max string }

// version is one that the case accepts, the default if that is one.
func (s Server) version() string {
	for _, v := range s.Versions {
		if v.Max == "" {
			return mongotest.DefaultVersion
		}
	}
	if len(s.Versions) > 0 {
		return s.Versions[0].Max
	}
	return mongotest.DefaultVersion
}

// Integration runs a case on connections to a server in memory.
func Integration(t *testing.T, o Options, s Server, script func(*Pool)) {
	t.Helper()
	t.Parallel()
	d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version(s.version()))
	address := d.Hosts()[0]
	metadata, err := conn.NewMetadata(o.AppName, conn.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	dialer := &conn.Dialer{ConnectTimeout: 30 * time.Second}
	connect := func(ctx context.Context, _ int64) (pool.Conn, error) {
		return open(ctx, dialer, address, metadata.Document())
	}
	if len(s.FailPoint) > 0 {
		setFailPoint(t, dialer, address, s.FailPoint)
	}
	run(t, o, pool.Config{Address: address, Connect: connect}, script)
}

// open opens a connection and shakes hands.
func open(ctx context.Context, d *conn.Dialer, address string, metadata bson.Raw) (*conn.Conn, error) {
	c, err := d.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	hello, err := c.Handshake(ctx, &conn.Handshake{Metadata: metadata})
	if err == nil {
		if ok, _ := hello.Raw.Lookup("ok").AsFloat64OK(); ok != 1 {
			err = fault.NewCommandError("hello", address, hello.Raw)
		}
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// setFailPoint sets a fail point over a connection of its own, which has no application name and so is not affected.
func setFailPoint(t *testing.T, d *conn.Dialer, address string, point bson.D) {
	t.Helper()
	c, err := open(t.Context(), d, address, nil)
	if err != nil {
		t.Fatalf("connect to set the fail point: %v", err)
	}
	defer c.Close()
	command, err := bson.Marshal(point)
	if err != nil {
		t.Fatalf("marshal the fail point: %v", err)
	}
	reply, err := c.RunCommand(t.Context(), "admin", command)
	if err != nil {
		t.Fatalf("set the fail point: %v", err)
	}
	if ok, _ := reply.Lookup("ok").AsFloat64OK(); ok != 1 {
		t.Fatalf("set the fail point: %v", reply)
	}
}
