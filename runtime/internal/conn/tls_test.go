package conn_test

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// tlsServer is a deployment that presents a certificate.
func tlsServer(t *testing.T, config *tls.Config) string {
	t.Helper()
	return mongotest.Start(t, mongotest.TLS(config)).Hosts()[0]
}

// tryTLS dials and runs a handshake.
func tryTLS(t *testing.T, address string, secured *conn.TLS) error {
	t.Helper()
	c, err := (&conn.Dialer{TLS: secured}).Dial(t.Context(), address)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Handshake(t.Context(), &conn.Handshake{})
	return err
}

// The matrix of the OCSP tests: URI options down, scenarios across.
func TestOCSPMatrix(t *testing.T) {
	scenarios := []struct {
		name                                    string
		revoked, staples, mustStaple, responder bool
		fails                                   bool // when certificates are verified
	}{
		{"1 valid, staples", false, true, false, true, false},
		{"2 revoked, staples", true, true, false, true, true},
		{"3 valid, does not staple", false, false, false, true, false},
		{"4 revoked, does not staple", true, false, false, true, true},
		{"soft fail: no responder", false, false, false, false, false},
		{"malicious 1: revoked, must staple and does not", true, false, true, true, true},
		{"malicious 2: no responder, must staple and does not", false, false, true, false, true},
	}
	settings := []struct {
		name     string
		options  conn.TLSOptions
		verifies bool
	}{
		{"tls", conn.TLSOptions{}, true},
		{"tlsInsecure", conn.TLSOptions{Insecure: true}, false},
		{"tlsAllowInvalidCertificates", conn.TLSOptions{AllowInvalidCertificates: true}, false},
		{"tlsDisableCertificateRevocationCheck", conn.TLSOptions{DisableCertificateRevocationCheck: true}, false},
	}
	signers := []struct {
		name     string
		delegate bool
		newKey   func(*testing.T) crypto.Signer
	}{{"authority", false, newKey}, {"delegate", true, newKey}, {"RSA, delegate", true, rsaKeys(t)}}
	for _, signer := range signers {
		for _, s := range scenarios {
			for _, setting := range settings {
				t.Run(signer.name+"/"+s.name+"/"+setting.name, func(t *testing.T) {
					ca := newAuthorityWith(t, signer.newKey)
					if signer.delegate {
						ca.useDelegate(t, time.Now().Add(time.Hour), x509.ExtKeyUsageOCSPSigning)
					}
					ca.revoked.Store(s.revoked)
					cert := ca.issue(t, "127.0.0.1", s.mustStaple)
					if s.staples {
						cert.OCSPStaple = ca.response(t, cert.Leaf.SerialNumber)
					}
					if !s.responder {
						ca.responder.Close()
					}
					o := setting.options
					o.CAFile = ca.caFile(t)
					err := tryTLS(t, tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}}), mustTLS(t, o))
					if want := s.fails && setting.verifies; want != (err != nil) {
						t.Fatalf("err = %v, want a failure: %v", err, want)
					}
					var network fault.NetworkError
					if err != nil && (!errors.As(err, &network) || network.Kind != fault.NetworkCertificate) {
						t.Errorf("err = %v, want a certificate error", err)
					}
				})
			}
		}
	}
}

func TestOCSPEndpointIsLeftAloneWhenDisabled(t *testing.T) {
	ca := newAuthority(t)
	ca.revoked.Store(true)
	cert := ca.issue(t, "127.0.0.1", false)
	address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}})
	if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: ca.caFile(t), DisableOCSPEndpointCheck: true})); err != nil {
		t.Error(err)
	}
	if n := ca.asked.Load(); n != 0 {
		t.Errorf("the responder was asked %d times", n)
	}
}

func TestOCSPAnswersAreRemembered(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.issue(t, "127.0.0.1", false)
	address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}, SessionTicketsDisabled: true})
	secured := mustTLS(t, conn.TLSOptions{CAFile: ca.caFile(t)})
	for range 3 {
		if err := tryTLS(t, address, secured); err != nil {
			t.Fatal(err)
		}
	}
	if n := ca.asked.Load(); n != 1 {
		t.Errorf("the responder was asked %d times for one certificate", n)
	}
}

// RFC 6960, section 3.2, rule 4: the signer must be authorized now.
func TestOCSPResponderMustBeNamedByTheIssuer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		until time.Duration
		usage []x509.ExtKeyUsage
		works bool
	}{
		{"named", time.Hour, []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}, true},
		{"not named", time.Hour, nil, false},
		{"no longer", -time.Minute, []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ca := newAuthority(t)
			ca.useDelegate(t, time.Now().Add(tt.until), tt.usage...)
			cert := ca.issue(t, "127.0.0.1", false)
			cert.OCSPStaple = ca.response(t, cert.Leaf.SerialNumber)
			address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{cert}})
			if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: ca.caFile(t)})); tt.works != (err == nil) {
				t.Errorf("err = %v, want success %v", err, tt.works)
			}
		})
	}
}

