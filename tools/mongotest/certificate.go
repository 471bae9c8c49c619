package mongotest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// TLS makes the deployment speak TLS. Without settings it creates a certificate, which clients trust through
// [Deployment.RootCAs] or [Deployment.CertificatePEM]. Settings hold a certificate of your own, and say which certificates of clients
// the server requests.
func TLS(settings ...*tls.Config) Option {
	return func(c *config) {
		switch {
		case len(settings) == 0:
			certificate, err := NewCertificate(c.host)
			if err != nil {
				c.err = fmt.Errorf("mongotest: a certificate: %w", err)
				return
			}
			c.TLS, c.certificate = &tls.Config{Certificates: []tls.Certificate{certificate}}, certificate.Leaf
		case len(settings) > 1 || settings[0] == nil:
			c.err = errors.New("mongotest: TLS needs a configuration, or none for a certificate of its own")
		default:
			c.TLS = settings[0]
		}
	}
}

// NewCertificate creates a self-signed certificate for the addresses that a deployment can have. It is valid for ten
// years. The host is the one that the deployment listens on, or "". [TLS] does the same and keeps the certificate; use
// NewCertificate with [TLS] if the configuration has more to say.
func NewCertificate(host string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "mongotest"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "*.mongotest.invalid"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else if host != "" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// RootCAs returns a pool that trusts the certificate of a deployment with [TLS]. For any other deployment it returns
// nil.
func (d *Deployment) RootCAs() *x509.CertPool {
	if d.config.certificate == nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AddCert(d.config.certificate)
	return pool
}

// CertificatePEM returns the certificate of a deployment with [TLS], ready for the file that tlsCAFile names. For
// any other deployment it returns nil.
func (d *Deployment) CertificatePEM() []byte {
	if d.config.certificate == nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: d.config.certificate.Raw})
}
