package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// conn is one client's connection to a node.
type conn struct {
	node    *Node
	nc      net.Conn
	reader  *bufio.Reader
	id      int64
	out     []byte
	replyID int32

	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	closed atomic.Bool

	mu      sync.Mutex
	appName string
	driver  string // the name and the version of the client's driver

	operation operation // the request that is being answered, for currentOp and killOp
	watch     watch
	index     call.Index

	// What hellos have settled.
	greeted    bool     // there was one
	helloOK    bool     // the client knows the hello command
	compressed []string // the compressors that both sides have

	login login.State
}

func newConn(n *Node, nc net.Conn) *conn {
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{node: n, nc: nc, reader: bufio.NewReaderSize(nc, 16<<10), id: n.cluster.connections.Add(1), ctx: ctx, cancel: cancel}
	c.login.Subject, c.watch.conn = c.peerSubject, c
	return c
}

func (c *conn) close() {
	if !c.closed.Swap(true) {
		c.cancel()
		c.nc.Close()
	}
}

// application is what the client calls itself.
func (c *conn) application() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.appName
}

// owner is whose sessions the connection uses. With authentication each user has their own.
func (c *conn) owner() login.Principal {
	if !c.node.cluster.RequireAuth || len(c.login.Principals) == 0 {
		return login.Principal{}
	}
	return c.login.Principals[0]
}

// oldWords returns the old text for clients that have not sent helloOk: they search error texts for it.
func (c *conn) oldWords(text, old string) string {
	if c.helloOK {
		return text
	}
	return old
}

// serve answers requests until the client goes or something drops the connection.
func (c *conn) serve() {
	defer func() {
		c.close()
		c.watch.wait()
	}()
	for {
		if !c.awaitPartition() { // while the node is cut off it does not even speak TLS
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

// answer handles a message, or says why it was refused.
func (c *conn) answer(msg *frame.Message, refused *frame.Error) error {
	r := newRequest(c, msg)
	c.node.counters.requests.Add(1)
	c.node.counters.bytesIn.Add(int64(wire.HeaderSize + len(msg.Body)))
	began := time.Now()
	var reply bson.Raw
	var err error
	defer func() { r.observe(began, reply, err) }()
	if refused != nil {
		reply = r.errorReply(status.Errorf(refused.Code, "%s", refused.Reason))
	} else if reply, err = r.handle(); err != nil {
		return err
	}
	if msg.Flags&wire.MoreToCome != 0 {
		return unacknowledged(reply)
	}
	if err = c.write(msg, msg.RequestID, reply, r.exhaust); err != nil {
		return err
	}
	if r.hangUp {
		return call.ErrDrop
	}
	for r.exhaust {
		// Each further answer of the stream names the one before it.
		previous := c.replyID
		r.exhaust = false
		r.Follow(reply)
		if reply, err = r.next(c.ctx); err != nil {
			return err
		}
		if err := c.write(msg, previous, reply, r.exhaust); err != nil {
			return err
		}
	}
	return nil
}

// unacknowledged drops the connection when a request that wants no answer reached a server that is not the primary. The client
// has no other way to notice.
func unacknowledged(reply bson.Raw) error {
	code, _ := reply.Lookup("code").AsInt64OK()
	if errcode.Code(code).IsNotWritablePrimary() {
		return call.ErrDrop
	}
	return nil
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
		return call.ErrDrop // the command ended because the connection does: its reply says nothing true
	}
	var flags wire.MsgFlag
	if more {
		flags = wire.MoreToCome
	}
	if _, secured := c.nc.(*tls.Conn); !secured {
		flags |= msg.Flags & wire.ChecksumPresent // TLS has better ones
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

// sleep waits until the time is over or the connection is closed.
func (c *conn) sleep(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.ctx.Done():
		return call.ErrDrop
	}
}

// peerSubject is the subject of the client's certificate in the order of RFC 2253, or "" without one.
func (c *conn) peerSubject() string {
	secured, ok := c.nc.(*tls.Conn)
	if !ok {
		return ""
	}
	state := secured.ConnectionState()
	if len(state.PeerCertificates) == 0 {
		return ""
	}
	return state.PeerCertificates[0].Subject.String()
}
