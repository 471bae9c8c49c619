package conn_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// Functions of the program's TLS configuration run in goroutines of the driver, during the handshake and later.
func TestATLSConfigurationThatPanics(t *testing.T) {
	ca := newAuthority(t)
	address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "127.0.0.1", false)}})
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	for name, change := range map[string]func(*tls.Config){
		"VerifyConnection panics":    func(c *tls.Config) { c.VerifyConnection = func(tls.ConnectionState) error { panic("boom") } },
		"Time exits":                 func(c *tls.Config) { c.Time = func() time.Time { runtime.Goexit(); return time.Time{} } },
		"the cache panics in a read": func(c *tls.Config) { c.ClientSessionCache = brokenCache{} },
	} {
		t.Run(name, func(t *testing.T) {
			base := &tls.Config{RootCAs: roots}
			change(base)
			err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{Base: base}))
			if broken, ok := errors.AsType[fault.CallbackError](err); !ok || broken.Callback != "TLSConfig" {
				t.Errorf("got %v", err)
			}
		})
	}
}

type brokenCache struct{}

func (brokenCache) Get(string) (*tls.ClientSessionState, bool) { return nil, false }
func (brokenCache) Put(string, *tls.ClientSessionState)        { panic("boom") }

// brokenTransport panics in each of a handshake's goroutines that ask for the status of a certificate.
type brokenTransport struct{}

func (brokenTransport) RoundTrip(*http.Request) (*http.Response, error) { panic("boom") }

// The client of the program asks OCSP responders. Without an answer, the status stays unknown and the handshake goes on.
func TestAnHTTPClientThatPanics(t *testing.T) {
	ca := newAuthority(t)
	address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "127.0.0.1", false)}})
	client := web.New(&http.Client{Transport: brokenTransport{}})
	if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: ca.caFile(t), Web: client})); err != nil {
		t.Error(err)
	}
	if ca.asked.Load() != 0 {
		t.Error("the responder was asked by another client")
	}
}
