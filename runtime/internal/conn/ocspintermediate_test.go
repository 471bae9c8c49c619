package conn_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/internal/conn"
)

// The driver asks about the server's certificate alone, not about those between it and the root.
//
// OCSP, "Suggested OCSP Behavior".
func TestOCSPIntermediatesAreNotAsked(t *testing.T) {
	root, intermediate := newAuthority(t), newAuthority(t)
	root.revoked.Store(true) // would be its answer about the intermediate certificate
	intermediate.cert = sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "intermediate authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		OCSPServer: []string{root.responder.URL},
	}, root.cert, intermediate.key.Public(), root.key)
	certificate := intermediate.issue(t, "127.0.0.1", false)
	certificate.Certificate = append(certificate.Certificate, intermediate.cert.Raw)
	address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: root.caFile(t)})); err != nil {
		t.Error(err)
	}
	if about, above := intermediate.asked.Load(), root.asked.Load(); about != 1 || above != 0 {
		t.Errorf("asked %d times about the server's certificate, %d times about the intermediate one", about, above)
	}
}
