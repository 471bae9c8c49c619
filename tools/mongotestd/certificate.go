package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// secure returns the server's TLS configuration. It uses the flag's certificate or creates one; then authority is the
// file with the certificate that clients must trust.
func (s *settings) secure() (settings *tls.Config, authority string, err error) {
	var pair tls.Certificate
	if s.certificate != "" {
		if pair, err = tls.LoadX509KeyPair(s.certificate, s.certificate); err != nil {
			return nil, "", fmt.Errorf("-certificate: %w", err)
		}
	} else if pair, err = newCertificate(s.host); err != nil {
		return nil, "", fmt.Errorf("-tls: %w", err)
	} else if authority, err = writeAuthority(pair.Certificate[0]); err != nil {
		return nil, "", fmt.Errorf("-tls: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}, authority, nil
}

// newCertificate creates a self-signed certificate for loopback and the host, valid for a year.
func newCertificate(host string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "mongotest"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// writeAuthority writes a certificate to a new file.
func writeAuthority(der []byte) (name string, err error) {
	file, err := os.CreateTemp("", "mongotestd-*.pem")
	if err != nil {
		return "", err
	}
	err = pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: der})
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// withAuthority adds the file of trusted certificates to a connection string.
func withAuthority(uri, file string) string {
	if file == "" {
		return uri
	}
	return uri + "&tlsCAFile=" + strings.ReplaceAll(url.QueryEscape(file), "+", "%20")
}
