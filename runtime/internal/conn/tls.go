package conn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/specdrivers/onion/runtime/internal/web"
)

// TLSOptions are the TLS options of a client, by their URI names.
type TLSOptions struct {
	CAFile                     string
	CertificateKeyFile         string
	CertificateKeyFilePassword string

	Insecure                          bool
	AllowInvalidCertificates          bool
	AllowInvalidHostnames             bool
	DisableOCSPEndpointCheck          bool
	DisableCertificateRevocationCheck bool

	// Base is the configuration to start from: the program's own, or nil.
	Base *tls.Config

	// Web asks OCSP responders.
	Web web.Client
}

// TLS secures connections. All connections of a client share one TLS, so it can resume sessions and remember OCSP
// answers. It is safe for concurrent use.
type TLS struct {
	config           *tls.Config
	fromProgram      bool // the program made the configuration, which may hold functions
	verifyChain      bool
	skipHostnameOnly bool
	revocation       *revocation // nil if revocation is not checked
}

// NewTLS reads the files that the options name and prepares the configuration.
func NewTLS(o TLSOptions) (*TLS, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.Base != nil {
		config = o.Base.Clone()
	}
	config.DynamicRecordSizingDisabled = true // small first records would not help: a server cannot use the first part of a message
	// A resumed session keeps the client certificate of the first one, so TLS would not call the callback again.
	if config.ClientSessionCache == nil && config.GetClientCertificate == nil {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(64)
	}
	if o.CAFile != "" {
		pool, err := readCAFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if o.CertificateKeyFile != "" {
		cert, err := readCertificateKeyFile(o.CertificateKeyFile, o.CertificateKeyFilePassword)
		if err != nil {
			return nil, err
		}
		config.Certificates = append(config.Certificates, cert)
	}
	t := &TLS{config: config, fromProgram: o.Base != nil, verifyChain: true}
	switch {
	case o.Insecure, o.AllowInvalidCertificates, config.InsecureSkipVerify:
		// Without verification of the certificate, its revocation status does not matter.
		config.InsecureSkipVerify = true
		t.verifyChain = false
	case o.AllowInvalidHostnames:
		config.InsecureSkipVerify = true
		t.skipHostnameOnly = true
	}
	if t.verifyChain && !o.DisableCertificateRevocationCheck {
		t.revocation = newRevocation(o.Web, !o.DisableOCSPEndpointCheck)
	}
	return t, nil
}

// Client runs the TLS handshake over nc. The server must prove that it is the host of address.
func (t *TLS) Client(ctx context.Context, nc net.Conn, address string) (*tls.Conn, error) {
	config := t.config.Clone()
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("the address %q has no port: %w", address, err)
		}
		config.ServerName = strings.TrimSuffix(host, ".")
	}
	next := config.VerifyConnection
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if err := t.verify(ctx, state); err != nil {
			return err
		}
		if next != nil {
			return next(state)
		}
		return nil
	}
	secured := tls.Client(nc, config)
	if err := t.shakeHands(ctx, secured); err != nil {
		return nil, err
	}
	return secured, nil
}

// verify runs after the checks of crypto/tls. It also runs on a resumed session.
func (t *TLS) verify(ctx context.Context, state tls.ConnectionState) error {
	if !t.verifyChain {
		return nil
	}
	chains := state.VerifiedChains
	if t.skipHostnameOnly {
		var err error
		if chains, err = t.chainsWithoutHostname(state); err != nil {
			return err
		}
	}
	if t.revocation == nil || len(chains) == 0 {
		return nil
	}
	if state.DidResume {
		// The staple comes from the first handshake, which may be long past, so a newer answer takes precedence.
		return t.revocation.checkRemembered(chains)
	}
	return t.revocation.check(ctx, state.OCSPResponse, chains)
}

// chainsWithoutHostname verifies only the chain. crypto/tls has no option for that.
func (t *TLS) chainsWithoutHostname(state tls.ConnectionState) ([][]*x509.Certificate, error) {
	if len(state.PeerCertificates) == 0 {
		return nil, errors.New("the server sent no certificate")
	}
	opts := x509.VerifyOptions{Roots: t.config.RootCAs, Intermediates: x509.NewCertPool()}
	if t.config.Time != nil {
		opts.CurrentTime = t.config.Time()
	}
	for _, cert := range state.PeerCertificates[1:] {
		opts.Intermediates.AddCert(cert)
	}
	chains, err := state.PeerCertificates[0].Verify(opts)
	if err != nil {
		return nil, &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
	}
	return chains, nil
}

func readCAFile(name string) (*x509.CertPool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("conn: tlsCAFile: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("conn: tlsCAFile: %s holds no certificate in PEM form", name)
	}
	return pool, nil
}

// readCertificateKeyFile reads the client's certificate chain and its private key. One file holds both, in any order.
func readCertificateKeyFile(name, password string) (tls.Certificate, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("conn: tlsCertificateKeyFile: %w", err)
	}
	var certs, key []byte
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		switch {
		case block.Type == "CERTIFICATE":
			certs = append(certs, pem.EncodeToMemory(block)...)
		case strings.HasSuffix(block.Type, "PRIVATE KEY") && key == nil:
			if block, err = decryptKey(block, password); err != nil {
				return tls.Certificate{}, fmt.Errorf("conn: tlsCertificateKeyFile: %s: %w", name, err)
			}
			key = pem.EncodeToMemory(block)
		}
	}
	switch {
	case certs == nil:
		return tls.Certificate{}, fmt.Errorf("conn: tlsCertificateKeyFile: %s holds no certificate in PEM form", name)
	case key == nil:
		return tls.Certificate{}, fmt.Errorf("conn: tlsCertificateKeyFile: %s holds no private key in PEM form", name)
	}
	cert, err := tls.X509KeyPair(certs, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("conn: tlsCertificateKeyFile: %s: %w", name, err)
	}
	return cert, nil
}
