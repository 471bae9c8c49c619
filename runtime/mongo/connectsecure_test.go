package mongo_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// issuer is a certificate authority that a test makes.
type issuer struct {
	t    *testing.T
	dir  string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	i.key = i.newKey()
	i.cert = i.sign(template, template, i.key, i.key)
	return i
}

func (i *issuer) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	return key
}

func (i *issuer) sign(template, parent *x509.Certificate, subject, by *ecdsa.PrivateKey) *x509.Certificate {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, subject.Public(), by)
	if err != nil {
		i.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		i.t.Fatal(err)
	}
	return cert
}

// issue makes a certificate that is good for a server of 127.0.0.1 and for a client.
func (i *issuer) issue(name string) tls.Certificate {
	key := i.newKey()
	cert := i.sign(&x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name, Organization: []string{"onion"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, i.cert, key, i.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key, Leaf: cert}
}

// write makes a new file each time, because tests that run side by side read them.
func (i *issuer) write(name string, blocks ...*pem.Block) *string {
	f, err := os.CreateTemp(i.dir, "*-"+name)
	if err != nil {
		i.t.Fatal(err)
	}
	defer f.Close()
	for _, b := range blocks {
		if err := pem.Encode(f, b); err != nil {
			i.t.Fatal(err)
		}
	}
	return new(f.Name())
}

func (i *issuer) caFile() *string {
	return i.write("ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw})
}

func (i *issuer) keyFile(c tls.Certificate) *string {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		i.t.Fatal(err)
	}
	return i.write(c.Leaf.Subject.CommonName+".pem", &pem.Block{Type: "CERTIFICATE", Bytes: c.Leaf.Raw}, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// deployment starts a deployment that speaks TLS, requires authentication and asks for a certificate without requiring
// one.
func (i *issuer) deployment(users ...mongotest.User) *mongotest.Deployment {
	pool := x509.NewCertPool()
	pool.AddCert(i.cert)
	opts := []mongotest.Option{mongotest.RequireAuth(), mongotest.TLS(&tls.Config{
		Certificates: []tls.Certificate{i.issue("server")}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven,
	})}
	for _, u := range users {
		opts = append(opts, mongotest.WithUser(u))
	}
	return mongotest.Start(i.t, opts...)
}

func (i *issuer) find(d *mongotest.Deployment, credential *options.Credential, keyFile *string) error {
	client, err := mongo.Connect(i.t.Context(), "mongodb://"+d.Hosts()[0]+"/?tls=true", &options.Client{
		Auth: credential, TLSCAFile: i.caFile(), TLSCertificateKeyFile: keyFile,
	})
	if err != nil {
		i.t.Fatal(err)
	}
	defer client.Close(i.t.Context())
	return client.Database("test").Collection("test").FindOne(i.t.Context(), bson.D{}).Err()
}

func TestX509OverTLS(t *testing.T) {
	i := newIssuer(t)
	known, stranger := i.issue("ada"), i.issue("stranger")
	subject := known.Leaf.Subject.String()
	for _, version := range []struct {
		name     string
		username *string
		keyFile  *string
		works    bool
	}{
		{"the name of the certificate", nil, i.keyFile(known), true},
		{"the name as the user name", &subject, i.keyFile(known), true},
		{"another user name", new("CN=eve"), i.keyFile(known), false},
		{"a certificate of nobody", nil, i.keyFile(stranger), false},
		{"no certificate", nil, nil, false},
	} {
		t.Run(version.name, func(t *testing.T) {
			d := i.deployment(mongotest.User{Name: subject, DB: "$external"})
			err := i.find(d, &options.Credential{AuthMechanism: new("MONGODB-X509"), Username: version.username}, version.keyFile)
			wantFound(t, err, version.works)
			if version.works && len(commandsNamed(d, "authenticate")) != 0 {
				t.Error("authenticate was sent although it travelled with the hello")
			}
			for _, c := range d.Commands() {
				login := c.Body.Lookup("speculativeAuthenticate")
				if user := c.Body.Lookup("speculativeAuthenticate", "user"); !login.IsZero() && user.IsZero() != (version.username == nil) {
					t.Errorf("%v was sent for the user name %v", login, version.username)
				}
			}
		})
	}
}

func TestPlainOverTLS(t *testing.T) {
	i := newIssuer(t)
	for password, works := range map[string]bool{"secret": true, "wrong": false} {
		t.Run(password, func(t *testing.T) {
			d := i.deployment(mongotest.User{Name: "ada", DB: "$external", Password: "secret"})
			err := i.find(d, &options.Credential{AuthMechanism: new("PLAIN"), Username: new("ada"), Password: &password}, nil)
			wantFound(t, err, works)
		})
	}
}

// wantFound checks that a query of an empty collection has reached the server or, if works is false, that
// authentication failed.
func wantFound(t *testing.T, err error, works bool) {
	t.Helper()
	var failed mongo.AuthError
	switch {
	case works && !errors.Is(err, mongo.ErrNoDocuments):
		t.Errorf("err = %v, want that there is no document", err)
	case !works && !errors.As(err, &failed):
		t.Errorf("err = %v, want an AuthError", err)
	}
}

func commandsNamed(d *mongotest.Deployment, name string) []mongotest.Command {
	var found []mongotest.Command
	for _, c := range d.Commands() {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

// Each option that makes sense only with TLS turns TLS on. With only a client certificate, the client does not trust
// the authority of this test.
func TestEachOptionOfTLSTurnsItOn(t *testing.T) {
	i := newIssuer(t)
	d := i.deployment()
	authorities := x509.NewCertPool()
	authorities.AddCert(i.cert)
	for _, tt := range []struct {
		name    string
		options options.Client
		trusts  bool
	}{
		{"TLSConfig", options.Client{TLSConfig: &tls.Config{RootCAs: authorities}}, true},
		{"TLSCAFile", options.Client{TLSCAFile: i.caFile()}, true},
		{"TLSCertificateKeyFile", options.Client{TLSCertificateKeyFile: i.keyFile(i.issue("ada"))}, false},
	} {
		tt.options.ServerSelectionTimeout = new(500 * time.Millisecond)
		client, err := mongo.Connect(t.Context(), "mongodb://"+d.Hosts()[0], &tt.options)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(t.Context())
		err = client.Ping(t.Context(), nil)
		if (err == nil) != tt.trusts || err != nil && !strings.Contains(err.Error(), "x509: certificate signed by unknown authority") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
