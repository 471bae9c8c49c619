package conn

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// silentResponder never answers.
type silentResponder struct{}

func (silentResponder) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A responder has five seconds, or what is left of the time for a connection. Without an answer the certificate passes.
//
// Client Side Operations Timeout, "Server Selection": min(operationTimeout, remaining computedServerSelectionTimeout).
func TestTimeForAnOCSPResponder(t *testing.T) {
	leaf, issuer := newCertificates(t)
	for _, tt := range []struct {
		name string
		left time.Duration // 0 for a context without a deadline
		want time.Duration
	}{
		{"no deadline", 0, wire.OCSPTimeout},
		{"a late deadline", time.Minute, wire.OCSPTimeout},
		{"an early deadline", 300 * time.Millisecond, 300 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.left > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.left)
					defer cancel()
				}
				began := time.Now()
				r := newRevocation(web.New(&http.Client{Transport: silentResponder{}}), true)
				if err := r.check(ctx, nil, [][]*x509.Certificate{{leaf, issuer}}); err != nil {
					t.Errorf("err = %v", err)
				}
				if took := time.Since(began); took != tt.want {
					t.Errorf("it took %v, want %v", took, tt.want)
				}
			})
		})
	}
}

// The TLS handshake hands its own time on to the responder.
func TestTimeForAnOCSPResponderInAHandshake(t *testing.T) {
	for _, tt := range []struct{ left, want time.Duration }{
		{time.Minute, wire.OCSPTimeout},
		{300 * time.Millisecond, 300 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			leaf, issuer, key := issueCertificate(t)
			roots := x509.NewCertPool()
			roots.AddCert(issuer)
			secure := &TLS{
				verifyChain: true,
				config:      &tls.Config{RootCAs: roots, ServerName: "one.example"},
				revocation:  newRevocation(web.New(&http.Client{Transport: silentResponder{}}), true),
			}
			near, far := net.Pipe()
			server := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: key}}})
			defer far.Close()
			go server.Handshake()
			ctx, cancel := context.WithTimeout(t.Context(), tt.left)
			defer cancel()
			began := time.Now()
			secured, err := secure.Client(ctx, near, "one.example:1")
			if took := time.Since(began); took != tt.want || (err == nil) != (tt.left > tt.want) {
				t.Errorf("with %v left it took %v, %v", tt.left, took, err)
			}
			if err == nil {
				secured.NetConn().Close()
			}
		})
	}
}

// newCertificates makes a certificate that names two responders, and its issuer.
func newCertificates(t *testing.T) (leaf, issuer *x509.Certificate) {
	t.Helper()
	leaf, issuer, _ = issueCertificate(t)
	return leaf, issuer
}

// issueCertificate makes them like newCertificates, and also returns the key of both.
func issueCertificate(t *testing.T) (leaf, issuer *x509.Certificate, key *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(template, parent *x509.Certificate) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return cert
	}
	from, until := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: from, NotAfter: until,
	}
	issuer = issue(root, root)
	return issue(&x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: from, NotAfter: until, OCSPServer: []string{"http://one.example", "http://two.example"},
		DNSNames: []string{"one.example"},
	}, issuer), issuer, key
}
