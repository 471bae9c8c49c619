package link

import (
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// conn is the client's end of a connection. Two goroutines carry the bytes to and from the node's listener.
type conn struct {
	path  *path
	inner net.Conn
	lanes [2]*lane // up and down

	mu       sync.Mutex
	random   *rand.Rand
	vanished bool
	closed   bool
	writeBy  time.Time
}

// open starts a connection over the path.
func (p *path) open(inner net.Conn, random *rand.Rand) *conn {
	c := &conn{path: p, inner: inner, random: random}
	for d := range c.lanes {
		c.lanes[d] = newLane(func() { p.noteHeld(Direction(d)) })
	}
	p.mu.Lock()
	p.conns[c] = true
	p.mu.Unlock()
	p.network.count(p.route.client, 1)
	go c.carryUp()
	go c.carryDown()
	return c
}

func (c *conn) heldUntil(d Direction) func() <-chan struct{} {
	return func() <-chan struct{} { return c.path.heldUntil(d) }
}

// carryUp gives the node what the client wrote, also what is still on its way when the client closes.
func (c *conn) carryUp() {
	defer c.inner.Close()
	buffer := make([]byte, 8<<10)
	for {
		n, err := c.lanes[up].take(buffer, c.heldUntil(up))
		if err != nil {
			return
		}
		if _, err := c.inner.Write(buffer[:n]); err != nil {
			return // the other direction tells the client
		}
	}
}

// carryDown puts what the node writes on its way to the client.
func (c *conn) carryDown() {
	buffer := make([]byte, 8<<10)
	for {
		n, err := c.inner.Read(buffer)
		if c.hasVanished() {
			return
		}
		data := append([]byte(nil), buffer[:n]...)
		if n > 0 {
			if b, some := c.path.takeBreach(); some {
				c.send(down, data[:min(b.after, n)], nil)
				if data = data[min(b.after, n):]; b.stall > 0 {
					c.lanes[down].stall(b.stall)
				} else {
					data, err = nil, syscall.ECONNRESET
				}
			}
		}
		c.send(down, data, nil)
		if err != nil {
			if !isEnd(err) {
				err = syscall.ECONNRESET
			}
			c.send(down, nil, err)
			c.lanes[up].close(io.EOF)
			c.inner.Close()
			return
		}
	}
}

// send sends bytes or the end of the stream.
func (c *conn) send(d Direction, data []byte, err error) {
	if len(data) == 0 && err == nil {
		return
	}
	c.mu.Lock()
	travel := c.path.travelTime(c, d, c.random)
	c.mu.Unlock()
	c.lanes[d].send(travel, data, err)
}

func (c *conn) hasVanished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.vanished
}

// Read waits for bytes to arrive.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := c.lanes[down].take(p, c.heldUntil(down))
	return n, c.wrap("read", err)
}

// Write puts bytes on their way and never waits.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	closed, vanished, late := c.closed, c.vanished, !c.writeBy.IsZero() && !time.Now().Before(c.writeBy)
	c.mu.Unlock()
	switch {
	case closed:
		return 0, c.wrap("write", net.ErrClosed)
	case late:
		return 0, c.wrap("write", os.ErrDeadlineExceeded)
	case vanished:
		c.path.note("halfOpen")
		return len(p), nil
	}
	c.send(up, append([]byte(nil), p...), nil)
	return len(p), nil
}

// Close lets what was written arrive, then ends both directions.
func (c *conn) Close() error {
	c.mu.Lock()
	again := c.closed
	c.closed = true
	c.mu.Unlock()
	if again {
		return nil
	}
	c.path.mu.Lock()
	delete(c.path.conns, c)
	c.path.mu.Unlock()
	c.path.network.count(c.path.route.client, -1)
	c.lanes[down].close(net.ErrClosed)
	c.send(up, nil, io.EOF)
	return nil
}

// vanish ends the node's side and tells the client nothing.
func (c *conn) vanish() {
	c.mu.Lock()
	c.vanished = true
	c.mu.Unlock()
	c.lanes[up].close(io.EOF)
	c.inner.Close()
}

// reset ends both sides at once.
func (c *conn) reset() {
	c.lanes[up].close(io.EOF)
	c.lanes[down].close(syscall.ECONNRESET)
	c.inner.Close()
}

// LocalAddr returns the client's address.
func (c *conn) LocalAddr() net.Addr { return c.inner.LocalAddr() }

// RemoteAddr returns the node's address.
func (c *conn) RemoteAddr() net.Addr { return c.inner.RemoteAddr() }

// SetDeadline bounds reads and writes, also those that wait already.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}

// SetReadDeadline bounds reads.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.lanes[down].setDeadline(t)
	return nil
}

// SetWriteDeadline bounds writes, which never wait here: only one that has passed matters.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writeBy = t
	return nil
}

func (c *conn) wrap(op string, err error) error {
	if err == nil || isEnd(err) {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}
