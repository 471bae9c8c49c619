package main

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest"
)

// tlsConfig returns the server's TLS configuration. It uses the flag's certificate or creates one; then authority is the
// file with the certificate that clients must trust.
func (s *settings) tlsConfig() (settings *tls.Config, authority string, err error) {
	var pair tls.Certificate
	if s.certificate != "" {
		if pair, err = tls.LoadX509KeyPair(s.certificate, s.certificate); err != nil {
			return nil, "", fmt.Errorf("-certificate: %w", err)
		}
	} else if pair, err = mongotest.NewCertificate(s.host); err != nil {
		return nil, "", fmt.Errorf("-tls: %w", err)
	} else if authority, err = writeAuthority(pair.Certificate[0]); err != nil {
		return nil, "", fmt.Errorf("-tls: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}, authority, nil
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

// addAuthority adds the file of trusted certificates to a connection string.
func addAuthority(uri, file string) string {
	if file == "" {
		return uri
	}
	return uri + "&tlsCAFile=" + strings.ReplaceAll(url.QueryEscape(file), "+", "%20")
}
