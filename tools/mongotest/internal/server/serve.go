package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Listen opens the node's port. A restarted node takes its former port.
func (n *Node) Listen(address string) error {
	listener, err := n.cluster.Listen(address)
	if err != nil {
		return fmt.Errorf("mongotest: node %d: %w", n.Index, err)
	}
	n.SetAddress(listener.Addr().String())
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listener = listener
	return nil
}

// Serve accepts connections until the listener is closed. It returns at once.
func (n *Node) Serve() {
	n.mu.Lock()
	listener := n.listener
	n.mu.Unlock()
	if listener == nil {
		return
	}
	n.running.Go(func() {
		for {
			nc, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue // the client gave up while it waited
			}
			n.Admit(nc)
		}
	})
}

// Admit starts to serve a connection.
func (n *Node) Admit(nc net.Conn) {
	if n.cluster.TLS != nil {
		nc = tls.Server(nc, n.cluster.TLS)
	}
	c := newConn(n, nc)
	n.mu.Lock()
	if n.Stopped() {
		n.mu.Unlock()
		nc.Close()
		return
	}
	n.conns[c] = struct{}{}
	n.running.Add(1)
	n.mu.Unlock()
	go func() {
		defer n.running.Done()
		defer n.forget(c)
		if n.admission.enter(c.ctx, n.cluster.parameters) {
			c.serve()
		}
	}()
}

func (n *Node) forget(c *conn) {
	c.close()
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
}

// Stop closes the listener and every connection, and waits until their work has ended.
func (n *Node) Stop() {
	n.turn <- struct{}{}
	defer func() { <-n.turn }()
	n.Process.Stop() // admit no more connections
	n.mu.Lock()
	if n.listener != nil {
		n.listener.Close()
		n.listener = nil
	}
	n.mu.Unlock()
	n.CloseConnections()
	n.Heal() // last, so nothing waiting for a partition to end gets an answer
	n.running.Wait()
	n.engine.Cursors().KillAll()
}

// Restart makes a stopped node run again as a new process. Its fail points are off.
func (n *Node) Restart() {
	n.turn <- struct{}{}
	defer func() { <-n.turn }()
	n.failPoints.Reset()
	n.Process.Restart()
}

// CloseConnections cuts every connection of the node.
func (n *Node) CloseConnections() {
	for _, c := range n.connections() {
		c.close()
	}
}

// serve answers requests until the client leaves or the connection is dropped.
func (c *conn) serve() {
	defer func() {
		c.close()
		c.watch.wait()
	}()
	for {
		if !c.awaitPartition() { // a node that is cut off does not even start TLS
			return
		}
		c.watch.wait()
		msg, err := frame.Read(c.reader, wire.DefaultMaxMessageSizeBytes, &c.node.coders)
		refused, ok := errors.AsType[*frame.Error](err)
		if err != nil && (!ok || refused.Fatal()) {
			return
		}
		if !c.awaitPartition() {
			return
		}
		if err := c.answer(msg, refused); err != nil {
			return
		}
	}
}

// answer handles a message, or reports why it was refused.
func (c *conn) answer(msg *frame.Message, refused *frame.Error) error {
	r := newRequest(c, msg)
	c.node.counters.requests.Add(1)
	c.node.counters.bytesIn.Add(int64(wire.HeaderSize + len(msg.Body)))
	began := time.Now()
	var reply bson.Raw
	var err error
	defer func() { r.reportOutcome(began, reply, err) }()
	if refused != nil {
		reply = r.errorReply(status.Errorf(refused.Code, "%s", refused.Reason))
	} else if reply, err = r.handle(); err != nil {
		return err
	}
	if msg.Flags&wire.MoreToCome != 0 {
		return checkUnacknowledged(reply)
	}
	if err = c.write(msg, msg.RequestID, reply, r.exhaust); err != nil {
		return err
	}
	if r.hangUp {
		return call.ErrDrop
	}
	for r.exhaust {
		// Each further answer of the stream responds to the previous one.
		previous := c.replyID
		r.exhaust = false
		r.Follow(reply)
		if reply, err = r.nextAnswer(c.ctx); err != nil {
			return err
		}
		if err := c.write(msg, previous, reply, r.exhaust); err != nil {
			return err
		}
	}
	return nil
}

// awaitPartition holds the connection while the node is cut off.
func (c *conn) awaitPartition() bool {
	for {
		healed := c.node.Partition()
		if healed == nil {
			return true
		}
		select {
		case <-healed:
		case <-c.ctx.Done():
			return false
		}
	}
}

// checkUnacknowledged drops the connection when an unacknowledged write reaches a server that is not the primary. The client
// has no other way to notice.
func checkUnacknowledged(reply bson.Raw) error {
	code, _ := reply.Lookup("code").AsInt64OK()
	if errcode.Code(code).IsNotWritablePrimary() {
		return call.ErrDrop
	}
	return nil
}

func newConn(n *Node, nc net.Conn) *conn {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{node: n, nc: nc, reader: bufio.NewReaderSize(nc, 16<<10), id: n.cluster.connections.Add(1), ctx: ctx, cancel: cancel}
	n.counters.opened.Add(1)
	c.operation.Store(new(operation))
	c.login.Subject, c.watch.conn = c.peerSubject, c
	return c
}

func newRequest(c *conn, msg *frame.Message) *request {
	r := &request{Call: call.New(msg, c.node.cluster.Wire, &c.index), conn: c, node: c.node, cluster: c.node.cluster}
	if c.node.cluster.Shape != Standalone {
		r.order()
	}
	return r
}

func (c *conn) write(msg *frame.Message, responseTo int32, reply bson.Raw, more bool) error {
	if d := time.Duration(c.node.Latency.Load()); d > 0 {
		if err := c.sleep(d); err != nil {
			return err
		}
	}
	if !c.awaitPartition() {
		return call.ErrDrop
	}
	if c.ctx.Err() != nil {
		return call.ErrDrop // the connection ended the command, so its reply is not true
	}
	var flags wire.MsgFlag
	if more {
		flags = wire.MoreToCome
	}
	if _, secured := c.nc.(*tls.Conn); !secured {
		flags |= msg.Flags & wire.ChecksumPresent // TLS has better checksums
	}
	c.replyID++
	out, err := frame.AppendReply(c.out[:0], msg, c.replyID, responseTo, flags, reply)
	if err != nil {
		return err
	}
	if cap(out) < 1<<20 {
		c.out = out
	}
	c.node.counters.bytesOut.Add(int64(len(out)))
	_, err = c.nc.Write(out)
	return err
}
