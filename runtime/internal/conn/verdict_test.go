package conn

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// The error for a refused certificate says why it was refused.
func TestVerdictsOnCertificates(t *testing.T) {
	leaf, issuer := newCertificates(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	err := verdict(leaf, &ocsp.Response{Status: ocsp.Revoked, RevokedAt: at})
	if err == nil || !strings.Contains(err.Error(), "was revoked at 2026-01-02T02:04:05Z") {
		t.Errorf("err = %v", err)
	}
	for _, status := range []int{ocsp.Good, ocsp.Unknown} {
		if err := verdict(leaf, &ocsp.Response{Status: status}); err != nil {
			t.Errorf("status %d: %v", status, err)
		}
	}
	r := newRevocation(web.Client{}, false)
	err = r.check(t.Context(), []byte("nonsense"), [][]*x509.Certificate{{leaf, issuer}})
	if err == nil || !strings.Contains(err.Error(), "came with an invalid stapled OCSP response") {
		t.Errorf("err = %v", err)
	}
	if err := r.check(t.Context(), nil, [][]*x509.Certificate{{leaf}}); err != nil {
		t.Errorf("a certificate without an issuer: %v", err)
	}
}

// A response is valid from its thisUpdate to its nextUpdate, if it has one.
func TestWhenAResponseIsCurrent(t *testing.T) {
	r := newRevocation(web.Client{}, false)
	now := time.Unix(1_000_000, 0)
	r.now = func() time.Time { return now }
	for _, tt := range []struct {
		from, until time.Duration
		want        bool
	}{{-1, 1, true}, {0, 1, true}, {1, 2, false}, {-1, 0, false}, {-2, -1, false}} {
		if got := r.isCurrent(&ocsp.Response{ThisUpdate: now.Add(tt.from), NextUpdate: now.Add(tt.until)}); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
	if !r.isCurrent(&ocsp.Response{ThisUpdate: now}) || r.isCurrent(&ocsp.Response{ThisUpdate: now.Add(1)}) {
		t.Error("a response without nextUpdate counts from its thisUpdate")
	}
}

// A certificate that a responder has called revoked is refused in a resumed session, too.
func TestARevocationEndsResumedSessions(t *testing.T) {
	leaf, issuer := newCertificates(t)
	r := newRevocation(web.Client{}, false)
	r.remember(leaf, issuer, &ocsp.Response{Status: ocsp.Revoked, ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour)})
	made := &TLS{verifyChain: true, revocation: r}
	for _, resumed := range []bool{false, true} {
		err := made.verify(t.Context(), tls.ConnectionState{DidResume: resumed, VerifiedChains: [][]*x509.Certificate{{leaf, issuer}}})
		if revoked, ok := errors.AsType[*RevocationError](err); !ok || revoked.Subject != leaf.Subject.String() {
			t.Errorf("resumed %t: %v", resumed, err)
		}
	}
}

// Without a check of the host name, the expiry of certificates is still judged by the clock of the program's
// configuration.
func TestTheClockOfTheProgramsConfiguration(t *testing.T) {
	leaf, issuer := newCertificates(t)
	roots := x509.NewCertPool()
	roots.AddCert(issuer)
	for _, tt := range []struct {
		at    time.Time
		valid bool
	}{{leaf.NotBefore, true}, {leaf.NotAfter.Add(time.Second), false}} {
		made := &TLS{config: &tls.Config{RootCAs: roots, Time: func() time.Time { return tt.at }}}
		_, err := made.chainsWithoutHostname(tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}})
		if (err == nil) != tt.valid {
			t.Errorf("at %v: %v", tt.at, err)
		}
	}
}

// askingTransport notes the requests to a responder, and never answers.
type askingTransport struct{ sent []*http.Request }

func (a *askingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	a.sent = append(a.sent, r)
	return nil, errors.New("no")
}

// RFC 6960, appendix A.1.
func TestHowAResponderIsAsked(t *testing.T) {
	leaf, issuer := newCertificates(t)
	leaf.OCSPServer = leaf.OCSPServer[:1]
	var a askingTransport
	r := newRevocation(web.New(&http.Client{Transport: &a}), true)
	if err := r.check(t.Context(), nil, [][]*x509.Certificate{{leaf, issuer}}); err != nil || len(a.sent) != 1 {
		t.Fatalf("%v, %d requests", err, len(a.sent))
	}
	sent := a.sent[0]
	if sent.Method != "POST" || sent.Header.Get("Content-Type") != "application/ocsp-request" || sent.Header.Get("Accept") != "application/ocsp-response" {
		t.Errorf("%s %v", sent.Method, sent.Header)
	}
}

