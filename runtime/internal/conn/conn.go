package conn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"
	"weak"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/compress"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

const (
	// keptBufferSize is the largest write buffer that a connection keeps between two messages. It keeps a larger one
	// until the next garbage collection.
	keptBufferSize = 256 << 10
)

// ErrClosed is the error of every operation on a connection that has been closed or given up.
var ErrClosed = errors.New("conn: the connection is closed")

// Conn is one connection to a server. Only one goroutine at a time may use it, except that any goroutine may call
// Close.
type Conn struct {
	nc     net.Conn
	addr   string
	reader *bufio.Reader // nil while nothing is read, see borrowReader

	writeBuffer    []byte
	largeBuffer    weak.Pointer[[]byte] // the buffer of the last message, if it was larger than writeBuffer may be
	compressBuffer []byte
	compressor     compressor
	offered        []wire.CompressorID // the compressors that the server may use; none after a handshake that agreed on none
	sharedCoders   *compress.Coders    // see coders

	requestIDs *atomic.Int32
	awaited    int32 // the request that the next reply must answer; 0 when none is outstanding
	unread     int   // how much of a reply is not yet read, see readReply
	late       bool  // a reply is outstanding that no operation waits for
	busy       bool  // an exchange has begun and not ended; stays set if the program's own socket panics in it

	rests poison.Mark // see Rest

	ioTimeout      time.Duration
	maxMessageSize int32

	// Authenticated is the state that the authentication mechanism keeps with the connection, such as the token that it
	// sent. Only package auth reads and sets it.
	Authenticated any

	limited   direction     // which directions may have a deadline; those of a new socket are unknown
	interrupt func()        // wakes a blocked read or write; nil until a context needs it
	settled   chan struct{} // receives after a cancellation was applied to the socket

	hello     Hello
	serverAPI []byte // from the handshake, for the commands that authenticate the connection
	broken    atomic.Bool
	closed    atomic.Bool
}

// New wraps an open network connection. requestIDs numbers the messages. The connections of one client share it, so an
// id identifies one request of the client. With a nil requestIDs the connection gets its own counter.
func New(nc net.Conn, addr string, requestIDs *atomic.Int32) *Conn {
	if requestIDs == nil {
		requestIDs = new(atomic.Int32)
	}
	return &Conn{
		nc:             nc,
		addr:           addr,
		requestIDs:     requestIDs,
		limited:        both,
		maxMessageSize: wire.DefaultMaxMessageSizeBytes,
	}
}

// Address is the address that the connection was dialed with.
func (c *Conn) Address() string { return c.addr }

// Hello is the server's reply to the handshake. It is empty until Handshake has returned.
func (c *Conn) Hello() *Hello { return &c.hello }

// SetIOTimeout limits every single read and write to d, in addition to the deadline of the context. 0 means no limit.
func (c *Conn) SetIOTimeout(d time.Duration) { c.ioTimeout = d }

// IsBroken reports whether the connection can no longer be used, because it was closed or a message was cut off.
func (c *Conn) IsBroken() bool { return c.broken.Load() }

// Close closes the socket. An operation in progress on another goroutine fails. A second call does nothing.
func (c *Conn) Close() error {
	c.broken.Store(true)
	if c.closed.Swap(true) {
		return nil
	}
	return c.nc.Close()
}

// Terms are what an operation asks of a round trip. They end with it: the connection keeps none of them.
type Terms struct {
	// Compressible says that the message may be compressed.
	Compressible bool

	// MayBeLate keeps the connection if the context's deadline passes while the reply is awaited. AwaitsLateReply is
	// then true, and FinishReply must succeed before the next use. Without MayBeLate a missed deadline breaks the
	// connection.
	MayBeLate bool

	// Memory is what a large reply is read into if it fits there. If it does not, *Memory holds the new memory of the
	// reply afterwards. The caller must no longer need the reply that used the memory before. Reading a batch of 16 MB
	// into fresh memory spends most of its time on touching that memory for the first time. nil means new memory for
	// each reply.
	Memory *[]byte
}

