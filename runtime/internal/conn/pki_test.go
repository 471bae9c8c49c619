package conn_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// authority is a certificate authority for tests, with a responder for its certificates.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer

	delegate    *x509.Certificate // signs responses instead of the authority, when set
	delegateKey crypto.Signer
	revoked     atomic.Bool
	asked       atomic.Int32
	responder   *httptest.Server
	newKey      func(*testing.T) crypto.Signer
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	return newAuthorityWith(t, newKey)
}

// newAuthorityWith makes an authority that uses another kind of key, also for its certificates.
func newAuthorityWith(t *testing.T, newKey func(*testing.T) crypto.Signer) *authority {
	t.Helper()
	a := &authority{key: newKey(t), newKey: newKey}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a.cert = sign(t, template, template, a.key.Public(), a.key)
	a.responder = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		request, err := ocsp.ParseRequest(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Write(a.response(t, request.SerialNumber))
	}))
	t.Cleanup(a.responder.Close)
	return a
}

// response says whether a certificate has been revoked.
func (a *authority) response(t *testing.T, serial *big.Int) []byte {
	status := ocsp.Good
	if a.revoked.Load() {
		status = ocsp.Revoked
	}
	template := ocsp.Response{
		Status: status, SerialNumber: serial, ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(time.Hour),
		RevokedAt: time.Now().Add(-time.Hour),
	}
	signer, key := a.cert, a.key
	if a.delegate != nil {
		signer, key, template.Certificate = a.delegate, a.delegateKey, a.delegate
	}
	der, err := ocsp.CreateResponse(a.cert, signer, template, key)
	if err != nil {
		t.Error(err)
	}
	return der
}

// useDelegate makes another certificate, which is valid until the given time, sign the authority's responses. usage
// says whether it may.
func (a *authority) useDelegate(t *testing.T, until time.Time, usage ...x509.ExtKeyUsage) {
	t.Helper()
	a.delegateKey = a.newKey(t)
	a.delegate = sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "test responder"}, ExtKeyUsage: usage,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
	}, a.cert, a.delegateKey.Public(), a.key)
}

// issue makes a certificate for a host; mustStaple adds the extension that asks for a stapled response.
func (a *authority) issue(t *testing.T, host string, mustStaple bool) tls.Certificate {
	t.Helper()
	key := a.newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host, Organization: []string{"onion"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		OCSPServer: []string{a.responder.URL},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	if mustStaple {
		value, err := asn1.Marshal([]int{5})
		if err != nil {
			t.Fatal(err)
		}
		template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}, Value: value}}
	}
	cert := sign(t, template, a.cert, key.Public(), a.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
}

// caFile writes the authority's certificate into a file.
func (a *authority) caFile(t *testing.T) string {
	t.Helper()
	return writePEM(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func writePEM(t *testing.T, name string, blocks ...*pem.Block) string {
	t.Helper()
	var out []byte
	for _, b := range blocks {
		out = append(out, pem.EncodeToMemory(b)...)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newKey(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// rsaKeys returns a function that hands out a few RSA keys in turn, because making one takes long.
func rsaKeys(t *testing.T) func(*testing.T) crypto.Signer {
	t.Helper()
	var keys []crypto.Signer
	for range 3 { // of the authority, its delegate and the server
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	n := 0
	return func(*testing.T) crypto.Signer {
		n++
		return keys[n%len(keys)]
	}
}

func sign(t *testing.T, template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// joinFiles writes the contents of files into one.
func joinFiles(t *testing.T, names ...string) string {
	t.Helper()
	var all []byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	path := filepath.Join(t.TempDir(), "joined.pem")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
