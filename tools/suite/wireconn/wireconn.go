package wireconn

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Conn is a connection to one server. One goroutine uses it at a time; Close may come from any.
type Conn struct {
	nc     net.Conn
	last   int32
	broken atomic.Bool
}

// Dialer opens connections: net.Dialer is one, and so is the dialer of a deployment in memory.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Dial connects to an address with a socket. It sends nothing.
func Dial(ctx context.Context, address string) (*Conn, error) {
	return DialWith(ctx, &net.Dialer{}, address)
}

// DialWith connects to an address. It sends nothing.
func DialWith(ctx context.Context, d Dialer, address string) (*Conn, error) {
	nc, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Conn{nc: nc}, nil
}

// Close closes the socket.
func (c *Conn) Close() error {
	c.broken.Store(true)
	return c.nc.Close()
}

// IsBroken reports whether the connection failed or is closed.
func (c *Conn) IsBroken() bool { return c.broken.Load() }

// Hello shakes hands with a hello command that carries the client metadata; nil metadata is left out.
func (c *Conn) Hello(ctx context.Context, metadata bson.Raw) (bson.Raw, error) {
	hello := bson.Doc(wire.LegacyHello, int32(1), "helloOk", true)
	if metadata != nil {
		hello = append(hello, bson.E{Key: "client", Value: metadata})
	}
	return c.Run(ctx, "admin", hello)
}

// Run sends a command and returns the reply, whatever its ok field says.
func (c *Conn) Run(ctx context.Context, database string, command any) (bson.Raw, error) {
	if err := c.Send(ctx, database, command); err != nil {
		return nil, err
	}
	return c.Receive(ctx)
}

// Send writes a command as one OP_MSG and does not wait for the reply.
func (c *Conn) Send(ctx context.Context, database string, command any) error {
	body, err := bson.Marshal(command)
	if err != nil {
		return err
	}
	c.last++
	if !body.Lookup("$db").IsZero() {
		return c.write(ctx, body)
	}
	return c.write(ctx, appendDatabase(body, database))
}

// appendDatabase appends the $db field to a document.
func appendDatabase(doc bson.Raw, database string) bson.Raw {
	out := make(bson.Raw, 0, len(doc)+len(database)+10)
	out = append(out, doc[:len(doc)-1]...)
	out = bson.AppendStringElement(out, "$db", database)
	out = append(out, 0)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	return out
}

// write writes a document as one OP_MSG.
func (c *Conn) write(ctx context.Context, body bson.Raw) error {
	frame := make([]byte, wire.HeaderSize, wire.HeaderSize+5+len(body))
	frame = append(frame, 0, 0, 0, 0, wire.KindBody)
	frame = append(frame, body...)
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)))
	binary.LittleEndian.PutUint32(frame[4:], uint32(c.last))
	binary.LittleEndian.PutUint32(frame[12:], uint32(wire.OpMsg))
	defer c.watch(ctx)()
	if _, err := c.nc.Write(frame); err != nil {
		return c.fail("write", err)
	}
	return nil
}

// Receive reads one OP_MSG with a single body section.
func (c *Conn) Receive(ctx context.Context) (bson.Raw, error) {
	defer c.watch(ctx)()
	var head [wire.HeaderSize]byte
	if _, err := io.ReadFull(c.nc, head[:]); err != nil {
		return nil, c.fail("read", err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size < wire.HeaderSize+5 || size > wire.DefaultMaxMessageSizeBytes {
		return nil, c.fail("read", fmt.Errorf("a frame of %d bytes", size))
	}
	rest := make([]byte, size-wire.HeaderSize)
	if _, err := io.ReadFull(c.nc, rest); err != nil {
		return nil, c.fail("read", err)
	}
	if op := wire.OpCode(binary.LittleEndian.Uint32(head[12:])); op != wire.OpMsg || rest[4] != wire.KindBody {
		return nil, c.fail("read", fmt.Errorf("opcode %d, section kind %d", op, rest[4]))
	}
	reply := bson.Raw(rest[5:])
	if err := reply.Validate(); err != nil {
		return nil, c.fail("read", err)
	}
	return reply, nil
}

func (c *Conn) fail(what string, err error) error {
	c.broken.Store(true)
	return fmt.Errorf("wireconn: %s: %w", what, err)
}

// watch makes the end of ctx interrupt what the socket does until the returned function is called.
func (c *Conn) watch(ctx context.Context) func() {
	stop := context.AfterFunc(ctx, func() { _ = c.nc.SetDeadline(time.Unix(1, 0)) })
	return func() { stop() }
}
