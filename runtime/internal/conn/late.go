package conn

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
)

// AwaitsLateReply reports whether a reply is outstanding that no operation waits for.
func (c *Conn) AwaitsLateReply() bool { return c.late }

// FinishReply reads the rest of a late reply and discards it. After an error the connection is broken.
//
// The alternative is to close a connection whenever an operation runs out of time. An overloaded server must then open
// and authenticate a new one each time, which takes even longer. The reply is usually on its way already.
func (c *Conn) FinishReply(ctx context.Context) error {
	if !c.late {
		return nil
	}
	watch, err := c.watch(ctx, reading)
	if err == nil {
		err = watch.stop(c.discardReply())
	}
	if err != nil {
		return c.fail("reading a late reply from", err)
	}
	c.late, c.awaited = false, 0
	return nil
}

// discardReply continues where readReply was cut off.
func (c *Conn) discardReply() error {
	c.borrowReader()
	defer c.returnReader()
	if c.unread == nothingRead {
		h, err := c.readHeader()
		if err != nil {
			return err
		}
		c.unread = int(h.length)
	}
	for c.unread > 0 {
		n, err := c.reader.Discard(min(c.unread, readBufferSize))
		c.unread -= n
		if err != nil {
			return unexpectedEOF(err, true)
		}
	}
	return nil
}

// nothingRead is the value of Conn.unread when not even the header of the reply has been read.
const nothingRead = -1

// readHeader returns the header of the next message and leaves it in the reader.
func (c *Conn) readHeader() (header, error) {
	head, err := c.reader.Peek(wire.HeaderSize)
	if err != nil {
		return header{}, unexpectedEOF(err, len(head) > 0)
	}
	h := parseHeader(head)
	if string(head[:4]) == "HTTP" {
		return h, protocolErrorf("the answer begins with HTTP: a web server listens on this port")
	}
	if h.length < wire.HeaderSize || h.length > c.maxMessageSize {
		return h, protocolErrorf("a message of %d bytes (at most %d are allowed)", h.length, c.maxMessageSize)
	}
	if h.responseTo != c.awaited {
		return h, protocolErrorf("a reply to request %d while request %d was waiting", h.responseTo, c.awaited)
	}
	return h, nil
}

// isPast reports whether the deadline of a context is over by the clock.
func isPast(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// ranOutOfTime reports whether a read failed with err because the deadline of ctx passed, and for no other reason.
func ranOutOfTime(ctx context.Context, err error) bool {
	return isPast(ctx) && errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(ctx.Err(), context.Canceled) &&
		!errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
}
