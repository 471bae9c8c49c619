package interop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/runtime/mongotest"
)

// clientCertificate makes a certificate for a client and the subject that a server reads from it.
func clientCertificate(t *testing.T) (cert tls.Certificate, subject string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "client", Organization: []string{"onion"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, leaf.Subject.String()
}

func external(name, password string) mongotest.Option {
	return mongotest.WithUser(mongotest.User{Name: name, DB: "$external", Password: password})
}

// Each mechanism beside SCRAM that the official driver has without cgo, against mongotest.
func TestOfficialDriverUsesEachMechanism(t *testing.T) {
	pool, serverCert := certificate(t)
	cert, subject := clientCertificate(t)
	withTLS := mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{serverCert}, ClientAuth: tls.RequestClientCert})
	cases := []struct {
		name       string
		deployment []mongotest.Option
		credential options.Credential
		tls        *tls.Config
	}{
		{"PLAIN", []mongotest.Option{external("ada", "secret")},
			options.Credential{AuthMechanism: "PLAIN", AuthSource: "$external", Username: "ada", Password: "secret"}, nil},
		{"MONGODB-X509", []mongotest.Option{external(subject, ""), withTLS},
			options.Credential{AuthMechanism: "MONGODB-X509"}, &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}}},
		{"MONGODB-AWS", []mongotest.Option{mongotest.WithAWSKey(mongotest.AWSKey{AccessKeyID: "AKID", SecretAccessKey: "secret", SessionToken: "token", ARN: "arn:aws:iam::1:user/ada"})},
			options.Credential{AuthMechanism: "MONGODB-AWS", Username: "AKID", Password: "secret", AuthMechanismProperties: map[string]string{"AWS_SESSION_TOKEN": "token"}}, nil},
		{"MONGODB-OIDC", []mongotest.Option{mongotest.WithToken(mongotest.Token{JWT: "a.token", Principal: "ada"})},
			options.Credential{AuthMechanism: "MONGODB-OIDC", OIDCMachineCallback: func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
				return &options.OIDCCredential{AccessToken: "a.token"}, nil
			}}, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			d := mongotest.Start(t, append(tc.deployment, mongotest.RequireAuth())...)
			client := official(t, d, func(o *options.ClientOptions) {
				o.SetAuth(tc.credential)
				if tc.tls != nil {
					o.SetTLSConfig(tc.tls)
				}
			})
			if _, err := client.Database("auth").Collection("c").InsertOne(t.Context(), map[string]int{"x": 1}); err != nil {
				t.Error(err)
			}
		})
	}
}

// PLAIN, X.509 and the compressors of pymongo against mongotest. A compressor whose Python module is missing is skipped.
func TestPymongoUsesEachMechanismAndCompressor(t *testing.T) {
	interpreter := python(t)
	t.Run("PLAIN", func(t *testing.T) {
		d := mongotest.Start(t, external("ada", "secret"), mongotest.RequireAuth())
		runScript(t, interpreter, "mongodb://ada:secret@"+d.Hosts()[0]+"/?authMechanism=PLAIN&authSource=$external")
	})
	t.Run("MONGODB-X509", func(t *testing.T) {
		_, serverCert := certificate(t)
		cert, subject := clientCertificate(t)
		d := mongotest.Start(t, external(subject, ""), mongotest.RequireAuth(),
			mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{serverCert}, ClientAuth: tls.RequestClientCert}))
		key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		ca := writeFile(t, "ca.pem", &pem.Block{Type: "CERTIFICATE", Bytes: serverCert.Certificate[0]})
		own := writeFile(t, "client.pem", &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, &pem.Block{Type: "PRIVATE KEY", Bytes: key})
		query := url.Values{"tls": {"true"}, "tlsCAFile": {ca}, "tlsCertificateKeyFile": {own}, "authMechanism": {"MONGODB-X509"}}
		runScript(t, interpreter, "mongodb://"+d.Hosts()[0]+"/?"+query.Encode())
	})
	for compressor, module := range map[string]string{"zlib": "zlib", "snappy": "snappy", "zstd": "zstandard"} {
		t.Run(compressor, func(t *testing.T) {
			if exec.Command(interpreter, "-c", "import "+module).Run() != nil {
				t.Skipf("Python has no module %s: install Debian's python3-%s", module, module)
			}
			runScript(t, interpreter, mongotest.Start(t).URI()+"?compressors="+compressor)
		})
	}
}

func writeFile(t *testing.T, name string, blocks ...*pem.Block) string {
	t.Helper()
	var content []byte
	for _, b := range blocks {
		content = append(content, pem.EncodeToMemory(b)...)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
