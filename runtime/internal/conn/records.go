package conn

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"

	"github.com/specdrivers/onion/runtime/internal/poison"
)

// securedConn is a TLS connection that writes a large message with few system calls. crypto/tls writes each record, of
// 16 KB at most, with a call of its own.
type securedConn struct {
	*tls.Conn
	records *records
}

// recordSize is how much a record holds at most.
const recordSize = 16 << 10

func (s *securedConn) Write(message []byte) (int, error) {
	if len(message) <= recordSize {
		return s.Conn.Write(message)
	}
	s.records.gather()
	n, err := s.Conn.Write(message)
	if failed := s.records.send(); err == nil && failed != nil {
		return 0, failed
	}
	return n, err
}

// Close closes the socket at once if a large message is on its way, as crypto/tls does for every message.
func (s *securedConn) Close() error {
	if s.records.gathering.Load() {
		return s.records.Conn.Close()
	}
	return s.Conn.Close()
}

// records is the socket below TLS. While it gathers, it buffers what is written until there is enough to send. Close
// may write an alert at any time, so a mutex guards the buffer.
type records struct {
	net.Conn

	gathering atomic.Bool
	mu        sync.Mutex
	buffer    *[]byte // while gathering
}

// gatherSize is the size at which the buffer is sent; it may hold one record more. Larger calls save little and exceed
// the processor's cache.
const gatherSize = 128 << 10

// gatherBuffers are shared by all connections, because few of them send large messages at the same time.
var gatherBuffers = sync.Pool{New: func() any {
	b := make([]byte, 0, gatherSize+2*recordSize)
	return &b
}}

// gather begins to buffer what is written.
func (r *records) gather() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathering.Store(true)
	r.buffer = gatherBuffers.Get().(*[]byte)
}

// send sends what was buffered, and ends the gathering.
func (r *records) send() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.flush()
	r.gathering.Store(false)
	poison.Bytes(*r.buffer)
	gatherBuffers.Put(r.buffer)
	r.buffer = nil
	return err
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gathering.Load() {
		return r.Conn.Write(b)
	}
	*r.buffer = append(*r.buffer, b...)
	if len(*r.buffer) >= gatherSize {
		if err := r.flush(); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (r *records) flush() error {
	_, err := r.Conn.Write(*r.buffer)
	*r.buffer = (*r.buffer)[:0]
	return err
}
