package interop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/tools/mongotest"
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

func newExternalUser(name, password string) mongotest.Option {
	return mongotest.WithUser(mongotest.User{Name: name, DB: "$external", Password: password})
}

// The official driver authenticates with each mechanism that it supports without cgo, besides SCRAM.
func TestOfficialDriverUsesEachMechanism(t *testing.T) {
	pool, serverCert := newCertificate(t)
	cert, subject := clientCertificate(t)
	withTLS := mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{serverCert}, ClientAuth: tls.RequestClientCert})
	cases := []struct {
		name       string
		deployment []mongotest.Option
		credential options.Credential
		tls        *tls.Config
	}{
		{"PLAIN", []mongotest.Option{newExternalUser("ada", "secret")},
			options.Credential{AuthMechanism: "PLAIN", AuthSource: "$external", Username: "ada", Password: "secret"}, nil},
		{"MONGODB-X509", []mongotest.Option{newExternalUser(subject, ""), withTLS},
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
			client := connectOfficial(t, d, func(o *options.ClientOptions) {
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
