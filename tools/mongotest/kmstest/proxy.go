package kmstest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// Proxy is an HTTP proxy in front of a server. Clients use it with CONNECT. Its methods are safe for concurrent use.
type Proxy struct {
	server    *Server
	listener  net.Listener
	connected atomic.Int64
	refusals  atomic.Int64
	tasks     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool // nil after Close
}

// NewProxy starts a proxy on a local port. With a configuration it speaks TLS with its clients, in addition to any TLS
// inside the tunnel. The caller closes it.
func (s *Server) NewProxy(config *tls.Config) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if config != nil {
		l = tls.NewListener(l, config)
	}
	p := &Proxy{server: s, listener: l, conns: map[net.Conn]bool{}}
	p.tasks.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			p.tasks.Go(func() { p.tunnel(nc) })
		}
	})
	return p, nil
}

// Address returns the host and port of the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Connected returns the number of connections that the proxy has made.
func (p *Proxy) Connected() int { return int(p.connected.Load()) }

// Refuse makes the proxy refuse the next n connections.
func (p *Proxy) Refuse(n int) { p.refusals.Add(int64(n)) }

// Connect connects to an address through the proxy, which must not use TLS. It fits the KMSConnectCallback of a client.
func (p *Proxy) Connect(ctx context.Context, address string) (net.Conn, error) {
	nc, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.Address())
	if err != nil {
		return nil, err
	}
	if err := Tunnel(nc, address); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// Tunnel asks the proxy at the other end of a connection to connect to an address.
func Tunnel(nc net.Conn, address string) error {
	if _, err := fmt.Fprintf(nc, "CONNECT %[1]s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", address); err != nil {
		return err
	}
	// The proxy sends nothing after its answer until the client speaks, so the buffer loses no bytes.
	answer, err := http.ReadResponse(bufio.NewReader(nc), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("kmstest: the proxy answers %s", answer.Status)
	}
	return nil
}

// Close ends all connections and waits until the proxy has stopped. It is safe to call twice.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for nc := range p.conns {
		_ = nc.Close()
	}
	p.conns = nil
	p.mu.Unlock()
	p.tasks.Wait()
}

// track remembers a connection, so Close ends it.
func (p *Proxy) track(nc net.Conn) (forget func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns == nil {
		return nil, false
	}
	p.conns[nc] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, nc)
	}, true
}

func (p *Proxy) tunnel(nc net.Conn) {
	defer nc.Close()
	forget, ok := p.track(nc)
	if !ok {
		return
	}
	defer forget()
	r := bufio.NewReader(nc)
	request, err := http.ReadRequest(r)
	if err != nil {
		return
	}
	if request.Method != http.MethodConnect || p.takeRefusal() {
		_, _ = io.WriteString(nc, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	service, err := p.server.Connect(context.Background(), request.Host)
	if err != nil {
		return
	}
	defer service.Close()
	p.connected.Add(1)
	_, _ = io.WriteString(nc, "HTTP/1.1 200 Connection established\r\n\r\n")
	p.tasks.Go(func() {
		_, _ = io.Copy(service, r)
		_ = service.Close()
	})
	_, _ = io.Copy(nc, service)
}

// takeRefusal uses up one of the pending refusals.
func (p *Proxy) takeRefusal() bool {
	for {
		n := p.refusals.Load()
		if n == 0 {
			return false
		}
		if p.refusals.CompareAndSwap(n, n-1) {
			return true
		}
	}
}