func TestTLSVerification(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	cases := []struct {
		name    string
		host    string // in the certificate
		options conn.TLSOptions
		ca      *authority
		works   bool
	}{
		{"all right", "127.0.0.1", conn.TLSOptions{}, ca, true},
		{"wrong host", "example.com", conn.TLSOptions{}, ca, false},
		{"wrong host allowed", "example.com", conn.TLSOptions{AllowInvalidHostnames: true}, ca, true},
		{"unknown authority", "127.0.0.1", conn.TLSOptions{}, other, false},
		{"unknown authority, wrong host allowed", "127.0.0.1", conn.TLSOptions{AllowInvalidHostnames: true}, other, false},
		{"unknown authority allowed", "example.com", conn.TLSOptions{AllowInvalidCertificates: true}, other, true},
		{"insecure", "example.com", conn.TLSOptions{Insecure: true}, other, true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			address := tlsServer(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, tc.host, false)}})
			o := tc.options
			o.CAFile = tc.ca.caFile(t)
			if err := tryTLS(t, address, mustTLS(t, o)); tc.works != (err == nil) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// An alert is not a sign of overload, whether it comes during the TLS handshake or, as in TLS 1.3, after it.
func TestAlertsAreNotNetworkErrors(t *testing.T) {
	ca := newAuthority(t)
	certificates := []tls.Certificate{ca.issue(t, "127.0.0.1", false)}
	tests := []struct {
		name   string
		server *tls.Config
	}{
		{"no common version", &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}},
		{"a client without a certificate", &tls.Config{
			Certificates: certificates, MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := tls.Listen("tcp", "127.0.0.1:0", tt.server)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			done := make(chan struct{})
			go func() {
				defer close(done)
				c, err := listener.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				c.(*tls.Conn).Handshake()                    // fails and sends the alert
				io.Copy(io.Discard, c.(*tls.Conn).NetConn()) // a close with data unread would drop the alert
			}()
			err = tryTLS(t, listener.Addr().String(), mustTLS(t, conn.TLSOptions{CAFile: ca.caFile(t)}))
			var network fault.NetworkError
			if !errors.As(err, &network) || network.Kind != fault.NetworkCertificate {
				t.Errorf("err = %v, kind %d", err, network.Kind)
			}
			<-done
		})
	}
}

func TestClientCertificateFiles(t *testing.T) {
	ca := newAuthority(t)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	address := tlsServer(t, &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "127.0.0.1", false)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	})
	cert := ca.issue(t, "client", false)
	der, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certBlock, keyBlock := &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	plain := writePEM(t, "plain.pem", keyBlock, certBlock)
	caFile := ca.caFile(t)
	if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: caFile, CertificateKeyFile: plain})); err != nil {
		t.Error(err)
	}
	if err := tryTLS(t, address, mustTLS(t, conn.TLSOptions{CAFile: caFile})); err == nil {
		t.Error("the server accepted a client without a certificate")
	}
	for name, content := range map[string][]*pem.Block{"no certificate": {keyBlock}, "no private key": {certBlock}} {
		_, err := conn.NewTLS(conn.TLSOptions{CertificateKeyFile: writePEM(t, "bad.pem", content...)})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("encrypted by openssl", func(t *testing.T) { testEncryptedKeys(t, address, caFile, plain, certBlock) })
}

// testEncryptedKeys lets OpenSSL encrypt the key in every way that it supports.
func testEncryptedKeys(t *testing.T, address, caFile, plain string, certBlock *pem.Block) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	for _, args := range [][]string{
		{"-v2", "aes-256-cbc"}, {"-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"}, {"-v2", "des3", "-v2prf", "hmacWithSHA1"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "key.pem")
			command := append([]string{"pkcs8", "-topk8", "-in", plain, "-out", key, "-passout", "pass:secret"}, args...)
			if out, err := exec.Command(openssl, command...).CombinedOutput(); err != nil {
				t.Fatalf("openssl: %v: %s", err, out)
			}
			file := joinFiles(t, key, writePEM(t, "cert.pem", certBlock))
			o := conn.TLSOptions{CAFile: caFile, CertificateKeyFile: file, CertificateKeyFilePassword: "secret"}
			if err := tryTLS(t, address, mustTLS(t, o)); err != nil {
				t.Error(err)
			}
			for _, wrong := range []string{"", "not it"} {
				o.CertificateKeyFilePassword = wrong
				if _, err := conn.NewTLS(o); err == nil {
					t.Errorf("password %q was accepted", wrong)
				}
			}
		})
	}
}

// The driver asks the callback for a certificate at each new connection, so the certificate can change without a
// restart.
func TestClientCertificateOfACallback(t *testing.T) {
	ca := newAuthority(t)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	seen := make(chan string, 2)
	address := tlsServer(t, &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "127.0.0.1", false)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		VerifyConnection: func(state tls.ConnectionState) error {
			seen <- state.PeerCertificates[0].SerialNumber.String()
			return nil
		},
	})
	certificates := []tls.Certificate{ca.issue(t, "client", false), ca.issue(t, "client", false)}
	calls := 0
	secured := mustTLS(t, conn.TLSOptions{Base: &tls.Config{
		RootCAs: pool,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			calls++
			return &certificates[calls-1], nil
		},
	}})
	var serials []string
	for range certificates {
		if err := tryTLS(t, address, secured); err != nil {
			t.Fatal(err)
		}
		serials = append(serials, <-seen)
	}
	if calls != 2 || serials[0] == serials[1] {
		t.Errorf("%d calls, serials %q", calls, serials)
	}
}