// RoundTrip sends one message that Begin started and waits for its reply. compressible says whether the message may be
// compressed. The reply owns its memory.
func (c *Conn) RoundTrip(ctx context.Context, msg []byte, compressible bool) (Reply, error) {
	return c.Exchange(ctx, msg, Terms{Compressible: compressible})
}

// Exchange is RoundTrip on the terms of an operation.
func (c *Conn) Exchange(ctx context.Context, msg []byte, terms Terms) (Reply, error) {
	c.rests.InUse()
	if terms.Memory != nil {
		poison.Bytes(*terms.Memory)
	}
	c.busy = true
	reply, err := c.exchange(ctx, msg, terms)
	c.busy = false
	c.keepBuffer(msg)
	return reply, err
}

func (c *Conn) exchange(ctx context.Context, msg []byte, terms Terms) (Reply, error) {
	if c.ioTimeout > 0 {
		if err := c.send(ctx, msg, terms.Compressible); err != nil {
			return Reply{}, err
		}
		return c.receive(ctx, terms)
	}
	out, err := c.finish(msg, terms.Compressible)
	if err != nil {
		return Reply{}, err
	}
	watch, err := c.watch(ctx, both) // one watch for both directions costs half
	if err != nil {
		return Reply{}, fault.NetworkError{Address: c.addr, Doing: "writing a message to", Err: err} // nothing was written
	}
	if err := c.write(msg, out); err != nil {
		return Reply{}, c.fail("writing a message to", watch.stop(err))
	}
	return c.await(ctx, watch, terms)
}

// await reads the reply under a watch, and ends the watch.
func (c *Conn) await(ctx context.Context, watch watcher, terms Terms) (Reply, error) {
	mayBeLate := terms.MayBeLate && !isPast(ctx) // a deadline that passes during the write breaks the connection
	reply, err := c.readReply(terms.Memory)
	if err = watch.stop(err); err == nil {
		return reply, nil
	}
	if mayBeLate && ranOutOfTime(ctx, err) {
		c.late = true
		return Reply{}, fault.NetworkError{Address: c.addr, Doing: "reading a reply from", Err: err}
	}
	return Reply{}, c.fail("reading a reply from", err)
}

// Send writes one message that Begin started, in a single write. A message with the moreToCome flag gets no reply.
func (c *Conn) Send(ctx context.Context, msg []byte, compressible bool) error {
	c.rests.InUse()
	c.busy = true
	err := c.send(ctx, msg, compressible)
	c.busy = false
	c.keepBuffer(msg)
	return err
}

func (c *Conn) send(ctx context.Context, msg []byte, compressible bool) error {
	out, err := c.finish(msg, compressible)
	if err != nil {
		return err
	}
	watch, err := c.watch(ctx, writing)
	if err != nil {
		return fault.NetworkError{Address: c.addr, Doing: "writing a message to", Err: err} // nothing was written
	}
	if err := watch.stop(c.write(msg, out)); err != nil {
		return c.fail("writing a message to", err)
	}
	return nil
}

// finish completes a message and returns the bytes to write. If it fails, nothing was written and the connection is
// still good.
func (c *Conn) finish(msg []byte, compressible bool) ([]byte, error) {
	if c.broken.Load() || c.late {
		return nil, ErrClosed
	}
	finishMessage(msg)
	if compressible && c.compressor.id != wire.CompressorNoop {
		return c.compress(msg)
	}
	return msg, nil
}

// write writes a message. out is the form of msg that goes over the wire.
func (c *Conn) write(msg, out []byte) error {
	if _, err := c.nc.Write(out); err != nil {
		return err
	}
	c.awaited = RequestID(msg)
	if flagsOf(msg)&wire.MoreToCome != 0 {
		c.awaited = 0
	}
	return nil
}

// Receive reads the next reply. Call it only after a reply that had MoreToCome set.
func (c *Conn) Receive(ctx context.Context) (Reply, error) {
	c.rests.InUse()
	c.busy = true
	reply, err := c.receive(ctx, Terms{})
	c.busy = false
	return reply, err
}