// cannedResponder is a responder that answers with a status and a body.
type cannedResponder struct {
	status int
	body   []byte
}

func (s cannedResponder) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Body: io.NopCloser(bytes.NewReader(s.body))}, nil
}

// RFC 6960, appendix A.2: only an answer with the status 200 counts.
func TestWhichAnswersOfAResponderCount(t *testing.T) {
	leaf, issuer, key := issueCertificate(t)
	signed, err := ocsp.CreateResponse(issuer, issuer, ocsp.Response{
		Status: ocsp.Revoked, SerialNumber: leaf.SerialNumber, ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(time.Hour),
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	for status, counts := range map[int]bool{200: true, 203: false, 404: false, 500: false} {
		r := newRevocation(web.New(&http.Client{Transport: cannedResponder{status, signed}}), true)
		if err := r.check(t.Context(), nil, [][]*x509.Certificate{{leaf, issuer}}); (err != nil) != counts {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

// A server without a certificate is refused.
func TestAServerWithoutACertificate(t *testing.T) {
	made := &TLS{config: &tls.Config{}}
	if chains, err := made.chainsWithoutHostname(tls.ConnectionState{}); err == nil || chains != nil {
		t.Errorf("%v, %v", chains, err)
	}
}

// Handshake, "Connection handshake": everything that a first message can hold.
func TestFirstMessageWithEveryField(t *testing.T) {
	h := Handshake{
		LoadBalanced: true, NegotiateUser: "admin.ada", Metadata: mustMarshal(t, bson.Doc("os", "x")),
		SpeculativeAuthenticate: mustMarshal(t, bson.Doc("saslStart", 1)), Compressors: []wire.CompressorID{wire.CompressorSnappy, wire.CompressorZlib},
		ServerAPI: bson.AppendStringElement(nil, "apiVersion", "1"),
	}
	want := `{"hello":1,"helloOk":true,"backpressure":"` + wire.BackpressureVersion + `","client":{"os":"x"},"compression":["snappy","zlib"],` +
		`"loadBalanced":true,"saslSupportedMechs":"admin.ada","speculativeAuthenticate":{"saslStart":1},"apiVersion":"1"}`
	if got := h.command().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// failingSocket is a socket that accepts some bytes and then fails.
type failingSocket struct {
	net.Conn
	room int
}

func (f *failingSocket) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, errors.New("full")
	}
	f.room -= len(b)
	return len(b), nil
}

func TestRecordsThatCannotBeSent(t *testing.T) {
	r := &records{Conn: &failingSocket{room: gatherSize}}
	r.gather()
	for _, tt := range []struct {
		size int
		want int
	}{{gatherSize - 1, gatherSize - 1}, {1, 1}, {gatherSize, 0}} {
		if n, err := r.Write(make([]byte, tt.size)); n != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("%d bytes: %d, %v", tt.size, n, err)
		}
	}
	if err := r.send(); err != nil {
		t.Errorf("nothing is left to send: %v", err)
	}
	if n, err := r.Write([]byte{1}); n != 0 || err == nil {
		t.Errorf("without gathering: %d, %v", n, err)
	}
}

// The server name for TLS is the host of the address, without a dot at its end.
func TestNamesForTLS(t *testing.T) {
	made, err := NewTLS(TLSOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	defer near.Close()
	if _, err := made.Client(t.Context(), near, "/run/socket"); err == nil || !strings.Contains(err.Error(), `the address "/run/socket" has no port`) {
		t.Errorf("err = %v", err)
	}
	go func() {
		_, _ = made.Client(context.WithoutCancel(t.Context()), near, "db.example.com.:27017")
	}()
	hello := make([]byte, 2048)
	n, err := far.Read(hello)
	far.Close()
	name := append(binary.BigEndian.AppendUint16(nil, uint16(len("db.example.com"))), "db.example.com"...)
	if err != nil || !strings.Contains(string(hello[:n]), string(name)) {
		t.Errorf("%v: the hello does not name the server: %q", err, hello[:n])
	}
}
