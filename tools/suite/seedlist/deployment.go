package seedlist

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

// Deployment is one of the deployments that the specification describes.
type Deployment uint8

// The deployments, by the folders of the test files.
const (
	ReplicaSet   Deployment = iota // repl0, on localhost:27017 to 27019
	Sharded                        // two mongos, on localhost:27017 and 27018
	LoadBalanced                   // two mongos behind one load balancer, on whatever port a record names
)

// firstPort is the port of the first server.
const firstPort = 27017

// environment is a deployment in memory under the names and ports of the specification.
type environment struct {
	deployment Deployment
	running    *mongotest.Deployment
	roots      *x509.CertPool // nil without TLS
}

// start starts a deployment, with a certificate for the names.
func start(t *testing.T, d Deployment, withTLS bool, names []string) *environment {
	t.Helper()
	e := &environment{deployment: d}
	options := []mongotest.Option{map[Deployment]mongotest.Option{
		ReplicaSet: mongotest.ReplicaSet(3), Sharded: mongotest.Sharded(2), LoadBalanced: mongotest.LoadBalanced(2),
	}[d]}
	if d == ReplicaSet {
		options = append(options, mongotest.SetName("repl0"))
	}
	if withTLS {
		settings, roots, err := certificate(names)
		if err != nil {
			t.Fatalf("make a certificate: %v", err)
		}
		e.roots = roots
		options = append(options, mongotest.TLS(settings))
	}
	e.running = mongotest.Start(t, options...)
	return e
}

// certificate makes a self-signed certificate.
func certificate(names []string) (*tls.Config, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: append(names, "localhost"),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, // the servers announce what they listen on
		IsCA:        true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots, nil
}

// DialContext connects to the server that stands for an address of the specification, whatever its host is called.
func (e *environment) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	hosts := e.running.Hosts()
	if slices.Contains(hosts, address) {
		return d.DialContext(ctx, network, address) // a server has announced it
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	i := 0
	if e.deployment != LoadBalanced {
		n, _ := strconv.Atoi(port)
		if i = n - firstPort; i < 0 || i >= len(hosts) {
			return dialNobody(network, address)
		}
	}
	return d.DialContext(ctx, network, hosts[i])
}

// emptyNetwork is a network without servers.
type emptyNetwork struct{}

func (emptyNetwork) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	return dialNobody(network, address)
}

func dialNobody(network, address string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: network, Err: &net.AddrError{Err: "no server listens there", Addr: address}}
}

// rename turns an address of the deployment in memory into the one that it stands for.
func (e *environment) rename(address string) string {
	for i, host := range e.running.Hosts() {
		if address == host {
			return "localhost:" + strconv.Itoa(firstPort+i)
		}
	}
	return address
}
