package conn

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// oneSidedConn is a connection that delivers a fixed run of bytes and then ends.
type oneSidedConn struct {
	net.Conn
	in io.Reader
}

func (c *oneSidedConn) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *oneSidedConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *oneSidedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *oneSidedConn) SetWriteDeadline(time.Time) error { return nil }
func (c *oneSidedConn) SetDeadline(time.Time) error      { return nil }
func (c *oneSidedConn) Close() error                     { return nil }

// message is a reply to request 1.
func message(opCode int32, body ...byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(wire.HeaderSize+len(body)))
	out = binary.LittleEndian.AppendUint32(out, 9)
	out = binary.LittleEndian.AppendUint32(out, 1)
	out = binary.LittleEndian.AppendUint32(out, uint32(opCode))
	return append(out, body...)
}

// FuzzReply reads anything that a server may send. The result is an error, or a reply whose document lies within the
// received or decompressed bytes. It never panics.
func FuzzReply(f *testing.F) {
	empty := []byte{0, 0, 0, 0, 0, 5, 0, 0, 0, 0} // flags, kind 0, {}
	f.Add(message(int32(wire.OpMsg), empty...))
	f.Add(message(int32(wire.OpMsg), append([]byte{1, 0, 0, 0}, empty[4:]...)...))
	f.Add(message(int32(wire.OpMsg), append(append([]byte{}, empty...), 1, 9, 0, 0, 0, 'a', 0, 5, 0)...))
	for id := range byte(5) {
		compressed := []byte{0xdd, 7, 0, 0, byte(len(empty)), 0, 0, 0, id}
		f.Add(message(int32(wire.OpCompressed), append(compressed, empty...)...))
	}
	f.Add(message(int32(wire.OpCompressed), 0xdd, 7, 0, 0, 0xff, 0xff, 0xff, 0x7f, 2))
	f.Add([]byte{0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, in []byte) {
		c := New(&oneSidedConn{in: bytes.NewReader(in)}, "fuzz:1", new(atomic.Int32))
		c.maxMessageSize = 1 << 16
		c.offered = []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib, wire.CompressorZstd}
		c.awaited = 1
		reply, err := c.readReply(nil)
		if err == nil && len(reply.Body) != int(binary.LittleEndian.Uint32(reply.Body)) {
			t.Errorf("a document of %d bytes says %d", len(reply.Body), binary.LittleEndian.Uint32(reply.Body))
		}
		if err == io.EOF && len(in) > 0 {
			t.Error("a cut message looks like a clean end")
		}
	})
}

// FuzzOCSPResponse parses anything that a responder may send. Only a response that the issuer signed for the
// certificate counts.
func FuzzOCSPResponse(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	authority, err := x509.ParseCertificate(der)
	if err != nil {
		f.Fatal(err)
	}
	var good []byte
	for status, serial := range map[int]int64{ocsp.Good: 1, ocsp.Revoked: 1, ocsp.Unknown: 2} {
		response, err := ocsp.CreateResponse(authority, authority, ocsp.Response{
			Status: status, SerialNumber: big.NewInt(serial), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour),
		}, key)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(response)
		f.Add(response[:len(response)/2])
		if status == ocsp.Good {
			good = response
		}
	}
	f.Add([]byte{0x30, 0x03, 0x0a, 0x01, 0x01})
	r := newRevocation(web.Client{}, false)
	if _, err := r.parse(good, authority, authority); err != nil {
		f.Fatalf("a good response: %v", err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		response, err := r.parse(in, authority, authority)
		if err == nil && response.SerialNumber.Cmp(authority.SerialNumber) != 0 {
			t.Error("a response for another certificate counts")
		}
	})
}
