package kmstest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"net"
	"sync"
	"testing"

	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/tools/mongotest/internal/network"
)

// Server answers as every key management service. Its methods are safe for concurrent use.
type Server struct {
	accounts []AWSAccount
	keys     map[string][]string // the existing keys of azure and gcp; none means that every key exists
	foreign  map[string][]byte   // the data key inside what another service wrapped, by provider
	seal     [sha256.Size]byte   // the secret of the keys

	memory *network.Network
	ca     authority
	tasks  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
	conns     map[net.Conn]bool
	tokens    map[string]bool
	secrets   map[string]*secret
	nextID    int
	faults    []fault
	requests  []Request
}

// Request is a request that the server has received.
type Request struct {
	Host      string // the name that the client sent in TLS
	Operation string // such as TrentService.Encrypt, wrapkey, or the name of a KMIP operation
}

// Option configures a server.
type Option func(*Server)

// inMemory is the address of the server in its own network.
const inMemory = "kms:443"

// New starts a server. The caller closes it.
func New(opts ...Option) *Server {
	s := &Server{
		keys: map[string][]string{}, foreign: map[string][]byte{}, memory: network.New(), ca: newAuthority(),
		conns: map[net.Conn]bool{}, tokens: map[string]bool{}, secrets: map[string]*secret{}, nextID: 100,
		seal: sha256.Sum256([]byte("kmstest")),
	}
	for _, o := range opts {
		o(s)
	}
	if len(s.accounts) == 0 {
		s.accounts = []AWSAccount{defaultAccount}
	}
	l, err := s.memory.Listen(inMemory)
	if err != nil {
		panic("kmstest: a network of its own has no room: " + err.Error())
	}
	s.Serve(l)
	return s
}

// Start starts a server for a test and closes it when the test ends.
func Start(t testing.TB, opts ...Option) *Server {
	s := New(opts...)
	t.Cleanup(s.Close)
	return s
}

// Serve also answers connections on a listener until the server is closed.
func (s *Server) Serve(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = l.Close()
		return
	}
	s.listeners = append(s.listeners, l)
	s.tasks.Go(func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			s.tasks.Go(func() { s.converse(nc) })
		}
	})
}

// Connect connects to the server, whatever the address.
func (s *Server) Connect(ctx context.Context, address string) (net.Conn, error) {
	return s.memory.Dial(ctx, inMemory)
}

// TLS returns what clients need to trust the server, for each of the providers.
func (s *Server) TLS(providers ...string) map[string]*tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.ca.certificate)
	configs := map[string]*tls.Config{}
	for _, p := range providers {
		configs[p] = &tls.Config{RootCAs: pool}
	}
	return configs
}

// Requests returns the requests received, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Close ends all connections and waits until the server has stopped. It is safe to call twice.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, l := range s.listeners {
		_ = l.Close()
	}
	for nc := range s.conns {
		_ = nc.Close()
	}
	s.mu.Unlock()
	s.tasks.Wait()
}

// track remembers a connection, so Close ends it.
func (s *Server) track(nc net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[nc] = true
	}
	return !s.closed
}

// converse answers the requests of one connection, which are KMIP or HTTP.
func (s *Server) converse(nc net.Conn) {
	defer nc.Close()
	if !s.track(nc) {
		return
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, nc)
	}()
	secure := tls.Server(nc, &tls.Config{GetCertificate: s.ca.certify})
	if err := secure.Handshake(); err != nil {
		return
	}
	host := secure.ConnectionState().ServerName
	r := bufio.NewReader(secure)
	for {
		first, err := r.Peek(1)
		if err != nil {
			return
		}
		answer := s.answerHTTP
		if first[0] == kmip.TagRequestMessage>>16 {
			answer = s.answerKMIP
		}
		if !answer(secure, r, host) {
			_ = secure.Close()
			return
		}
	}
}
