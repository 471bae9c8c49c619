package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
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

	operation atomic.Pointer[operation] // the request being answered, for currentOp and killOp
	watch     watch
	index     call.Index

	// Set by hellos.
	greeted    bool     // the client has sent a hello
	helloOK    bool     // the client knows the hello command
	compressed []string // the compressors that both sides support

	login login.State
}

func (c *conn) close() {
	if !c.closed.Swap(true) {
		c.cancel()
		c.nc.Close()
	}
}

// application returns the client's application name.
func (c *conn) application() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.appName
}

// owner returns the user whose sessions the connection uses. With authentication each user has separate sessions.
func (c *conn) owner() login.Principal {
	if !c.node.cluster.RequireAuth || len(c.login.Principals) == 0 {
		return login.Principal{}
	}
	return c.login.Principals[0]
}

// oldText returns the old text for clients that have not sent helloOk, because they search error texts for it.
func (c *conn) oldText(text, old string) string {
	if c.helloOK {
		return text
	}
	return old
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

// peerSubject returns the subject of the client's certificate in the order of RFC 2253, or "" without one.
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
