package network

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// pair returns the two ends of a connection.
func pair(client, server addr) (net.Conn, net.Conn) {
	up, down := newStream(), newStream()
	return &conn{local: client, remote: server, in: down, out: up}, &conn{local: server, remote: client, in: up, out: down}
}

// conn is one end of a connection.
type conn struct {
	local, remote addr
	in, out       *stream
}

// Read waits for data, the end of the stream or the deadline.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write waits for room in the buffer of the connection.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

func (c *conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Close ends both directions. The other end reads what was written before, then the end of the stream.
func (c *conn) Close() error {
	c.out.close(io.EOF, net.ErrClosed)
	c.in.close(net.ErrClosed, os.NewSyscallError("write", syscall.EPIPE))
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline bounds reads and writes, including those that are waiting.
func (c *conn) SetDeadline(t time.Time) error {
	c.in.readBy.set(t)
	c.out.writeBy.set(t)
	return nil
}

// SetReadDeadline bounds reads.
func (c *conn) SetReadDeadline(t time.Time) error { c.in.readBy.set(t); return nil }

// SetWriteDeadline bounds writes.
func (c *conn) SetWriteDeadline(t time.Time) error { c.out.writeBy.set(t); return nil }

// buffered is how many bytes a stream holds before a write waits.
const buffered = 256 << 10

// stream is one direction of a connection.
type stream struct {
	readBy, writeBy deadline

	mu      sync.Mutex
	data    []byte
	changed chan struct{} // closed and replaced at each change
	readErr error         // set once the stream is closed; what a read returns after the data
	sendErr error         // what a write returns
}

func newStream() *stream {
	s := &stream{changed: make(chan struct{})}
	s.readBy.passed, s.writeBy.passed = make(chan struct{}), make(chan struct{})
	return s
}

// change wakes what waits; s.mu is held.
func (s *stream) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stream) read(p []byte) (int, error) {
	for {
		passed := s.readBy.channel()
		s.mu.Lock()
		if isDone(passed) {
			s.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		}
		if s.readErr == net.ErrClosed {
			s.mu.Unlock()
			return 0, net.ErrClosed
		}
		if len(s.data) > 0 || len(p) == 0 {
			n := copy(p, s.data)
			s.data = s.data[n:]
			if len(s.data) == 0 {
				s.data = nil
			}
			s.change()
			s.mu.Unlock()
			return n, nil
		}
		changed, err := s.changed, s.readErr
		s.mu.Unlock()
		if err != nil {
			return 0, err
		}
		select {
		case <-changed:
		case <-passed:
		}
	}
}

func (s *stream) write(p []byte) (n int, err error) {
	for {
		passed := s.writeBy.channel()
		s.mu.Lock()
		if isDone(passed) {
			s.mu.Unlock()
			return n, os.ErrDeadlineExceeded
		}
		if err := s.sendErr; err != nil {
			s.mu.Unlock()
			return n, err
		}
		if room := buffered - len(s.data); room > 0 && len(p) > 0 {
			k := min(room, len(p))
			s.data = append(s.data, p[:k]...)
			n, p = n+k, p[k:]
			s.change()
		}
		changed := s.changed
		s.mu.Unlock()
		if len(p) == 0 {
			return n, nil
		}
		select {
		case <-changed:
		case <-passed:
		}
	}
}

// close ends the stream. The first end that closes decides what both get.
func (s *stream) close(readErr, sendErr error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readErr == nil || readErr == net.ErrClosed {
		s.readErr = readErr
	}
	if s.sendErr == nil || sendErr == net.ErrClosed {
		s.sendErr = sendErr
	}
	s.change()
}

// deadline is a channel that is closed at a time.
type deadline struct {
	mu     sync.Mutex
	timer  *time.Timer
	passed chan struct{}
}

func (d *deadline) channel() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.passed
}

// set moves the deadline. The zero time is none. What waits for the old one is woken only when the new one has passed,
// because a stream reads the channel each time that it waits. Moving a deadline back wakes it at once.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if isDone(d.passed) {
		d.passed = make(chan struct{})
	}
	if t.IsZero() {
		return
	}
	passed := d.passed
	if wait := time.Until(t); wait > 0 {
		var own *time.Timer
		own = time.AfterFunc(wait, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.timer == own {
				close(passed)
			}
		})
		d.timer = own
		return
	}
	close(passed)
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
