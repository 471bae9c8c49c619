package network

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// Network holds the listeners of one network. Its methods are safe for concurrent use.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	ports     int // how many client ports were given out
}

// New returns a network without listeners.
func New() *Network { return &Network{listeners: map[string]*listener{}} }

// backlog is how many connections wait for Accept, as for a socket.
const backlog = 128

// Listen opens an address, which is taken as it is and must be free.
func (n *Network) Listen(address string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[address] != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: addr(address), Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	}
	l := &listener{network: n, address: addr(address), waiting: make(chan net.Conn, backlog), closed: make(chan struct{})}
	n.listeners[address] = l
	return l, nil
}

// Dial connects to a listener, or fails like a socket when there is none.
func (n *Network) Dial(ctx context.Context, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.ports++
	from := addr(fmt.Sprintf("127.0.0.1:%d", 49152+n.ports%16384))
	n.mu.Unlock()
	fail := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: addr(address), Err: err}
	}
	if l == nil {
		return nil, fail(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	client, server := pair(from, l.address)
	select {
	case <-ctx.Done():
		return nil, fail(ctx.Err())
	default:
	}
	select {
	case l.waiting <- server:
		if isDone(l.closed) { // too late for Close to see the connection
			server.Close()
			return nil, fail(os.NewSyscallError("connect", syscall.ECONNREFUSED))
		}
		return client, nil
	case <-l.closed:
		return nil, fail(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	case <-ctx.Done():
		return nil, fail(ctx.Err())
	}
}

type listener struct {
	network *Network
	address addr
	waiting chan net.Conn
	closing sync.Once
	closed  chan struct{}
}

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.address, Err: net.ErrClosed}
	}
}

// Close frees the address and resets the connections that wait.
func (l *listener) Close() error {
	l.closing.Do(func() {
		l.network.mu.Lock()
		delete(l.network.listeners, string(l.address))
		l.network.mu.Unlock()
		close(l.closed)
	})
	for {
		select {
		case c := <-l.waiting:
			c.Close()
		default:
			return nil
		}
	}
}

// Addr returns the address that clients dial.
func (l *listener) Addr() net.Addr { return l.address }

// addr is a host and a port.
type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }
