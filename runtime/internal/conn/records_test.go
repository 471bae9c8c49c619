package conn

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// countedConn counts the calls of Write.
type countedConn struct {
	net.Conn
	writes int
}

func (c *countedConn) Write(b []byte) (int, error) {
	c.writes++
	return c.Conn.Write(b)
}

// newSecuredPair returns both ends of a TLS connection, and what is below the client's.
func newSecuredPair(t *testing.T, certificate tls.Certificate) (client *securedConn, server *tls.Conn, socket *countedConn) {
	t.Helper()
	near, far := net.Pipe()
	socket = &countedConn{Conn: near}
	below := &records{Conn: socket}
	client = &securedConn{tls.Client(below, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true}), below}
	server = tls.Server(far, &tls.Config{Certificates: []tls.Certificate{certificate}, SessionTicketsDisabled: true})
	shaken := make(chan error)
	go func() { shaken <- server.Handshake() }()
	if err := client.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-shaken; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return client, server, socket
}

func testCertificate() tls.Certificate {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0]
}

// Messages arrive as they are, and a large one takes a call of Write for each 128 KB.
func TestTLSGathersRecords(t *testing.T) {
	client, server, socket := newSecuredPair(t, testCertificate())
	for _, test := range []struct{ size, writes int }{
		{1, 1}, {recordSize, 1}, {recordSize + 1, 1}, {100_000, 1}, {1_000_000, 8}, {5, 1},
	} {
		message := bytes.Repeat([]byte("onion soup "), test.size/11+1)[:test.size]
		received := make(chan []byte)
		go func() {
			b := make([]byte, test.size)
			_, err := io.ReadFull(server, b)
			if err != nil {
				t.Error(err)
			}
			received <- b
		}()
		socket.writes = 0
		if n, err := client.Write(message); n != test.size || err != nil {
			t.Fatalf("%d bytes: wrote %d, %v", test.size, n, err)
		}
		if got := <-received; !bytes.Equal(got, message) {
			t.Errorf("%d bytes: others arrived", test.size)
		}
		if socket.writes > test.writes {
			t.Errorf("%d bytes took %d calls of Write, want at most %d", test.size, socket.writes, test.writes)
		}
	}
}

// The peer does not read a large message. Closing the connection and its deadline end the write at once.
func TestTLSInterruptsRecords(t *testing.T) {
	certificate := testCertificate()
	for _, test := range []struct {
		name      string
		interrupt func(*securedConn) error
	}{
		{"a close", (*securedConn).Close},
		{"a deadline", func(c *securedConn) error { return c.SetDeadline(expiredDeadline) }},
	} {
		for _, size := range []int{recordSize + 1, 1_000_000} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client, _, _ := newSecuredPair(t, certificate)
					written := make(chan error)
					go func() {
						_, err := client.Write(make([]byte, size))
						written <- err
					}()
					synctest.Wait()
					began := time.Now()
					if err := test.interrupt(client); err != nil {
						t.Error(err)
					}
					if err := <-written; err == nil {
						t.Error("the write succeeded")
					}
					if took := time.Since(began); took > 0 {
						t.Errorf("it took %v", took)
					}
				})
			})
		}
	}
}
