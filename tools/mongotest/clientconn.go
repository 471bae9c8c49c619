package mongotest

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
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// clientConn is one client's connection to a node.
type clientConn struct {
	node    *node
	nc      net.Conn
	reader  *bufio.Reader
	id      int64
	out     []byte
	replyID int32

	ctx    context.Context // ends with the connection; commands that wait look at it
	cancel context.CancelFunc
	closed atomic.Bool

	mu      sync.Mutex
	appName string

	operation operation // the request that is being answered, for currentOp and killOp
	fields    fieldIndex

	// What hellos settled.
	greeted    bool     // there was one
	helloOK    bool     // the client knows the hello command
	compressed []string // the compressors that both sides have

	conversation conversation // the authentication under way
	principals   []principal  // whom the connection has authenticated as
}

// principal is an authenticated user.
type principal struct{ name, db string }

func newClientConn(n *node, nc net.Conn) *clientConn {
	ctx, cancel := context.WithCancel(context.Background())
	return &clientConn{
		node: n, nc: nc, reader: bufio.NewReaderSize(nc, 16<<10), id: n.d.connIDs.Add(1), ctx: ctx, cancel: cancel,
	}
}

func (c *clientConn) close() {
	if !c.closed.Swap(true) {
		c.cancel()
		c.nc.Close()
	}
}

func (c *clientConn) application() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.appName
}

// oldWords gives the words that clients know who have not said helloOk: they look for them in the text of an error.
func (c *clientConn) oldWords(text, old string) string {
	if c.helloOK {
		return text
	}
	return old
}

// errDrop is returned by what wants the connection closed without an answer.
var errDrop = errors.New("mongotest: the connection is dropped")

// serve answers requests until the client goes or something drops the connection.
func (c *clientConn) serve() {
	defer c.close()
	for {
		if !c.awaitPartition() { // not even TLS is spoken while the node is cut off
			return
		}
		msg, err := frame.Read(c.reader, wire.DefaultMaxMessageSizeBytes)
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
func (c *clientConn) awaitPartition() bool {
	for {
		healed := c.node.partition()
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
func (c *clientConn) answer(msg *frame.Message, refused *frame.Error) error {
	d := c.node.d
	r := newRequest(c, msg)
	var reply bson.Raw
	var err error
	if refused != nil {
		reply = d.errorReply(r, status.Errorf(refused.Code, "%s", refused.Reason))
	} else if reply, err = d.handle(r); err != nil {
		return err
	}
	if msg.Flags&wire.MoreToCome != 0 {
		return unacknowledged(reply)
	}
	if err := c.write(msg, msg.RequestID, reply, r.exhaust); err != nil {
		return err
	}
	if r.hangUp {
		return errDrop
	}
	for r.exhaust {
		// Each further answer of the stream names the one before it.
		previous := c.replyID
		r.again(reply)
		if reply, err = d.next(r); err != nil {
			return err
		}
		if err := c.write(msg, previous, reply, r.exhaust); err != nil {
			return err
		}
	}
	return nil
}

// unacknowledged drops the connection when a request that wants no answer reached a server that is not the primary: the
// client has no other way to notice.
func unacknowledged(reply bson.Raw) error {
	code, _ := reply.Lookup("code").AsInt64OK()
	if errcode.Code(code).IsNotWritablePrimary() {
		return errDrop
	}
	return nil
}

func (c *clientConn) write(msg *frame.Message, responseTo int32, reply bson.Raw, more bool) error {
	if d := time.Duration(c.node.latency.Load()); d > 0 {
		if err := c.sleep(d); err != nil {
			return err
		}
	}
	if !c.awaitPartition() {
		return errDrop
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
	_, err = c.nc.Write(out)
	return err
}

// sleep waits, unless the connection is closed meanwhile.
func (c *clientConn) sleep(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.ctx.Done():
		return errDrop
	}
}

// peerSubject is the subject of the client's certificate in the order of RFC 2253, or "" without one.
func (c *clientConn) peerSubject() string {
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
