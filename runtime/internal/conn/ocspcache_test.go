package conn

import (
	"crypto/x509"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/specdrivers/onion/runtime/internal/web"
)

// OCSP, "Caching": a response is kept until its nextUpdate. Of two, the cache keeps the fresher one, and it never
// exceeds its size.
func TestWhatIsRememberedOfResponders(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	r := newRevocation(web.Client{}, false)
	r.now = func() time.Time { return now }
	issuer := &x509.Certificate{RawSubject: []byte("issuer"), RawSubjectPublicKeyInfo: []byte("key")}
	leaf := func(serial int64) *x509.Certificate { return &x509.Certificate{SerialNumber: big.NewInt(serial)} }
	response := func(until time.Duration) *ocsp.Response {
		return &ocsp.Response{ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(until)}
	}
	long, short := response(2*time.Minute), response(time.Minute)
	r.remember(leaf(1), issuer, short)
	r.remember(leaf(1), issuer, long)
	r.remember(leaf(1), issuer, short)
	if got := r.recall(leaf(1), issuer); got != long {
		t.Errorf("of two responses it has %v, want the fresher one", got)
	}
	for name, other := range map[string]*x509.Certificate{
		"another name": {RawSubject: []byte("other"), RawSubjectPublicKeyInfo: issuer.RawSubjectPublicKeyInfo},
		"another key":  {RawSubject: issuer.RawSubject, RawSubjectPublicKeyInfo: []byte("other")},
	} {
		if got := r.recall(leaf(1), other); got != nil {
			t.Errorf("an issuer of %s has %v", name, got)
		}
	}
	r.remember(leaf(2), issuer, &ocsp.Response{ThisUpdate: now})
	if got := r.recall(leaf(2), issuer); got != nil {
		t.Errorf("a response without nextUpdate is kept: %v", got)
	}
	now = now.Add(2 * time.Minute) // the end of what long says
	if got := r.recall(leaf(1), issuer); got != nil || len(r.cache) != 0 {
		t.Errorf("a response that has ended is kept: %v, %d in the cache", got, len(r.cache))
	}
	for serial := range int64(maxOCSPCache + 3) {
		last := response(time.Minute)
		r.remember(leaf(serial), issuer, last)
		if r.recall(leaf(serial), issuer) != last {
			t.Fatalf("response %d is not kept", serial)
		}
		if want := min(int(serial)+1, maxOCSPCache); len(r.cache) != want {
			t.Fatalf("%d responses are kept, want %d", len(r.cache), want)
		}
	}
}

// A connection without a socket cannot be checked, and counts as alive unless unread bytes follow a reply.
func TestAConnectionWithoutASocketIsAlive(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := New(near, "a:1", new(atomic.Int32))
	defer c.Close()
	if !c.IsAlive() {
		t.Error("it is not alive")
	}
	go far.Write([]byte{1, 2})
	c.borrowReader()
	if _, err := c.reader.Peek(1); err != nil {
		t.Fatal(err)
	}
	if c.IsAlive() {
		t.Error("it is alive although the server has said something unasked")
	}
}

// An address that is a path belongs to the network "unix".
func TestNetworksOfAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"a:1": "tcp", "[::1]:27017": "tcp", "/run/mongodb-27017.sock": "unix", "mongodb.sock": "unix", "./m": "unix", "a.sock.net:1": "tcp",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s is of %s, want %s", address, got, want)
		}
	}
}