func (c *Conn) receive(ctx context.Context, terms Terms) (Reply, error) {
	if c.broken.Load() {
		return Reply{}, ErrClosed
	}
	watch, err := c.watch(ctx, reading)
	if err != nil {
		return Reply{}, c.fail("waiting for a reply from", err)
	}
	return c.await(ctx, watch, terms)
}

// RunCommand sends one command and returns the server's reply, whatever its ok field says. RunCommand adds $db to the
// command. After the handshake it also adds the API version that the handshake declared. It is for the handshake,
// authentication and monitoring, where speed does not matter.
//
// Versioned API, "Command Syntax".
func (c *Conn) RunCommand(ctx context.Context, db string, command bson.Raw) (bson.Raw, error) {
	msg, err := c.appendCommand(db, command)
	if err != nil {
		return nil, err
	}
	reply, err := c.RoundTrip(ctx, msg, false)
	c.writeBuffer = nil // a hello is longer than most messages: the connection need not hold its memory
	return reply.Body, err
}

func (c *Conn) appendCommand(db string, command bson.Raw) ([]byte, error) {
	if len(command) < 5 {
		return nil, fmt.Errorf("conn: the command is not a document (%d bytes)", len(command))
	}
	msg := c.Begin(0)
	start := len(msg)
	msg = append(msg, command[:len(command)-1]...)
	msg = bson.AppendStringElement(msg, wire.FieldDB, db)
	msg = append(msg, c.serverAPI...)
	return bson.AppendDocumentEnd(msg, start), nil
}

// fail breaks the connection, because after an error in the middle of an exchange the meaning of the next bytes is
// unknown.
func (c *Conn) fail(doing string, err error) error {
	if c.closed.Load() && errors.Is(err, net.ErrClosed) {
		err = ErrClosed
	}
	c.broken.Store(true)
	kind := fault.NetworkIO
	if isAlert(err) {
		kind = fault.NetworkCertificate // TLS 1.3 refuses a client's certificate after the handshake
	} else if _, broken := errors.AsType[*protocolError](err); broken {
		kind = fault.NetworkProtocol
	}
	return fault.NetworkError{Address: c.addr, Doing: doing, Kind: kind, Err: err}
}

// Drop takes back the memory of a message that Begin started and that will not be sent.
func (c *Conn) Drop(msg []byte) { c.keepBuffer(msg) }

// keepBuffer keeps the memory of a message for the next one. A caller that sends one large message often sends more
// right after it: the batches of an insert, or the chunks of a file.
func (c *Conn) keepBuffer(msg []byte) {
	poison.Bytes(msg)
	poison.Bytes(c.compressBuffer)
	if cap(msg) <= keptBufferSize {
		c.writeBuffer = msg[:0]
		return
	}
	empty := msg[:0] // declared here, because its address makes it an allocation
	c.largeBuffer = weak.Make(&empty)
}

// takeBuffer hands out empty memory for the next message. It hands out the same memory again only after keepBuffer:
// encoding a message may run a method of the program's document, which may send another message on the same connection.
func (c *Conn) takeBuffer() []byte {
	if large := c.largeBuffer.Value(); large != nil {
		c.largeBuffer = weak.Pointer[[]byte]{}
		return *large
	}
	small := c.writeBuffer
	c.writeBuffer = nil
	return small
}

// Settled reports whether nothing of the last operation is left on the connection: no reply is outstanding and no part
// of one is waiting in the reader. A connection that is not settled must not serve another operation.
func (c *Conn) Settled() bool {
	return !c.busy && c.awaited == 0 && c.unread == 0 && !c.late && c.buffered() == 0
}

// Rest notes, in a build with the tag poison, whether the connection is in a pool, where nothing may use it.
func (c *Conn) Rest(resting bool) {
	if resting {
		c.rests.GoesBack()
	} else {
		c.rests.ComesOut()
	}
}
