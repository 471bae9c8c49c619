package main

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
)

// tappingDialer opens connections that keep what is written to them, so a bare socket can send the same bytes.
type tappingDialer struct {
	dialer net.Dialer
	mu     sync.Mutex
	conns  []*tappedConn
}

// DialContext opens a connection that keeps what is written to it.
func (d *tappingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, err := d.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &tappedConn{Conn: nc}
	d.mu.Lock()
	d.conns = append(d.conns, c)
	d.mu.Unlock()
	return c, nil
}

// messagesOf does something and returns the messages that were written meanwhile, on the connection that got the most. The
// other connections belong to monitors.
func (d *tappingDialer) messagesOf(do func() error) ([][]byte, error) {
	for _, c := range d.list() {
		c.take()
	}
	err := do()
	var most []byte
	for _, c := range d.list() {
		if written := c.take(); len(written) > len(most) {
			most = written
		}
	}
	return splitMessages(most), err
}

func (d *tappingDialer) list() []*tappedConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]*tappedConn(nil), d.conns...)
}

// splitMessages cuts a stream into messages of the wire protocol, each of which begins with its length.
func splitMessages(stream []byte) (messages [][]byte) {
	for len(stream) >= headerSize {
		size := int(binary.LittleEndian.Uint32(stream))
		if size < headerSize || size > len(stream) {
			break
		}
		messages, stream = append(messages, stream[:size]), stream[size:]
	}
	return messages
}

// tappedConn keeps what is written to it.
type tappedConn struct {
	net.Conn
	mu      sync.Mutex
	written []byte
}

// Write keeps a copy.
func (c *tappedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	c.written = append(c.written, b...)
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// take returns what was written since the last call.
func (c *tappedConn) take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	written := c.written
	c.written = nil
	return written
}

// tappedMessages returns the messages that each driver writes for one operation.
func tappedMessages(s *server, op aboveOperation) (theirs, ours [][]byte, err error) {
	theirTap, ourTap := new(tappingDialer), new(tappingDialer)
	p := &peers{server: s}
	if err := p.connect(theirTap, ourTap); err != nil {
		return nil, nil, err
	}
	defer p.disconnect()
	if theirs, err = messagesOfWarm(theirTap, op.official(p)); err != nil {
		return nil, nil, err
	}
	ours, err = messagesOfWarm(ourTap, op.onion(p))
	return theirs, ours, err
}

// messagesOfWarm leaves out what only the first call does: it opens a connection, and perhaps a cursor.
func messagesOfWarm(tap *tappingDialer, do func() error) ([][]byte, error) {
	if err := do(); err != nil {
		return nil, err
	}
	return tap.messagesOf(do)
}
